import Foundation

/// A checker of exported files in `Tests/Files`, a Python script that uses independent readers.
package struct Checker {
    private let python: String
    private let script: String

    /// Python with the readers is missing.
    package struct NoPython: Error, CustomStringConvertible {
        package var path: String
        package var description: String { "there is no \(path): run make .build/venv" }
    }

    /// - Parameter name: the script's name without its suffix.
    package init(_ name: String) throws {
        python = Checkout.python
        script = Checkout.path("Tests/Files/\(name).py")
        guard FileManager.default.isExecutableFile(atPath: python) else { throw NoPython(path: python) }
    }

    /// - Returns: its complaints, one on each line; empty if there are none.
    package func callAsFunction(_ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-B", script] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self)
        return process.terminationStatus == 0 || !text.isEmpty ? text : "status \(process.terminationStatus)"
    }
}
