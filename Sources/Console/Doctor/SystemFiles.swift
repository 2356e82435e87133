import Domain
import Glibc
import Linux

/// Reads the system's files in /sys, /proc and /etc, or in a file tree that replaces them for tests.
struct SystemFiles {
    /// Empty for the real system.
    let root: String

    /// The largest file that is read, in bytes.
    private static let limit = 64 * 1024

    /// The text of a small file without trailing newlines; nil if it cannot be read.
    func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(root + path, O_RDONLY | O_NONBLOCK) else { return nil }
        var text = file.readText(limit: Self.limit)
        while let last = text.unicodeScalars.last, last == "\n" || last == "\0" { text.unicodeScalars.removeLast() }
        return text
    }

    /// The lines of a text file; empty if it cannot be read.
    func lines(_ path: String) -> [Substring] {
        (text(path) ?? "").split(whereSeparator: \.isNewline)
    }

    func names(_ path: String) -> [String] {
        (try? Linux.names(in: root + path, limit: 4096)) ?? []
    }

    func exists(_ path: String) -> Bool {
        access(root + path, F_OK) == 0
    }

    /// Resolves links of a path, relative to the root.
    func destination(_ path: String) -> String? {
        guard let found = realpath(root + path, nil) else { return nil }
        defer { free(found) }
        guard let base = realpath(root.isEmpty ? "/" : root, nil) else { return nil }
        defer { free(base) }
        let (place, start) = (String(cString: found), String(cString: base))
        if start == "/" { return place }
        return place.hasPrefix(start) ? String(place.dropFirst(start.count)) : nil
    }

    /// Parses a file of shell assignments such as /etc/default/gpsd, and removes quotes.
    func assignments(_ path: String) -> [String: String] {
        var assignments: [String: String] = [:]
        for line in lines(path) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].hasPrefix("#") else { continue }
            assignments[String(parts[0])] = String(parts[1].filter { $0 != "\"" && $0 != "'" })
        }
        return assignments
    }

    /// The processes with this name.
    func processes(named name: String) -> [Int] {
        names("/proc").compactMap { Int($0) }.filter { text("/proc/\($0)/comm") == name }
    }

    /// A group of /etc/group: its number and its members.
    func group(_ name: String) -> (number: UInt32, members: [Substring])? {
        for line in lines("/etc/group") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 4, fields[0] == name, let number = UInt32(fields[2]) {
                return (number, fields[3].split(separator: ","))
            }
        }
        return nil
    }

    /// The first user in /etc/passwd that matches.
    func user(where isMeant: (_ name: Substring, _ number: UInt32) -> Bool) -> (number: UInt32, name: Substring)? {
        for line in lines("/etc/passwd") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count >= 3, let number = UInt32(fields[2]), isMeant(fields[0], number) {
                return (number, fields[0])
            }
        }
        return nil
    }
}
