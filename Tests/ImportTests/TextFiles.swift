import Domain
import Formats
import Foundation
import Import
import TestKit
import Testing

/// A file read by our importer.
struct ReadFile {
    var recording: Domain.RecordedActivity
    var rows: [RecordingRow]
    var skipped: SkippedElements
    var activities = 1
    var damage: FileError?

    /// - Parameters:
    ///   - pieces: the number of bytes per call of the reader.
    ///   - salvages: whether a broken file is read up to the break.
    ///   - activity: the number of the activity in the file, from 0; nil for the file as one activity.
    init(_ bytes: [UInt8], pieces: Int = 65_536, salvages: Bool = false, activity: Int? = 0) throws {
        var contents = FileContents()
        try contents.feed(bytes.span)
        let plans = contents.plans(splits: activity != nil)
        let plan = plans.isEmpty ? nil : plans[activity ?? 0]
        var reader = FileImport(salvages: salvages, plan: plan, activity: activity)
        var rows: [RecordingRow] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try reader.feed(bytes[start..<min(start + pieces, bytes.count)].span) { rows.append($0) }
        }
        let imported = try reader.finish { rows.append($0) }
        recording = imported.recording
        skipped = imported.skipped
        damage = imported.damage
        activities = imported.activities
        self.rows = rows
    }

    init(_ text: String) throws {
        try self.init(Array(text.utf8))
    }

    var samples: [RecordingSample] { rows.samples }
}

extension [RecordingRow] {
    var samples: [RecordingSample] {
        compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    var turns: (pauses: Int, laps: Int) {
        var pauses = -1
        var laps = 0
        for row in self {
            if case .begin = row { pauses += 1 }
            if case .lap = row { laps += 1 }
        }
        return (pauses, laps)
    }
}

/// An exported recording, and what the format could not hold.
struct WrittenFile {
    var bytes: [UInt8] = []
    var loss = ExportLoss()

    init(_ format: ExportFormat, _ recording: Domain.RecordedActivity, _ rows: [RecordingRow]) throws {
        var bytes: [UInt8] = []
        let origin = ExportMetadata(serialNumber: 3_123_456_789)
        loss = try format.write(recording, rows: RowList(rows), origin: origin) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        self.bytes = bytes
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension SyntheticRecording {
    /// A run whose rows also have power and temperature, for some seconds.
    static func withEverything(seed: UInt64) throws -> (recording: Domain.RecordedActivity, rows: [RecordingRow]) {
        let made = try run(seed: seed)
        var recording = made.recording
        recording.name = SanitizedText(#"Mörgen <run> & "more" 'ü'"#)
        let rows = made.rows.map { row -> RecordingRow in
            guard case .sample(var sample) = row, !sample.at.isMultiple(of: 7) else { return row }
            sample.power = Int(sample.at / 1000 % 300)
            sample.temperature = -3
            if sample.at.isMultiple(of: 5) { sample.heartRate = nil }
            return .sample(sample)
        }
        return (recording, rows)
    }
}

extension ReferenceFile {
    var isTCX: Bool { name.contains(".tcx") }
}

/// A program that the tests run.
enum Tool {
    struct Failure: Error {
        var words: [String]
        var status: Int32
        var output: String
    }

    @discardableResult
    static func run(_ words: String...) throws -> (output: [UInt8], errors: String) {
        try run(words)
    }

    static func run(_ words: [String]) throws -> (output: [UInt8], errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let output = Pipe()
        // Errors go to a file: two pipes could deadlock.
        let directory = TemporaryDirectory()
        try Data().write(to: URL(filePath: directory("errors")))
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(filePath: directory("errors")))
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        let errors = String(decoding: try Data(contentsOf: URL(filePath: directory("errors"))), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw Failure(words: words, status: process.terminationStatus, output: errors)
        }
        return (bytes, errors)
    }
}
