import Domain
import Foundation
import Glibc
import Linux
import TestKit

/// `JournalProcess`, which records to a temporary directory in real time, and its output.
final class RecordingProcess {
    let directory = TemporaryDirectory()
    private(set) var lines: [Substring] = []
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let faultPath: String
    private var rest: [UInt8] = []

    /// - Parameter disk: the library that makes its disk fail (``Faults``). Nil for none.
    init(steps: Int, stepMilliseconds: Int, disk: String? = nil) throws {
        faultPath = directory.path + "/fault"
        process.executableURL = URL(fileURLWithPath: try String.programs() + "/JournalProcess")
        process.arguments = ["live", directory.path, "\(steps)", "\(stepMilliseconds)", "1"]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["DISK_FAULT": faultPath, "LD_PRELOAD": disk ?? ""]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    func setFault(_ words: String) throws {
        try words.write(toFile: faultPath, atomically: true, encoding: .utf8)
    }

    /// Reads its output for a time, or until a line starts with `prefix`, or until it ends.
    ///
    /// - Returns: Whether such a line was found.
    @discardableResult
    func listen(_ limit: Duration, until prefix: String? = nil) -> Bool {
        let heard = lines.count
        let deadline = ContinuousClock.now + limit
        let number = output.fileHandleForReading.fileDescriptor
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let prefix, lines[heard...].contains(where: { $0.hasPrefix(prefix) }) { return true }
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&ready, 1, Int32(left) + 1) > 0 else { return false }
            let count = read(number, &buffer, buffer.count)
            guard count > 0 else { return false }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Substring(String(decoding: rest[..<end], as: UTF8.self)))
                rest.removeSubrange(...end)
            }
        }
    }

    /// Sends SIGKILL and returns the time. All earlier output is read.
    @discardableResult
    func kill() -> Instant {
        let now = Clock.now()
        if process.isRunning {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        listen(.seconds(1))
        return now
    }

    /// Makes the process end the run and exit.
    func end(within limit: Duration = .seconds(20)) -> [Substring]? {
        try? input.fileHandleForWriting.close()
        guard listen(limit, until: "end ") else { return nil }
        process.waitUntilExit()
        return lines.last { $0.hasPrefix("end ") }?.split(separator: " ")
    }

    /// The times of its steps.
    var steps: [Instant] {
        lines.filter { $0.hasPrefix("step ") }.map { Instant(nanoseconds: Int64($0.split(separator: " ")[2]) ?? 0) }
    }
}

extension String {
    /// The directory of the programs of this build, beside the tests.
    static func programs() throws -> String {
        var directory = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        // A test runner of the toolchain loads the tests as a library.
        if !FileManager.default.fileExists(atPath: directory.deletingLastPathComponent().path + "/JournalProcess") {
            directory = URL(fileURLWithPath: Bundle(for: RecordingProcess.self).bundlePath)
        }
        return directory.deletingLastPathComponent().path
    }
}

/// Tests/Faults/disk.c, compiled.
enum Faults {
    struct Failure: Error {}

    static func build(in directory: String) throws -> String {
        let library = directory + "/disk.so"
        let source = Checkout.path("Tests/Faults/disk.c")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return library
    }
}
