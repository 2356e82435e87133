import Domain
import Glibc
import Linux
import MapStorage

/// The timetable of `transit.db`. It is opened again after an import has replaced the file.
struct TimetableFile {
    private struct Identity: Equatable {
        var device: dev_t
        var number: ino_t
    }

    private let directory: String
    private var opened: (identity: Identity, database: TransitDatabase)?

    init(in directory: String) {
        self.directory = directory
    }

    /// - Throws: ``MapsFailure`` if there is no timetable.
    mutating func open() throws(MapsFailure) -> TransitDatabase {
        // SQLite accepts a path without symbolic links only.
        let path = (try? Directory(directory).path) ?? directory
        var status = stat()
        guard stat(path + "/" + TransitDatabase.fileName, &status) == 0 else {
            opened = nil
            throw TransitDatabase.missing(in: path)
        }
        let identity = Identity(device: status.st_dev, number: status.st_ino)
        if let opened, opened.identity == identity { return opened.database }
        opened = nil
        let database = try TransitDatabase(in: path)
        opened = (identity, database)
        return database
    }

    /// Frees the memory of the timetable.
    mutating func close() {
        opened = nil
    }
}
