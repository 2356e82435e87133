import Domain
import Glibc

/// A new directory that only the user of this process may enter. Release removes it with its content.
package final class PrivateDirectory {
    package let path: String

    /// The beginning of the names of the directories of replays.
    package static let replayPrefix = "paced-replay-"

    /// The longest path of `$TMPDIR` with room for the path of a socket.
    private static let longestBase = 64

    /// Creates a directory in `$TMPDIR`, or in `/tmp` if that is unset or too long for the path of a socket.
    ///
    /// The corresponding C function is `mkdtemp`.
    package init(prefix: String) throws(SystemError) {
        let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let base = (1...Self.longestBase).contains(named.utf8.count) ? named : "/tmp"
        var template = Array("\(base)/\(prefix)XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes a directory with its content; a link is removed, not followed.
    package static func remove(_ path: String) {
        if let stream = unsafe opendir(path) {
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { place in
                    unsafe place.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                let inner = path + "/" + name
                var status = stat()
                guard unsafe lstat(inner, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { remove(inner) } else { unsafe _ = unlink(inner) }
            }
            unsafe closedir(stream)
        }
        unsafe _ = rmdir(path)
    }
}
