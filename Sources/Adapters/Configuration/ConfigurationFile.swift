import CInih
import Domain
import Glibc
import Linux

/// A file of sections and assignments, as systemd's are: `[Section]`, `Key=value`, and comments in lines of their own.
///
/// What the keys mean is the daemon's business.
package enum ConfigurationFile {
    /// One assignment, with the line it stands in, from 1.
    package struct Assignment: Equatable, Sendable {
        package var line: Int
        package var section: String
        package var key: String
        package var value: String
    }

    /// Why a file cannot be read: one line that names the file, and the place in it.
    package struct Failure: Error, Equatable, Sendable {
        package var line: String
    }

    /// The file that is read where no option names another.
    package static let path = "/etc/paced/paced.conf"

    /// The largest file, in bytes.
    package static let sizeLimit = 64 * 1024

    /// Reads the whole file; nil where there is none.
    ///
    /// - Throws: ``Failure``; nothing of a bad file counts.
    package static func read(_ path: String) throws(Failure) -> [Assignment]? {
        let text: [UInt8]?
        do throws(SystemError) {
            text = try FileDescriptor.open(path, O_RDONLY).readAll(limit: sizeLimit)
        } catch {
            if error.code == ENOENT { return nil }
            throw Failure(line: "cannot read \(path): \(error)")
        }
        guard let text else { throw Failure(line: "\(path) has more than \(sizeLimit) bytes") }
        return try read(text, path: path)
    }

    /// Reads a file's text.
    package static func read(_ text: [UInt8], path: String) throws(Failure) -> [Assignment] {
        if let place = text.firstIndex(of: 0) {
            let line = text[..<place].count { $0 == UInt8(ascii: "\n") } + 1
            throw Failure(line: "\(path):\(line): there is a zero byte")
        }
        guard String(validating: text, as: UTF8.self) != nil else {
            throw Failure(line: "\(path) is no UTF-8 text")
        }
        var assignments: [Assignment] = []
        let bad = unsafe text.withUnsafeBytes { bytes in
            unsafe withUnsafeMutablePointer(to: &assignments) { list in
                unsafe cinih_read(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                    { list, line, section, key, value in
                        guard let list = unsafe list, let section = unsafe section, let key = unsafe key,
                            let value = unsafe value
                        else { return }
                        unsafe list.assumingMemoryBound(to: [Assignment].self).pointee.merge(
                            Assignment(
                                line: Int(line), section: unsafe String(cString: section),
                                key: unsafe String(cString: key), value: unsafe String(cString: value)))
                    }, list)
            }
        }
        switch bad {
        case 0: return assignments
        case 1...:
            throw Failure(
                line: "\(path):\(bad): there must be [Section], Key=value or # comment, in at most "
                    + "\(cinih_line_limit) bytes")
        default: throw Failure(line: "\(path): there is no memory to read it")
        }
    }
}

extension [ConfigurationFile.Assignment] {
    /// Appends the next assignment, or the next piece of the last one.
    fileprivate mutating func merge(_ next: ConfigurationFile.Assignment) {
        if let last = indices.last, self[last].line == next.line {
            self[last].value += next.value
        } else {
            append(next)
        }
    }
}
