import Domain
import Glibc

/// A file in the syntax of systemd's files: `[Section]`, `Key=value`, and lines that are comments.
///
/// Source: systemd.syntax(7).
package enum ConfigurationFile {
    /// An assignment, with its file and the number of its line, from 1.
    package struct Assignment: Equatable, Sendable {
        package var path: String
        package var line: Int
        package var section: String
        package var key: String
        package var value: String

        package init(path: String, line: Int, section: String, key: String, value: String) {
            self.path = path
            self.line = line
            self.section = section
            self.key = key
            self.value = value
        }
    }

    /// The reason why a file cannot be read: one line that names the file and the line in it.
    package struct Failure: Error, Equatable, Sendable {
        package var line: String

        package init(line: String) {
            self.line = line
        }
    }

    /// The default file.
    package static let path = "/etc/paced/paced.conf"

    /// The largest file, in bytes.
    package static let sizeLimit = 64 * 1024

    /// Reads a file, then its drop-ins: the files `*.conf` in the directory of its name with `.d`, in the order of their names. Nil
    /// if there is none of them.
    ///
    /// - Throws: ``Failure`` if any of their lines is invalid.
    package static func read(_ path: String) throws(Failure) -> [Assignment]? {
        var assignments = try readFile(path)
        for name in (try? names(in: path + ".d")) ?? [] where name.hasSuffix(".conf") {
            guard let more = try readFile("\(path).d/\(name)") else { continue }
            assignments = (assignments ?? []) + more
        }
        return assignments
    }

    private static func readFile(_ path: String) throws(Failure) -> [Assignment]? {
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
    ///
    /// A line is `[Section]`, `Key=value`, a comment after `#` or `;`, or blank. Blanks around keys and values do not count. As in
    /// earlier releases a colon can replace the equals sign, and text after `]` is ignored.
    ///
    /// - Throws: ``Failure``, which names the first bad line.
    package static func read(_ text: [UInt8], path: String) throws(Failure) -> [Assignment] {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw Failure(line: "\(path) is not UTF-8 text")
        }
        var assignments: [Assignment] = []
        var section = ""
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
        let lines = content.split(separator: newline, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
            if line.contains(0) { throw Failure(line: "\(path):\(index + 1): the line contains a zero byte") }
            if first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) {
                section = String(decoding: line[..<end].dropFirst(), as: UTF8.self)
            } else if first != UInt8(ascii: "["),
                let mark = line.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") })
            {
                assignments.append(
                    Assignment(
                        path: path, line: index + 1, section: section,
                        key: String(decoding: trimmed(line[..<mark]), as: UTF8.self),
                        value: String(decoding: trimmed(line[(mark + 1)...]), as: UTF8.self)))
            } else {
                throw Failure(line: "\(path):\(index + 1): expected [Section], Key=value or # comment")
            }
        }
        return assignments
    }

    private static let newline = UInt8(ascii: "\n")

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return text[first...last]
    }
}
