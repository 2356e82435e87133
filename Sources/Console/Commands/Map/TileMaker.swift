import Domain
import Glibc
import Linux
import Tiles

/// Makes vector tiles of an extract of OpenStreetMap with osmium-tool and tilemaker:
///
///     EXTRACT ──▶ osmium renumber ──▶ osmium check-refs ──▶ osmium removeid ──▶ tilemaker ──▶ TILES
///
/// tilemaker needs memory for each number up to the highest one of a way, hence the new numbers, and aborts on a way whose
/// nodes are missing, hence the check.
struct TileMaker {
    /// Bytes that it needs at least, and for each byte of an extract.
    ///
    /// Source: measured with tilemaker 2.2.0 and extracts of 0.6 to 31 MB.
    private static let memory = (least: 150 << 20, each: 4)
    private static let disk = (least: 100 << 20, each: 10)
    /// How much longer tilemaker takes than osmium renumber.
    ///
    /// Source: measured with extracts of 0.6 and 31 MB, which took 0.06 and 2.8 s, and 0.6 and 20 s.
    private static let slowness = 8
    /// Hours pass for a large country on a small board.
    private static let timeLimit = Duration.seconds(24 * 3600)
    /// The signals that end an import.
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let elsewhere =
        "import on a larger computer and copy \(TileFile.fileName), or take a smaller extract"

    private let source: String
    /// The name of the source, for messages.
    private let name: String
    /// An empty directory, for the tiles and all that is written before them.
    private let work: String
    /// Where `config.json` and `process.lua` are.
    private let profile: String
    private let osmium: String
    private let tilemaker: String
    private let size: Int

    /// Whether there is a coast.
    private(set) var hasCoast = false
    /// The number of ways without all their nodes.
    private(set) var leftOut = 0

    /// - Parameters:
    ///   - work: on the file system of the map.
    ///   - profile: nil for that of paced.
    /// - Throws: ``Failure`` if a program is missing.
    init(_ source: String, named name: String, in work: String, profile: String?) throws(Failure) {
        var status = stat()
        guard stat(source, &status) == 0 else {
            throw .failed("cannot read \(name): \(SystemError("stat", code: errno))")
        }
        self.source = source
        self.name = name
        self.work = work
        size = Int(status.st_size)
        // Beside the programs: with prefix=/usr/local in /usr/local/share/paced.
        self.profile = profile ?? (Machine.programDirectory ?? "/usr/bin") + "/../share/paced/map"
        guard access(self.profile + "/process.lua", R_OK) == 0 else {
            throw .failed("there is no process.lua in \(self.profile): install paced, or name another --tilemaker-dir")
        }
        osmium = try Self.path(of: "osmium")
        tilemaker = try Self.path(of: "tilemaker")
    }

    /// The path of a program.
    private static func path(of program: String) throws(Failure) -> String {
        for directory in (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":") {
            let path = "\(directory)/\(program)"
            if access(path, X_OK) == 0 { return path }
        }
        throw .failed("this needs \(program): sudo apt install tilemaker osmium-tool")
    }

    /// What the import needs, as a text.
    var needs: String {
        "\((Self.memory.least + Self.memory.each * size) >> 20) MiB of memory and "
            + "\((Self.disk.least + Self.disk.each * size) >> 20) MiB of disk"
    }

    /// Refuses what would not fit, and says where it does.
    ///
    /// - Parameters:
    ///   - directory: where the map is.
    ///   - root: instead of `/`, for tests; nil to import in spite of little memory.
    func checkRoom(in directory: String, root: String?) throws(Failure) {
        if MemoryLayout<Int>.size < 8 { throw .failed("tilemaker needs a 64-bit system: \(Self.elsewhere)") }
        let memory = Self.memory.least + Self.memory.each * size
        if let root, let free = MemoryInformation.available(root: root), free < memory {
            throw .failed(
                "the import needs \(needs), and \(free >> 20) MiB of memory are free: \(Self.elsewhere), "
                    + "or insist with --force")
        }
        let volume: Volume
        do {
            volume = try Volume(of: directory)
        } catch {
            throw .failed("cannot examine \(directory): \(error)")
        }
        if volume.freeBytes < Self.disk.least + Self.disk.each * size {
            throw .failed(
                "the import needs \(needs), and \(volume.freeBytes >> 20) MiB of disk are free in \(directory): "
                    + Self.elsewhere)
        }
        // tilemaker writes files of 1 GB that are nearly empty.
        if volume.isFAT {
            throw .failed("\(directory) is on a FAT file system, where tilemaker's files take GBs: \(Self.elsewhere)")
        }
    }

    /// Makes the tiles. From here on the signals that end a program end osmium and tilemaker, and then throw.
    ///
    /// - Parameters:
    ///   - water: the directory of `water_polygons.shp`.
    ///   - start: called with about how long it will take.
    /// - Returns: the path of the tiles.
    mutating func make(water: String?, start: (Duration) throws(Failure) -> Void) throws(Failure) -> String {
        yieldToRuns()
        setenv("OSMIUM_POOL_THREADS", "1", 1)
        blockSignals(Self.signals)
        let numbered = work + "/numbered.osm.pbf"
        let began = Clock.now()
        try run([osmium, "renumber", "--no-progress", "-f", "pbf", "-o", numbered, source])
        let passed: Duration = Clock.now() - began
        try start(passed * Self.slowness)
        let extract = try withoutIncompleteWays(numbered)
        let box = try boundingBox(of: extract)
        // The profile has the path water/water_polygons.shp.
        if let water {
            guard symlink(water, work + "/water") == 0 else {
                throw .failed("cannot link \(water): \(SystemError("symlink", code: errno))")
            }
        }
        guard chdir(work) == 0 else { throw .failed("cannot enter \(work): \(SystemError("chdir", code: errno))") }
        var progress = MapProgress()
        defer { progress.end() }
        let tiles = work + "/tiles.mbtiles"
        try run(
            [
                tilemaker, "--bbox=\(box)", "--input", extract, "--output", tiles, "--config", profile + "/config.json",
                "--process", profile + "/process.lua", "--threads", "1", "--store", work + "/store",
            ]
        ) { progress.ingest($0) }
        hasCoast = progress.hasCoast
        return tiles
    }

    /// The extract, without the ways that lack nodes.
    private mutating func withoutIncompleteWays(_ extract: String) throws(Failure) -> String {
        var ways = IncompleteWays()
        // The status is 1 if something is missing.
        try run([osmium, "check-refs", "--no-progress", "-i", extract], allowing: 1) { ways.ingest($0) }
        leftOut = ways.numbers.count
        if ways.numbers.isEmpty { return extract }
        let (list, whole) = (work + "/incomplete", work + "/whole.osm.pbf")
        do {
            let text = ways.numbers.map { "w\($0)\n" }.joined()
            try FileDescriptor.open(list, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).write(text)
        } catch {
            throw .failed("cannot write \(list): \(error)")
        }
        try run([osmium, "removeid", "--no-progress", "-f", "pbf", "-i", list, "-o", whole, extract])
        return whole
    }

    /// `WEST,SOUTH,EAST,NORTH` in degrees, which tilemaker needs: that of the header, else that of the nodes, which may be
    /// far beyond it at the ends of ways.
    private func boundingBox(of extract: String) throws(Failure) -> String {
        for words in [["-g", "header.boxes", source], ["-e", "-g", "data.bbox", extract]] {
            var text = ""
            try run([osmium, "fileinfo", "--no-progress"] + words) { text += String(decoding: $0, as: UTF8.self) }
            let box = text.filter { !"()\n".contains($0) }
            if box.split(separator: ",").count == 4 { return box }
        }
        throw .failed("\(name) has no nodes")
    }

    /// Runs a program to its end.
    ///
    /// - Parameter status: an exit status that is no failure, besides 0.
    private func run(
        _ words: [String], allowing status: Int32 = 0, _ output: ([UInt8]) -> Void = { _ in }
    ) throws(Failure) {
        let program = words[0].split(separator: "/").last.map(String.init) ?? words[0]
        let ending: ChildProgram.Ending
        do {
            ending = try ChildProgram.run(words, within: Self.timeLimit, until: Self.signals, output)
        } catch {
            throw .failed("cannot run \(program): \(error)")
        }
        if ending.isStopped { throw .failed("stopped") }
        if ending.isLate { throw .failed("\(program) took longer than a day") }
        if ending.isSuccess || ending.status == status { return }
        let lines = ending.errors.split(separator: "\n").map(String.init)
        let isOutOfMemory = ["bad_alloc", "Cannot allocate"].contains { words in lines.contains { $0.has(words) } }
        if isOutOfMemory || ending.status == 128 + SIGKILL {
            throw .failed("\(program) had not enough memory: \(Self.elsewhere)")
        }
        let last = lines.last { !$0.isEmpty }.flatMap { SanitizedText.line($0, limit: 256) }
        throw .failed("\(program) cannot read \(name): \(last ?? "it ended with status \(ending.status ?? -1)")")
    }
}

/// The ways that `osmium check-refs -i` names, in lines such as `n14223 in w1`.
private struct IncompleteWays {
    private(set) var numbers: [Int] = []
    private var rest: [UInt8] = []

    mutating func ingest(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if rest.count < 64 { rest.append(byte) }
                continue
            }
            let words = String(decoding: rest, as: UTF8.self).split(separator: " ")
            rest.removeAll(keepingCapacity: true)
            // The nodes of a way follow one another.
            guard words.count == 3, words[2].first == "w", let number = Int(words[2].dropFirst()),
                number != numbers.last
            else { continue }
            numbers.append(number)
        }
    }
}
