import Domain
import Glibc
import HTTPServer
import Linux

/// A directory with one received file, whose name tells `pacectl` its format.
struct UploadDirectory {
    let path: String
    private let directory: String

    /// Copies the file, which has no name yet.
    ///
    /// The corresponding C functions are `mkdtemp` and `linkat`.
    init(in parent: String, _ file: HTTPBodyFile, name: String) throws(SystemError) {
        var template = Array("\(parent)/upload-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/" + name
        do throws(SystemError) {
            let copy = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
            var place = 0
            while place < file.size {
                let piece = try file.file.read(atMost: 65_536, at: place)
                guard !piece.isEmpty else { throw SystemError("read", code: EIO) }
                try copy.write(piece, at: place)
                place += piece.count
            }
        } catch {
            remove()
            throw error
        }
    }

    /// What `pacectl` prints, as one line with the name of the file alone.
    func message(_ text: String) -> String {
        let lines = text.split(separator: "\n" as Character).map { line in
            line.hasPrefix(path) ? path.dropFirst(directory.count + 1) + line.dropFirst(path.count) : line
        }
        return SanitizedText.line(lines.joined(separator: "; "), limit: 4096) ?? ""
    }

    func remove() {
        unlink(path)
        rmdir(directory)
    }
}
