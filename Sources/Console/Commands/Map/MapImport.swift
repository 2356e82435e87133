import Domain
import Glibc
import Linux
import SQLite
import Tiles

/// The import of one map: of an extract of OpenStreetMap, or of a finished file. The old map stays until ``replace()``.
///
/// All is written into a directory beside the map, which is removed at every end; what a power cut leaves is removed by the
/// next import.
final class MapImport {
    private let source: String
    private let name: String
    private let file: NewMapsFile
    /// The complete new map.
    private var new: String?
    private let work: String

    /// The number of ways that were left out.
    private(set) var leftOut = 0
    /// Whether the coast has no sea beside it but a band.
    private(set) var lacksSea = false

    var target: String { file.target }
    private var directory: String { String(target.dropLast(TileFile.fileName.count + 1)) }

    init(_ path: String, into directory: String) throws(Failure) {
        // tilemaker runs in another directory.
        name = SanitizedText.line(path, limit: 256) ?? ""
        guard let found = realpath(path, nil) else {
            throw .failed("cannot read \(name): \(SystemError("open", code: errno))")
        }
        defer { free(found) }
        source = String(cString: found)
        file = try NewMapsFile(TileFile.fileName, in: directory)
        work = file.target + ".work"
        removeWork()
        guard mkdir(work, 0o700) == 0 else {
            throw .failed("cannot make \(work): \(SystemError("mkdir", code: errno))")
        }
    }

    deinit { removeWork() }

    /// Takes a finished map.
    func take() throws(Failure) {
        let copy = work + "/tiles.mbtiles"
        do throws(SystemError) {
            let input = try FileDescriptor.open(source, O_RDONLY)
            let output = try FileDescriptor.open(copy, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
            var offset = 0
            while case let bytes = try input.read(atMost: 1 << 20, at: offset), !bytes.isEmpty {
                try output.write(bytes, at: offset)
                offset += bytes.count
            }
        } catch {
            throw .failed("cannot copy \(name): \(error); the old map is kept")
        }
        try check(copy)
    }

    /// Refuses an extract of which no map can be made here.
    func maker(_ options: MapOptions) throws(Failure) -> TileMaker {
        let maker = try TileMaker(source, named: name, in: work, profile: options.profile)
        try maker.checkRoom(in: directory, root: options.maps.isForced ? nil : options.maps.root)
        return maker
    }

    /// Makes the map of an extract.
    ///
    /// - Parameter start: called with about how long it will take.
    func make(_ maker: TileMaker, water: String?, start: (Duration) throws(Failure) -> Void) throws(Failure) {
        var maker = maker
        let tiles: String
        do throws(Failure) {
            tiles = try maker.make(water: water, start: start)
        } catch {
            throw .failed("\(error.message); the old map is kept")
        }
        try check(tiles)
        leftOut = maker.leftOut
        lacksSea = maker.hasCoast && water == nil
    }

    /// Refuses what the page does not draw.
    private func check(_ path: String) throws(Failure) {
        do {
            try TileFile(path).check()
            new = path
        } catch {
            throw .failed("\(name) gives no map that the page draws: \(error); the old map is kept")
        }
    }

    /// Replaces the old map by the new one.
    func replace() throws(Failure) {
        guard let new else { return }
        do {
            try file.replace(by: new)
        } catch {
            throw .failed("cannot write \(target): \(error); the old map is kept")
        }
    }

    private func removeWork() {
        for directory in [work + "/store", work] {
            for name in (try? names(in: directory)) ?? [] { unlink(directory + "/" + name) }
            rmdir(directory)
        }
    }
}
