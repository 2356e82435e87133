package import Foundation

/// A file of another author, from `Tests/Data` or from `../shared/data`.
///
/// The second is a collection beside the project, whose licences forbid copies in it. It has the
/// same folders, and may be missing: every test that uses files of others finds some in `Tests/Data`.
package struct ReferenceFile: CustomStringConvertible, Sendable {
    package let url: URL

    package var name: String { url.lastPathComponent }
    package var description: String { name }

    private static let tree = Checkout.root.appending(path: "Tests/Data")
    package static let collection = Checkout.root.deletingLastPathComponent().appending(path: "shared/data")

    /// The files of a folder with one of the suffixes, compressed or not, by name: those of
    /// `Tests/Data`, then those that only the collection has.
    package static func all(in folder: String, _ suffixes: String...) -> [ReferenceFile] {
        var names: Set<String> = []
        return [tree, collection].flatMap { root in
            let folder = root.appending(path: folder)
            let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return found.sorted()
                .filter { name in suffixes.contains { name.hasSuffix($0) || name.hasSuffix($0 + ".gz") } }
                .filter { names.insert($0).inserted }
                .map { ReferenceFile(url: folder.appending(path: $0)) }
        }
    }

    /// The recordings of a folder: without those whose points all have one time, of 1901.
    package static func recordings(in folder: String, _ suffixes: String...) -> [ReferenceFile] {
        suffixes.flatMap { all(in: folder, $0) }.filter { $0.name != "gpxpy-Mojstrovka-hike.gpx" }
    }

    /// Whether the project itself has this file.
    package var isInTree: Bool { url.path.hasPrefix(Self.tree.path + "/") }

    package var isCompressed: Bool { name.hasSuffix(".gz") }

    /// The content, decompressed.
    package func bytes() throws -> [UInt8] {
        guard isCompressed else { return [UInt8](try Data(contentsOf: url)) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gunzip", "-c", url.path]
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
        return bytes
    }
}
