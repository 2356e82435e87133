import Domain
import Formats
import TestKit
import Testing

@Suite struct FitReaderTests {
    /// Three seconds, a pause of ten, and two more.
    private static func run(isBigEndian: Bool = false) -> FitBytes {
        var file = FitBytes.activity(isBigEndian: isBigEndian)
        file.timer(0, 0, isBigEndian: isBigEndian)
        for second in 0...3 { file.record(second, centimetres: UInt32(250 * second), isBigEndian: isBigEndian) }
        file.timer(3, 4, trigger: 1, isBigEndian: isBigEndian)
        file.timer(13, 0, trigger: 1, isBigEndian: isBigEndian)
        for second in 14...15 {
            file.record(second, centimetres: UInt32(250 * (second - 10)), isBigEndian: isBigEndian)
        }
        file.timer(15, 4, isBigEndian: isBigEndian)
        return file
    }

    private static func sample(_ at: Int64, _ elapsed: Int64, metres: Double) -> RecordingRow {
        var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
        sample.coordinate = Coordinate(latitude: 626_349_397 * 180 / 0x1p31, longitude: -1000 * 180 / 0x1p31)
        sample.heartRate = 140
        sample.distanceMetres = metres
        return .sample(sample)
    }

    private static let rows: [RecordingRow] = [
        .begin(at: 0, .command), sample(0, 0, metres: 0), sample(1000, 1000, metres: 2.5),
        sample(2000, 2000, metres: 5), sample(3000, 3000, metres: 7.5), .end(at: 3000, .auto),
        .begin(at: 13_000, .auto), sample(14_000, 4000, metres: 10), sample(15_000, 5000, metres: 12.5),
        .end(at: 15_000, .command),
    ]

    @Test(arguments: [Int.max, 1, 7]) func fileInPiecesOfAnySizeGivesItsRows(size: Int) throws {
        let file = try FitFile(Self.run().file(), pieces: size)
        #expect(file.rows == Self.rows)
        #expect(file.recording.started == UTC(milliseconds: (Int64(FitBytes.start) + 631_065_600) * 1000))
        #expect(file.recording.totalMilliseconds == 15_000)
        #expect(file.recording.total.elapsedMilliseconds == 5000)
        #expect(file.recording.total.distanceMetres == 12.5)
        #expect(file.recording.total.averageHeartRate == 140)
        #expect(file.recording.laps.map(\.figures) == [file.recording.total])
    }

    @Test func bigEndianFileGivesTheSameRows() throws {
        #expect(try FitFile(Self.run(isBigEndian: true).file()).rows == Self.rows)
    }

    @Test func shortHeaderAndMissingChecksumAreAccepted() throws {
        #expect(try FitFile(Self.run().file(headerSize: 12)).rows == Self.rows)
        #expect(try FitFile(Self.run().file(headerChecksum: [0, 0])).rows == Self.rows)
        #expect(throws: FileError(at: .byte(12), "the checksum of the header is wrong")) {
            try FitFile(Self.run().file(headerChecksum: [1, 0]))
        }
    }

    @Test func everyFlippedBitIsDetected() {
        let file = Self.run().file()
        for bit in 0..<8 * file.count {
            var damaged = file
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: FileError.self, "bit \(bit)") { try FitFile(damaged) }
        }
    }

    @Test func truncatedFileReportsItsEnd() {
        let file = Self.run().file()
        for length in 1..<file.count {
            let failure = #expect(throws: FileError.self) { try FitFile(Array(file.prefix(length))) }
            #expect(failure?.place == .byte(length))
        }
        #expect(throws: FileError(at: .byte(0), "the file is empty")) { try FitFile([]) }
    }

    @Test func compressedTimestampsContinueFromTheNewestTime() throws {
        var file = FitBytes.activity()
        file.record(0)
        file.define(3, 20, [[3, 1, 2]])
        // Five bits of the time: 4 s later, then 30 s later, when the five bits wrap.
        let low = UInt8(FitBytes.start & 0x1F)
        for later in [4, 34] as [UInt8] { file.add([0x80 | 3 << 5 | (low &+ later) & 0x1F, 150]) }
        #expect(try FitFile(file.file()).samples.map(\.at) == [0, 4000, 34_000])
    }

    @Test func developerFieldsAreSkippedAndCounted() throws {
        var file = FitBytes.activity()
        file.define(4, 20, [[253, 4, 0x86], [3, 1, 2]], developer: [[0, 3, 0], [1, 2, 0]])
        for second in 0...1 { file.add([4] + FitBytes.bytes(of: FitBytes.time(second)) + [99, 1, 2, 3, 4, 5]) }
        let read = try FitFile(file.file())
        #expect(read.samples.map(\.heartRate) == [99, 99])
        #expect(read.skipped["developer field"] == 4)
    }

    @Test func invalidFieldsAreNil() throws {
        var file = FitBytes.activity()
        file.record(0, latitude: .max, longitude: 5, heartRate: 255, centimetres: .max)
        file.record(1, latitude: 0, longitude: 0, heartRate: 0)
        file.record(2, latitude: 1 << 30 + 1, longitude: 0, heartRate: 241)
        for sample in try FitFile(file.file()).samples {
            #expect(sample.coordinate == nil && sample.heartRate == nil)
        }
    }

    @Test func recordWithAnEightByteTimestampIsSkipped() throws {
        var file = FitBytes.activity()
        file.record(0)
        file.define(3, 20, [[253, 8, 0x8F], [5, 8, 0x8E], [3, 1, 2]])
        file.add([3] + FitBytes.bytes(of: UInt64.max - 1) + FitBytes.bytes(of: Int64.min) + [99])
        let read = try FitFile(file.file())
        #expect(read.samples.count == 1)
        #expect(read.skipped["record without time"] == 1)
    }

    @Test func skippedContentIsCountedByName() throws {
        var file = FitBytes.activity()
        file.record(0)
        file.define(3, 104, [[0, 1, 2]])
        file.define(4, 140, [[0, 1, 2]])
        file.define(5, 20, [[253, 4, 0x86], [39, 2, 0x84], [200, 1, 2]])
        for _ in 0..<3 { file.add([3, 7, 4, 7]) }
        file.add([5] + FitBytes.bytes(of: FitBytes.time(1)) + [1, 0, 0xFF])
        let skipped = try FitFile(file.file()).skipped
        #expect(skipped["battery"] == 3)
        #expect(skipped["message 140"] == 3)
        #expect(skipped["record vertical_oscillation"] == 1)
        #expect(skipped["record field 200"] == 0)
    }

    @Test func firstActivityOfAChainedFileIsKept() throws {
        let settings = FitBytes.activity(type: 2).file()
        let read = try FitFile(settings + Self.run().file(headerSize: 12) + Self.run().file())
        #expect(read.rows == Self.rows)
        #expect(read.skipped.entries.map(\.name.text) == ["settings", "another activity"])
        #expect(throws: FileError("the file contains a course, not an activity")) {
            try FitFile(FitBytes.activity(type: 6).file())
        }
        #expect(throws: FileError("the activity has neither records nor totals")) {
            try FitFile(FitBytes.activity().file())
        }
    }

    @Test func recordsThatJumpAheadAndReturnAreSkipped() throws {
        var file = FitBytes.activity()
        for second in 0..<5 { file.record(second) }
        for second in 0..<14 { file.record(60_000_000 + second) }
        for second in 5..<10 { file.record(second) }
        let read = try FitFile(file.file())
        #expect(read.samples.map(\.at) == (0..<10).map { $0 * 1000 })
        #expect(read.skipped["record too far ahead in time"] == 14)
    }

    @Test func holeStartsANewSegment() throws {
        var file = FitBytes.activity()
        for second in 0..<3 { file.record(second) }
        for second in 0..<30 { file.record(4000 + second) }
        let rows = try FitFile(file.file()).rows
        #expect(rows.count == 36)
        #expect(rows[4] == .segment(at: 4_000_000))
    }

    @Test func recordWhileTheTimerIsStoppedAddsNoTime() throws {
        var file = FitBytes.activity()
        file.timer(0, 0)
        file.record(0)
        file.timer(5, 4)
        // A record in the second of the stop, and one as the device wakes.
        file.record(5)
        file.record(59)
        file.timer(60, 0)
        file.record(60)
        file.timer(61, 4)
        let read = try FitFile(file.file())
        #expect(read.samples.map(\.at) == [0, 5000, 59_000, 60_000])
        #expect(
            read.rows.dropFirst(3).prefix(3) == [
                .end(at: 5000, .command), .sample(read.samples[2]), .begin(at: 60_000, .command),
            ])
        #expect(read.recording.total.elapsedMilliseconds == 6000)
    }

    @Test func beatsBelongToTheRecordBeforeThem() throws {
        var file = FitBytes.activity()
        file.define(3, 78, [[0, 6, 0x84]])
        file.record(0)
        file.add([3] + [500, 1000, 0xFFFF].flatMap { FitBytes.bytes(of: UInt16($0)) })
        file.record(1)
        file.add([3] + [250, 64_500, 0].flatMap { FitBytes.bytes(of: UInt16($0)) })
        let read = try FitFile(file.file())
        #expect(read.rows[2] == .beats(at: 0, rr: [512, 1024], gap: false))
        #expect(read.rows[4] == .beats(at: 1000, rr: [256], gap: false))
        #expect(read.skipped["RR interval over 64 s"] == 1)
    }

    /// The pause has more messages than are held at a time, and one belongs to a record that is skipped.
    @Test func everyBeatIsKeptInPausesToo() throws {
        var file = FitBytes.activity()
        file.define(3, 78, [[0, 2, 0x84]])
        var expected: [UInt16] = []
        func beat(_ milliseconds: Int) {
            file.add([3] + FitBytes.bytes(of: UInt16(milliseconds)))
            expected.append(UInt16((milliseconds * 1024 + 500) / 1000))
        }
        beat(900)
        file.timer(0, 0)
        file.record(0)
        beat(901)
        file.timer(1, 4, trigger: 1)
        for place in 0..<300 { beat(500 + place) }
        file.timer(200, 0, trigger: 1)
        file.record(201)
        beat(902)
        file.record(150)
        beat(903)
        file.record(202)
        file.timer(203, 4)
        beat(904)
        let read = try FitFile(file.file())
        #expect(read.beats == expected)
        #expect(read.skipped["RR interval"] == 0)
        guard case .begin = read.rows[0] else { return #expect(Bool(false), "\(read.rows[0])") }
        let stopped = read.rows.split { if case .begin = $0 { true } else { false } }.map { part in
            part.drop { if case .end = $0 { false } else { true } }.dropFirst().count
        }
        #expect(stopped == [300, 1])
        let exported = try FitFile(FitFile.export(read.recording, read.rows))
        #expect(exported.beats == expected)
    }

    @Test(arguments: [false, true]) func lapEndsBeforeTheFirstRecordAfterIt(isTold first: Bool) throws {
        var file = FitBytes.activity()
        if first { for lap in [0, 4] { file.lap(lap, milliseconds: 3600, trigger: 2) } }
        for second in 0...8 {
            file.record(second, centimetres: UInt32(100 * second))
            if !first, second == 4 || second == 8 { file.lap(second - 4, milliseconds: 3600, trigger: 2) }
        }
        let read = try FitFile(file.file())
        #expect(read.rows[6] == .lap(at: 4000, .distance))
        #expect(read.recording.laps.map(\.trigger) == [.distance, nil])
        #expect(read.recording.laps.map(\.endedAt) == [4000, 8000])
        #expect(read.recording.laps.map(\.figures.distanceMetres) == [4, 4])
    }

    @Test func lapsAtTheEndOfTheFileKeepItsTotals() throws {
        var file = FitBytes.activity()
        for second in 0...60 { file.record(second, centimetres: UInt32(100 * second)) }
        for lap in 0..<3 { file.lap(20 * lap, milliseconds: 20_000, trigger: lap == 2 ? 7 : 0) }
        let read = try FitFile(file.file())
        #expect(read.rows.allSatisfy { if case .lap = $0 { false } else { true } })
        #expect(read.recording.laps.map(\.endedAt) == [20_000, 40_000, 60_000])
        #expect(read.recording.laps.map(\.figures.distanceMetres) == [42, 42, 42])
    }

    @Test func formatErrorReportsItsPosition() {
        let start = 14 + FitBytes.activity().messages.count
        func refuse(_ bytes: [UInt8], at place: Int, _ reason: String) {
            var file = FitBytes.activity()
            file.add(bytes)
            #expect(throws: FileError(at: .byte(start + place), reason)) { try FitFile(file.file()) }
        }
        refuse([0x0B, 1], at: 0, "the local message 11 has no definition")
        refuse([0x43, 0, 2, 20, 0, 0], at: 2, "expected an architecture of 0 or 1")
        let end = start + 6
        refuse(
            [0x43, 0, 0, 20, 0, 9], at: 0,
            "a message exceeds the data of the file, which end at byte \(end)")
    }

    @Test func moreThan4096LapsAreRejected() {
        var file = FitBytes.activity()
        file.record(0)
        for _ in 0..<5000 { file.lap(0, milliseconds: 10, trigger: 0) }
        let failure = #expect(throws: FileError.self) { try FitFile(file.file()) }
        #expect(failure?.reason == "more than 4096 laps")
        #expect(failure?.place != nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func damagedFileWithAValidChecksumKeepsRowsInOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let whole = Self.run().messages
        var (accepted, rejected) = (0, 0)
        for _ in 0..<200 {
            var messages = whole
            for _ in 0...random.next() % 4 {
                let place = Int(random.next() % UInt64(messages.count))
                switch random.next() % 3 {
                case 0: messages[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: messages.remove(at: place)
                default: messages.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            var file = FitBytes()
            file.add(messages)
            guard let read = try? FitFile(file.file()) else {
                rejected += 1
                continue
            }
            accepted += 1
            #expect(zip(read.rows, read.rows.dropFirst()).allSatisfy { $0.at <= $1.at })
        }
        #expect(accepted > 10 && rejected > 10, "\(accepted) accepted, \(rejected) rejected")
    }
}
