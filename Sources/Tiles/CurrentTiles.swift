import Glibc
package import SQLite

/// The map at a path, which an import may replace or remove at any time: the file that is open stays whole, because a
/// replacement is another file.
package final class CurrentTiles {
    private let path: String
    private var file: TileFile?
    private var identity: Identity?

    private struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
        var changed: Int64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
            changed = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        }
    }

    package init(_ path: String) {
        self.path = path
    }

    /// The map that is there now, opened anew if it is another one; nil without one.
    ///
    /// - Throws: ``SQLiteError`` if the file there is no map that the page draws.
    package func refreshed() throws(SQLiteError) -> (file: TileFile, version: String)? {
        let present = Identity(path)
        if present != identity {
            file = nil
            identity = present
            if present != nil { file = try TileFile(path) }
        }
        guard let file, let present else { return nil }
        return (file, "\(present.changed)-\(present.number)")
    }

    /// A tile of the map as it was at the last ``refreshed()``; nil if it has none there.
    package func content(of tile: TileFile.Tile) -> TileFile.Content? {
        // A page may go on after a restart of the server.
        if identity == nil { _ = try? refreshed() }
        return file?.content(of: tile)
    }
}
