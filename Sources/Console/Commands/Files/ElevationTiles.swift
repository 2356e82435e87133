package import Domain
import Formats
import Glibc
import Linux

/// The `.hgt` files of this host: `$XDG_DATA_HOME/paced/dem`, by default `~/.local/share/paced/dem`, then
/// `/usr/share/paced/dem`.
package struct ElevationTiles {
    let directories: [String]

    /// - Parameter directories: nil for those of the host.
    package init(_ directories: [String]? = nil) {
        let data = environment("XDG_DATA_HOME") ?? environment("HOME").map { $0 + "/.local/share" }
        self.directories = directories ?? [data.map { $0 + "/paced/dem" }, "/usr/share/paced/dem"].compactMap(\.self)
    }

    /// The altitude of each vertex in metres. Nil if a tile is missing or an elevation in it unknown: a course has
    /// altitudes everywhere or nowhere.
    ///
    /// Reads only the elevations around the vertices.
    ///
    /// - Throws: ``Failure`` that names a file that cannot be read or is no tile.
    package func altitudes(of vertices: [CourseVertex]) throws(Failure) -> [Double]? {
        var altitudes: [Double] = []
        var open: OpenTile?
        for vertex in vertices {
            let tile = ElevationTile(at: vertex.coordinate)
            if open?.tile != tile { open = try OpenTile.find(tile, in: directories) }
            guard let altitude = try open?.altitude(at: vertex.coordinate) ?? nil else { return nil }
            altitudes.append(altitude)
        }
        return altitudes
    }
}

/// The file of a tile.
private struct OpenTile: ~Copyable {
    let tile: ElevationTile
    let path: String
    let file: FileDescriptor
    let side: Int

    /// Nil if no directory has the tile.
    static func find(_ tile: ElevationTile, in directories: [String]) throws(Failure) -> OpenTile? {
        for directory in directories {
            let path = directory + "/" + tile.fileName
            let file: FileDescriptor
            do throws(SystemError) {
                file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            } catch {
                if error.code == ENOENT || error.code == ENOTDIR { continue }
                throw .failed("cannot read \(path): \(error)")
            }
            var status = stat()
            let size = fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
            guard let side = ElevationTile.side(ofBytes: size) else {
                let sizes = ElevationTile.sides.map { "\(2 * $0 * $0)" }.joined(separator: " or ")
                throw .failed("\(path) has \(size) bytes, but a tile of elevations has \(sizes); replace or remove it")
            }
            return OpenTile(tile: tile, path: path, file: file, side: side)
        }
        return nil
    }

    func altitude(at coordinate: Coordinate) throws(Failure) -> Double? {
        do {
            return try tile.altitude(at: coordinate, side: side) { try file.read(atMost: 4, at: $0) }
        } catch {
            throw .failed("cannot read \(path): \(error)")
        }
    }
}
