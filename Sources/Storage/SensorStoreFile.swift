import Domain
package import Linux

/// The file `sensors.json` of the state directory, which holds a ``SensorStore``.
///
/// Reading and writing wait for the disk. It is read once, before the loop starts, and written when a sensor sends its
/// first measurement or pairs, or when the user forgets one. It holds keys, so only the daemon's user may read it.
package struct SensorStoreFile: Equatable, Sendable {
    private let file: AtomicFile
    /// The file of release 0.1.0.
    private let former: AtomicFile

    /// - Parameter directory: the state directory.
    package init(in directory: String) {
        file = AtomicFile(in: directory, name: Self.name, mode: Self.mode)
        former = AtomicFile(in: directory, name: Self.formerName, mode: Self.mode)
    }

    package static let name = "sensors.json"
    package static let formerName = "straps.json"
    private static let mode: UInt32 = 0o600

    package var path: String {
        file.path
    }

    /// Why no list could be read.
    package enum Failure: Equatable, Sendable {
        /// The file held no valid list. It was renamed to the given path; nil if that failed.
        case damaged(setAside: String?)
        /// The file could not be read. It is left unchanged.
        case unreadable(DirectoryError)
    }

    /// Renames the file of release 0.1.0 if there is no newer one. The directory must be locked.
    package func adoptFormerFile() throws(DirectoryError) {
        guard case .success(nil) = Self.text(of: file), case .success(.some) = Self.text(of: former) else { return }
        try former.rename(to: Self.name)
    }

    /// Reads the last written list, or that of release 0.1.0 if it was not renamed. The list is empty if the file is
    /// missing or unreadable.
    package func read() -> (SensorStore, Failure?) {
        for file in [file, former] {
            switch Self.text(of: file) {
            case .success(nil): continue
            case .failure(.directory(let error)): return (SensorStore(), .unreadable(error))
            case .success(let text?):
                if let list = SensorStore(text) { return (list, nil) }
            case .failure(.tooLong): break
            }
            return (SensorStore(), .damaged(setAside: setAside(file)))
        }
        return (SensorStore(), nil)
    }

    private static func text(of file: AtomicFile) -> Result<[UInt8]?, AtomicFile.Failure> {
        Result { () throws(AtomicFile.Failure) in try file.read(limit: SensorStore.lengthLimit) }
    }

    /// Renames the damaged file for inspection, replacing an earlier one.
    private func setAside(_ damaged: AtomicFile) -> String? {
        do {
            try damaged.rename(to: Self.name + ".damaged")
            return path + ".damaged"
        } catch {
            return nil
        }
    }

    /// Replaces the file, then removes that of release 0.1.0.
    ///
    /// - Throws: ``DirectoryError``. The previous file is kept then.
    package func write(_ list: SensorStore) throws(DirectoryError) {
        try file.replace(with: list.text)
        try former.remove()
    }
}
