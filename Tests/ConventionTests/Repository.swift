import Foundation

/// The files of this repository, by paths from its root.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files below `folder` with this suffix, sorted.
    static func files(in folder: String, _ ending: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return names.filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
    }

    /// The files of the repository with this suffix, without build products.
    static func files(_ ending: String) throws -> [String] {
        try folders(in: ".").filter { !$0.hasPrefix(".") }.flatMap { try files(in: $0, ending) }
    }

    /// The names of the folders in `folder`, sorted.
    static func folders(in folder: String) throws -> [String] {
        let url = root.appendingPathComponent(folder)
        return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent).sorted()
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The lines of a source file without its comment lines.
    static func code(of path: String) throws -> [Substring] {
        try text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
    }

    /// Runs a program in the root; returns standard output with standard error, and the exit status.
    static func run(_ program: String, _ arguments: [String]) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Its messages are compared with English ones.
        process.arguments = ["LC_ALL=C", program] + arguments
        process.currentDirectoryURL = root
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }
}
