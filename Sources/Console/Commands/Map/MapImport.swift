import Domain
import Glibc
import Linux
import SQLite
import Tiles

/// The import of one map: of an extract by osmium and tilemaker, or of a finished file.
///
///     EXTRACT ──▶ osmium renumber ──▶ tilemaker ──▶ check ──▶ rename to map.mbtiles
///     MBTILES ──▶ copy ───────────────────────────▶ check ──▶ rename to map.mbtiles
///
/// All is written in a new directory beside the map, which is removed at every end; what a power cut leaves is removed by the
/// next import.
final class MapImport {
    /// Bytes of memory and of disk that tilemaker needs at least, and for each byte of an extract.
    ///
    /// Source: measured with tilemaker 2.2.0 and extracts of 0.6 to 31 MB.
    private static let memory = (least: 150 << 20, each: 4)
    private static let disk = (least: 100 << 20, each: 10)
    /// Renumbering takes seconds, tiles of a large extract on a small board hours.
    private static let timeLimit = Duration.seconds(24 * 3600)
    private let source: String
    private let name: String
    private let file: NewMapsFile
    /// Whether the coast has no sea beside it but a band.
    private(set) var lacksSea = false

    var target: String { file.target }
    private var work: String { target + ".work" }

    init(_ path: String, into directory: String) throws(Failure) {
        // A leading dash would be an option of osmium.
        source = path.hasPrefix("-") ? "./" + path : path
        name = SanitizedText.line(path, limit: 256) ?? ""
        file = try NewMapsFile(TileFile.fileName, in: directory)
        removeWork()
    }

    deinit { removeWork() }

    // MARK: A finished map

    /// Takes a finished map.
    func take() throws(Failure) {
        try makeWork()
        let copy = work + "/" + TileFile.fileName
        do throws(SystemError) {
            let input = try FileDescriptor.open(source, O_RDONLY)
            let output = try FileDescriptor.open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            while true {
                let bytes = try input.read(atMost: 1 << 16)
                if bytes.isEmpty { break }
                try output.write(bytes)
            }
        } catch {
            throw .failed("cannot copy \(name): \(error); the old map is kept")
        }
        try replace(by: copy)
    }

    // MARK: An extract

    /// Makes the map of an extract.
    func make(_ options: MapOptions) throws(Failure) {
        try check(options)
        try makeWork()
        let programs = (try Self.path(of: "osmium"), try Self.path(of: "tilemaker"))
        yieldToRuns()
        setenv("OSMIUM_POOL_THREADS", "1", 1)
        for signal in Self.signals { blockSignals([signal]) }
        let extract = work + "/extract.osm.pbf"
        try run("osmium", [programs.0, "renumber", "--no-progress", "-f", "pbf", "-o", extract, source]) { _ in }
        let made = work + "/" + TileFile.fileName
        var progress = MapProgress()
        defer { progress.end() }
        try run(
            "tilemaker",
            [
                programs.1, "--input", extract, "--output", made, "--config", Self.share + "/config.json", "--process",
                Self.share + "/process.lua", "--threads", "1", "--store", work + "/store",
            ]
        ) { progress.ingest($0) }
        lacksSea = progress.hasCoast
        try replace(by: made)
    }

    /// Refuses what would not fit, and says where it does.
    private func check(_ options: MapOptions) throws(Failure) {
        var status = stat()
        guard stat(source, &status) == 0 else {
            throw .failed("cannot read \(name): \(SystemError("stat", code: errno))")
        }
        let elsewhere = "import on a larger computer and copy \(TileFile.fileName), or take a smaller extract"
        if MemoryLayout<Int>.size < 8 { throw .failed("tilemaker needs a 64-bit system: \(elsewhere)") }
        let size = Int(status.st_size)
        let memory = Self.memory.least + Self.memory.each * size
        if !options.isForced, let free = MemoryInformation.available(root: options.root), free < memory {
            throw .failed(
                "the import of \(size >> 20) MiB needs \(memory >> 20) MiB of memory, and \(free >> 20) MiB are free: "
                    + "\(elsewhere), or insist with --force")
        }
        var volume = statfs()
        let directory = String(target.prefix(upTo: target.lastIndex(of: "/") ?? target.startIndex))
        guard statfs(directory, &volume) == 0 else {
            throw .failed("cannot examine \(directory): \(SystemError("statfs", code: errno))")
        }
        let disk = Self.disk.least + Self.disk.each * size
        let free = Int(volume.f_bavail) * Int(volume.f_bsize)
        if free < disk {
            throw .failed(
                "the import needs \(disk >> 20) MiB of disk in \(directory), and \(free >> 20) MiB are free: \(elsewhere)")
        }
        // MSDOS_SUPER_MAGIC and EXFAT_SUPER_MAGIC of linux/magic.h.
        if [0x4D44, 0x2011_BAB0].contains(Int(volume.f_type)) {
            throw .failed("\(directory) is on a FAT file system, which has no sparse files: \(elsewhere)")
        }
    }

    /// The signals that end an import.
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs a program to its end.
    private func run(_ program: String, _ words: [String], _ output: ([UInt8]) -> Void) throws(Failure) {
        let ending: ChildProgram.Ending
        do {
            ending = try ChildProgram.run(words, within: Self.timeLimit, until: Self.signals, output)
        } catch {
            throw .failed("cannot start \(program): \(error); the old map is kept")
        }
        if ending.isStopped { throw .failed("stopped; the old map is kept") }
        guard !ending.isSuccess else { return }
        let lines = ending.errors.split(separator: "\n").suffix(20)
        let words = lines.joined(separator: " ")
        if words.contains("bad_alloc") || words.contains("Cannot allocate") {
            throw .failed("not enough memory: import on a larger computer and copy map.mbtiles; the old map is kept")
        }
        let last = lines.last.flatMap { SanitizedText.line(String($0), limit: 256) } ?? "it was killed"
        throw .failed("\(program) cannot read \(name): \(last); the old map is kept")
    }

    /// The path of a program.
    private static func path(of program: String) throws(Failure) -> String {
        for directory in (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":") {
            let path = "\(directory)/\(program)"
            if access(path, X_OK) == 0 { return path }
        }
        throw .failed("this needs \(program): sudo apt install tilemaker osmium-tool")
    }

    /// The directory of the profile of tilemaker, beside the programs: with prefix=/usr/local in /usr/local/share/paced.
    private static var share: String {
        (Machine.programDirectory ?? "/usr/bin") + "/../share/paced/map"
    }

    // MARK: The end

    /// Checks a new map, and replaces the old one by it.
    private func replace(by path: String) throws(Failure) {
        do {
            let new = try TileFile(path)
            try new.check()
            try file.replace(by: path)
        } catch {
            throw .failed("\(name) gives no map that the page draws: \(error); the old map is kept")
        }
    }

    private func makeWork() throws(Failure) {
        guard mkdir(work, 0o700) == 0 else {
            throw .failed("cannot make \(work): \(SystemError("mkdir", code: errno))")
        }
    }

    private func removeWork() {
        for directory in [work + "/store", work] {
            guard let list = opendir(directory) else { continue }
            defer { closedir(list) }
            while let entry = readdir(list) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                if name != ".", name != ".." { unlink(directory + "/" + name) }
            }
            rmdir(directory)
        }
    }
}
