import Domain
import Formats
import Glibc
import Gzip
import Import
import Linux

/// A file that the user names.
struct InputFile {
    let path: String

    /// The name, safe to print.
    var name: String {
        SanitizedText.line(path, limit: 256) ?? "the file without a name"
    }

    /// All bytes of the file, unpacked if it is compressed by gzip.
    ///
    /// - Throws: ``Failure`` if there are more than `limit`, or the file cannot be read.
    func bytes(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try read(
            { piece in
                guard bytes.count + piece.count <= limit else {
                    throw Failure.failed("\(name) has more than \(limit >> 20) MiB")
                }
                for index in piece.indices { bytes.append(piece[index]) }
            }, finish: {})
        return bytes
    }

    /// Reads the file in chunks from start to end, unpacked if it is compressed by gzip. May be called more than once.
    ///
    /// - Parameter finish: ends the reading; its errors are those of the file too.
    /// - Throws: ``Failure`` with the error and its place, or the other errors of the closures.
    func read<Result>(_ piece: (Span<UInt8>) throws -> Void, finish: () throws -> Result) throws -> Result {
        do {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            var status = stat()
            let isThere = fstat(file.number, &status) == 0
            if isThere, status.st_mode & S_IFMT == S_IFDIR {
                throw Failure.failed(
                    "cannot read \(name): it is a directory; name a file in it, or its files as \(name)/*")
            }
            guard isThere, status.st_mode & S_IFMT == S_IFREG else {
                throw Failure.failed(
                    "cannot read \(name): it must be a regular file, since it is read twice; save it to a file first"
                )
            }
            var gunzip: Gunzip?
            var isFirst = true
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while let count = try chunk.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                let bytes = chunk.span.extracting(0..<count)
                if isFirst, Gunzip.recognises(bytes) { gunzip = try Gunzip() }
                isFirst = false
                if gunzip == nil {
                    try piece(bytes)
                } else {
                    try gunzip?.feed(bytes, piece)
                }
            }
            return try finish()
        } catch let error as SystemError {
            throw Failure.failed("cannot read \(name): \(error)")
        } catch let error as FileError {
            throw Failure.failed("\(name): \(error)")
        }
    }
}
