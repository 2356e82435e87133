package import Linux

extension UnixSocket {
    /// Listens at a path. Does not check who can write to its directory.
    package static func listen(at path: String, kind: Kind = .stream) throws(SystemError) -> FileDescriptor {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do throws(DirectoryError) {
            return try listen(at: path, in: Directory(parent), kind: kind)
        } catch {
            if case .system(let error) = error.problem { throw error }
            fatalError("\(error)")
        }
    }
}
