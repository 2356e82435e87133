import Domain
package import Linux

/// The file `straps.json` of the state directory, which holds a ``StrapStore``.
///
/// Reading and writing wait for the disk. It is read once, before the loop starts, and written when a strap sends
/// its first beat or pairs, or when the user chooses a strap. It holds keys, so only the daemon's user may read it.
package struct StrapStoreFile: Equatable, Sendable {
    private let file: AtomicFile

    /// - Parameter directory: the state directory.
    package init(in directory: String) {
        file = AtomicFile(in: directory, name: Self.name, mode: Self.mode)
    }

    package static let name = "straps.json"
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

    /// Reads the last written list. The list is empty if the file is missing or unreadable.
    package func read() -> (StrapStore, Failure?) {
        do throws(AtomicFile.Failure) {
            guard let text = try file.read(limit: StrapStore.lengthLimit) else { return (StrapStore(), nil) }
            if let list = StrapStore(text) { return (list, nil) }
        } catch {
            if case .directory(let error) = error { return (StrapStore(), .unreadable(error)) }
        }
        return (StrapStore(), .damaged(setAside: setAside()))
    }

    /// Renames the damaged file for inspection, replacing an earlier one.
    private func setAside() -> String? {
        do {
            try file.rename(to: Self.name + ".damaged")
            return path + ".damaged"
        } catch {
            return nil
        }
    }

    /// - Throws: ``DirectoryError``. The previous file is kept then.
    package func write(_ list: StrapStore) throws(DirectoryError) {
        try file.replace(with: list.text)
    }
}
