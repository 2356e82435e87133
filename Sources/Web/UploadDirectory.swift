import Domain
import Glibc
package import HTTPServer
package import Linux

/// A directory with one received file, whose name tells `pacectl` its format. It ends with this object.
package final class UploadDirectory {
    private static let prefix = "paced-upload-"

    package let path: String
    private let directory: String
    /// Its lock says that a process uses the directory.
    private let lock: FileDescriptor

    /// Creates the directory.
    ///
    /// The corresponding C functions are `mkdtemp` and `flock`.
    package init(in parent: String, name: String) throws(SystemError) {
        var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.directory = directory
        path = directory + "/" + name
        do throws(SystemError) {
            lock = try .open(directory, O_RDONLY | O_DIRECTORY)
        } catch {
            rmdir(directory)
            throw error
        }
        flock(lock.number, LOCK_SH)
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }

    /// Creates the file.
    package func makeFile() throws(SystemError) -> HTTPBodyFile {
        HTTPBodyFile(try .open(path, O_WRONLY | O_CREAT | O_EXCL))
    }

    /// What `pacectl` prints, as one line with the name of the file alone.
    func message(_ text: String) -> String {
        let lines = text.split(separator: "\n" as Character).map { line in
            line.hasPrefix(path) ? path.dropFirst(directory.count + 1) + line.dropFirst(path.count) : line
        }
        return SanitizedText.line(lines.joined(separator: "; "), limit: 4096) ?? ""
    }

    /// Removes the directories that killed processes of this user have left.
    package static func removeAbandoned(in parent: String) {
        for name in (try? names(in: parent, limit: 65_536)) ?? [] where name.hasPrefix(prefix) {
            let path = parent + "/" + name
            guard let lock = try? FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                flock(lock.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            for file in (try? names(in: path)) ?? [] { unlink(path + "/" + file) }
            rmdir(path)
        }
    }
}
