import Domain
package import Linux

/// The file `straps.json` of the state directory, which holds a ``StrapStore``.
///
/// Reading and writing wait for the disk. It is read once, before the loop turns, and written when a strap is met for
/// the first time or pairs, or somebody says which strap is theirs. It holds keys, so nobody but the daemon's user may read it.
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

    /// Why there is no list, or a new one where there was one.
    package enum Failure: Equatable, Sendable {
        /// What it held was no list; it has now the name that is told, or nil where it could not be set aside.
        case damaged(setAside: String?)
        /// It cannot be read, and stands as it is.
        case unreadable(DirectoryError)
    }

    /// The list that was written last; an empty one where there is none, or none that can be read.
    package func read() -> (StrapStore, Failure?) {
        do throws(AtomicFile.Failure) {
            guard let text = try file.read(limit: StrapStore.lengthLimit) else { return (StrapStore(), nil) }
            if let list = StrapStore(text) { return (list, nil) }
        } catch {
            if case .directory(let error) = error { return (StrapStore(), .unreadable(error)) }
        }
        return (StrapStore(), .damaged(setAside: setAside()))
    }

    /// Keeps the last one that was damaged, for people to look into.
    private func setAside() -> String? {
        do {
            try file.rename(to: Self.name + ".damaged")
            return path + ".damaged"
        } catch {
            return nil
        }
    }

    /// - Throws: ``DirectoryError``; the list that was written before stays then.
    package func write(_ list: StrapStore) throws(DirectoryError) {
        try file.replace(with: list.text)
    }
}
