package import Domain

/// Reads a FIT file in pieces: parses messages, and passes on the rows and the header of an activity.
///
///     header size ─────▶ header ──▶ ┌▶ first byte ──▶ definition ─┐
///          ▲                        │      │  └─────▶ data ───────┤
///          │                        └──────┼──────────────────────┘
///          └──────── checksum ◀────────────┘ end of the data
///
/// A file may hold several FIT files. The first activity is imported, the others are counted.
///
/// Source: Garmin FIT SDK, FIT protocol.
package struct FitReader {
    /// The largest number of messages: weeks of an activity. More is an error.
    package static let messageLimit = 1 << 23

    private enum Part {
        case headerSize, header, first, definition, data, checksum
    }

    private var part = Part.headerSize
    /// The received bytes of the part, and its size.
    private var bytes: [UInt8] = []
    private var size = 1
    /// The offset of the next byte.
    private var offset = 0
    /// The offset after the messages of this FIT file.
    private var end = 0
    private var checksum = Fit.Checksum()
    private var definitions: [FitDefinition?] = []
    /// The latest timestamp, the base of compressed ones.
    private var time: Int64 = 0
    private var messages = 0
    private var activity: FitActivityReader
    private let salvages: Bool
    /// What a first pass over the file has found so far; nil in a second pass.
    private var survey: FitSurvey?
    /// Whether the FIT file in progress is an activity; nil before its first message.
    private var isActivity: Bool?
    /// The record from which on none is imported.
    private var ending: FileError?
    /// Where the file is broken. What follows is not read.
    private var damage: FileError?

    /// Receives all messages instead of the activity.
    private let consumer: ((FitMessage) throws -> Void)?

    /// - Parameters:
    ///   - salvages: whether a broken file is read up to the break.
    ///   - plan: from a first pass. Without it, all messages of the first FIT file count in their order.
    package init(salvages: Bool = false, plan: FitPlan? = nil) {
        self.salvages = salvages
        consumer = nil
        activity = FitActivityReader(plan ?? FitPlan())
    }

    /// A reader for a first pass over a file.
    package init(_ survey: FitSurvey) {
        salvages = true
        consumer = nil
        self.survey = survey
        activity = FitActivityReader()
    }

    /// What a first pass has found, up to a break of the file.
    package func finishSurvey() -> FitSurvey {
        var survey = survey ?? FitSurvey()
        survey.finish()
        return survey
    }

    /// Passes each message to `consumer`.
    package init(_ consumer: @escaping (FitMessage) throws -> Void) {
        salvages = false
        self.consumer = consumer
        activity = FitActivityReader()
    }

    /// Whether the bytes begin a FIT file.
    ///
    /// - Parameter bytes: the first 12 bytes of the file or more, or the whole file if it is shorter.
    package static func recognises(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= Fit.shortHeaderSize && (8..<12).allSatisfy { bytes[$0] == Fit.signature[$0 - 8] }
    }

    /// Parses the next bytes of the file and passes the completed rows to `row`.
    ///
    /// - Throws: ``FileError`` and the errors of `row`. The reader is useless after an error.
    package mutating func feed(_ bytes: Span<UInt8>, _ row: (RecordingRow) throws -> Void) throws {
        var index = 0
        while index < bytes.count, damage == nil {
            let count = max(min(size - self.bytes.count, bytes.count - index), 1)
            for place in index..<index + count {
                self.bytes.append(bytes[place])
                // The second pass checks it.
                if survey == nil { checksum.add(bytes[place]) }
            }
            index += count
            offset += count
            if self.bytes.count == size { try parsePart(row) }
        }
    }

    /// Ends the file: passes the last rows to `row` and returns the recording.
    ///
    /// - Throws: ``FileError`` and the errors of `row`.
    package mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        try finishMessages()
        guard let damage = ending ?? damage else { return try activity.finish(row) }
        do {
            var recording = try activity.finish(row)
            recording.damage = damage
            return recording
        } catch is FileError {
            // There is no record before the break.
            throw damage
        }
    }

    /// Ends the file.
    ///
    /// - Throws: ``FileError`` if it ends before its messages do.
    mutating func finishMessages() throws {
        if damage == nil, part != .headerSize || offset == 0 {
            try stop(
                FileError(at: .byte(offset), offset == 0 ? "the file is empty" : "the file ends before \(missing)"))
        }
    }

    /// Ends the reading at a break, or throws it.
    private mutating func stop(_ error: FileError) throws {
        guard salvages else { throw error }
        damage = damage ?? error
    }

    private var missing: String {
        switch part {
        case .headerSize, .header: "its header ends"
        case .first, .definition, .data: "its messages end, at byte \(end)"
        case .checksum: "its checksum ends"
        }
    }

    private mutating func parsePart(_ row: (RecordingRow) throws -> Void) throws {
        switch part {
        case .headerSize:
            guard [Fit.shortHeaderSize, Fit.headerSize].contains(Int(bytes[0])) else {
                return try stop(error(0, "a FIT file cannot have a header of \(bytes[0]) bytes"))
            }
            part = .header
            size = Int(bytes[0])
        case .header:
            try parseHeader()
        case .first:
            try parseRecordHeader(row)
        case .definition:
            try parseDefinition()
        case .data:
            try parseData(row)
        case .checksum:
            guard checksum.value == 0 else {
                return try stop(error(0, "the checksum of the file is wrong"))
            }
            next(.headerSize)
            checksum = Fit.Checksum()
        }
    }

    private mutating func parseHeader() throws {
        guard Array(bytes[8..<12]) == Fit.signature else {
            return try stop(error(8, "the signature .FIT is missing"))
        }
        // A checksum of 0 means that there is none.
        guard size == Fit.shortHeaderSize || bytes[12...] == [0, 0] || checksum.value == 0 else {
            return try stop(error(12, "the checksum of the header is wrong"))
        }
        end = offset + (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        definitions = Array(repeating: nil, count: Fit.localTypes)
        time = 0
        activity.beginFile()
        isActivity = nil
        next(offset == end ? .checksum : .first)
    }

    private mutating func parseRecordHeader(_ row: (RecordingRow) throws -> Void) throws {
        if bytes[0] & (Fit.Bit.compressed | Fit.Bit.definition) == Fit.Bit.definition {
            part = .definition
            return try need(6)
        }
        guard let definition = definitions[localType] else {
            return try stop(error(0, "the local message \(localType) has no definition"))
        }
        part = .data
        try need(definition.size)
        if damage == nil, definition.size == 1 { try parseData(row) }
    }

    private mutating func parseDefinition() throws {
        guard let whole = FitDefinition.size(of: bytes) else {
            return try need(7 + 3 * Int(bytes[5]))
        }
        guard whole == size else { return try need(whole) }
        do throws(ParseError) {
            definitions[localType] = try FitDefinition(bytes)
        } catch {
            return try stop(self.error(error.offset, "expected \(error.expected.text)"))
        }
        next(offset == end ? .checksum : .first)
    }

    private mutating func parseData(_ row: (RecordingRow) throws -> Void) throws {
        messages += 1
        guard messages <= Self.messageLimit else {
            throw error(0, "more than \(Self.messageLimit) messages")
        }
        guard let definition = definitions[localType] else { return }
        var compressedTime: Int64?
        if bytes[0] & Fit.Bit.compressed != 0 {
            // The five lowest bits of the time, which has risen by less than 32 s.
            time += (Int64(bytes[0] & 0x1F) - time) & 0x1F
            compressedTime = time
        }
        let message = FitMessage(definition: definition, bytes: bytes, compressedTime: compressedTime)
        time = message.time ?? time
        do {
            if let consumer {
                try consumer(message)
            } else if survey != nil {
                surveyMessage(message)
            } else {
                try activity.ingest(message, row)
                if let reason = activity.popEnding() { ending = error(0, reason) }
            }
        } catch let failure as FileError where failure.place == nil {
            throw error(0, failure.reason)
        }
        next(offset == end ? .checksum : .first)
    }

    private mutating func surveyMessage(_ message: FitMessage) {
        let kind = Fit.Message(rawValue: message.definition.message)
        if isActivity == nil {
            isActivity = FitActivityReader.isActivity(message, kind)
            if isActivity == true { survey?.beginFile() }
        }
        if isActivity == true { survey?.add(message, kind) }
    }

    private var localType: Int {
        let first = bytes[0]
        return Int(first & Fit.Bit.compressed != 0 ? first >> 5 & 0x3 : first & 0xF)
    }

    /// Sets the size of the part, or throws ``FileError`` if the part exceeds the file's data.
    private mutating func need(_ count: Int) throws {
        guard offset - bytes.count + count <= end else {
            return try stop(
                error(0, "a message exceeds the data of the file, which end at byte \(end)"))
        }
        size = count
    }

    private mutating func next(_ part: Part) {
        self.part = part
        size = part == .checksum ? 2 : 1
        bytes.removeAll(keepingCapacity: true)
    }

    /// - Parameter place: the offset in the part.
    private func error(_ place: Int, _ reason: String) -> FileError {
        FileError(at: .byte(offset - bytes.count + place), reason)
    }
}
