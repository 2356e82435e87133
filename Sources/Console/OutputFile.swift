import Domain
import Glibc
import Linux

/// A file that a command writes.
struct OutputFile {
    let path: String
    private let directory: String
    private let name: String
    private let replaces: Bool

    /// - Throws: ``Failure`` if the file exists already and is not to be replaced.
    init(_ path: String, replaces: Bool) throws(Failure) {
        self.path = path
        self.replaces = replaces
        let slash = path.lastIndex(of: "/")
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        if name.isEmpty || !replaces && lstat(path, &status) == 0 { throw alreadyExists }
    }

    private var alreadyExists: Failure {
        .failed(
            "\(SanitizedText.line(path, limit: 256) ?? path) exists already; name another file with -o, "
                + "or replace it with --force"
        )
    }

    /// Writes the file atomically.
    func write<Result>(_ body: ((Span<UInt8>) throws -> Void) throws -> Result) throws -> Result {
        do {
            var file = try AtomicFileWriter(in: directory, name: name)
            let result = try body { try file.write($0) }
            guard try file.finish(as: name, replacing: replaces) else { throw alreadyExists }
            return result
        } catch let error as SystemError {
            throw Failure.failed("cannot write \(SanitizedText.line(path, limit: 256) ?? path): \(error)")
        }
    }
}
