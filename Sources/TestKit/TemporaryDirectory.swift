import Foundation
package import Linux

/// A new directory with a path short enough for sockets. The deinitialiser removes it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(in parent: String = "/tmp") {
        var template = Array("\(parent)/paced-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("mkdtemp in \(parent): errno \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func callAsFunction(_ name: String) -> String {
        path + "/" + name
    }
}

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
