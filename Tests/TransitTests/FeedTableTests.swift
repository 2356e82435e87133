import Domain
import Testing
import Transit

@Suite struct FeedTableTests {
    private struct Record: Equatable {
        var line: Int
        var fields: [String]
    }

    /// The records of a file that comes in pieces.
    private static func records(
        _ bytes: [UInt8], required: [String] = ["a", "b"], optional: [String] = [], pieces size: Int = .max
    ) throws -> [Record] {
        var table = FeedTable("made.txt", required: required, optional: optional)
        var records: [Record] = []
        func take() throws {
            while try table.next() {
                let fields = (0..<required.count + optional.count).map { column in
                    String(decoding: table.value(column), as: UTF8.self)
                }
                records.append(Record(line: table.line, fields: fields))
            }
        }
        for start in stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))) {
            table.feed(Array(bytes[start..<min(bytes.count, start + min(size, bytes.count))]).span)
            try take()
        }
        table.finish()
        try take()
        return records
    }

    private static func records(
        _ text: String, required: [String] = ["a", "b"], optional: [String] = []
    ) throws -> [Record] {
        try records(Array(text.utf8), required: required, optional: optional)
    }

    /// The first record with one column.
    private static func record(_ field: String) throws -> FeedTable {
        try record(Array(field.utf8))
    }

    private static func record(_ field: [UInt8]) throws -> FeedTable {
        var table = FeedTable("made.txt", required: ["a", "b"])
        table.feed(Array(Array("b,a\nx,".utf8) + field).span)
        table.finish()
        #expect(try table.next())
        return table
    }

    // MARK: Records

    @Test(arguments: ["\n", "\r\n", "\r"])
    func recordsEndWithEachKindOfNewline(newline: String) throws {
        for end in ["", newline] {
            let text = ["a,b", "1,2", "3,"].joined(separator: newline) + end
            #expect(
                try Self.records(text) == [Record(line: 2, fields: ["1", "2"]), Record(line: 3, fields: ["3", ""])])
        }
    }

    @Test func quotesHoldCommasAndNewlinesAndDoubledQuotes() throws {
        let text = "\"a\",b\n\"x,y\",\"say \"\"hi\"\"\"\n\"one\r\ntwo\n\nfive\",\"\"\n\"\"\"\",\"a\"\n"
        #expect(
            try Self.records(text) == [
                Record(line: 2, fields: ["x,y", "say \"hi\""]), Record(line: 3, fields: ["one\r\ntwo\n\nfive", ""]),
                Record(line: 7, fields: ["\"", "a"]),
            ])
    }

    @Test func whiteSpaceAroundFieldsIsLeftOut() throws {
        #expect(
            try Self.records(" a ,b\n  1\t, \" 2 \n\" x y \", z \n") == [
                Record(line: 2, fields: ["1", "\" 2"]), Record(line: 3, fields: ["x y", "z"]),
            ])
    }

    @Test func byteOrderMarkIsNoPartOfTheFirstName() throws {
        #expect(try Self.records("\u{FEFF}a,b\n1,2\n") == [Record(line: 2, fields: ["1", "2"])])
        #expect(try Self.records("\u{FEFF}\"a\",b\n1,2\n") == [Record(line: 2, fields: ["1", "2"])])
    }

    @Test func columnsAreFoundByTheirNames() throws {
        let text = "other,b,c,a,b\nx,2,3,1,y\n-,5\n"
        #expect(
            try Self.records(text, optional: ["c", "absent"]) == [
                Record(line: 2, fields: ["1", "2", "3", ""]), Record(line: 3, fields: ["", "5", "", ""]),
            ])
        #expect(throws: FeedError("made.txt", line: 1, "the column b is missing")) {
            try Self.records("a,c\n1,2\n", optional: ["c"])
        }
    }

    @Test func blankLinesAreNoRecords() throws {
        #expect(try Self.records("\n\na,b\n\n1,2\n\n\n3,4\n\n").map(\.line) == [5, 8])
    }

    @Test func recordsDoNotDependOnThePieces() throws {
        let texts = [
            "\u{FEFF}a,b,c\r\n1,\"2,\r\n\"\"\",3\r\n\r\n4,5\r\n\"\",\"é\",\"\"\"\"\"\"\r\n6,7,",
            "a,c,b\n\n\"x\ny\",,z\n1,2,3", "b,a\r\"1\",2\r\r3,\"4\"\r", "a,b\n\"\"\n1,2\n,\n",
        ]
        for text in texts {
            let bytes = Array(text.utf8)
            let whole = try Self.records(bytes, optional: ["c"])
            #expect(whole.count >= 2)
            for size in 1...bytes.count {
                #expect(try Self.records(bytes, optional: ["c"], pieces: size) == whole, "\(text), \(size) bytes")
            }
        }
    }

    // MARK: Errors

    @Test func errorsNameTheLineInWhichTheRecordBegins() throws {
        let cases = [
            ("a,b\n1,\"2\n", 2, "the file ends within quotes"),
            ("a,b\n\"1\n2\n3\",x\n4,\"5\"6\n", 5, "a quote must be followed by a comma, or be doubled"),
            ("a,b\n1,\"x\"\"", 2, "the file ends within quotes"),
            ("a,\"b", 1, "the file ends within quotes"),
            ("", 1, "the file is empty; its first line must name the columns"),
            ("\u{FEFF}\r\n\r\n", 2, "the file is empty; its first line must name the columns"),
        ]
        for (text, line, reason) in cases {
            for size in [1, 2, 3, 1000] {
                #expect(throws: FeedError("made.txt", line: line, reason), "\(text), \(size) bytes") {
                    try Self.records(Array(text.utf8), pieces: size)
                }
            }
        }
    }

    @Test(arguments: [("", ""), ("\"", "\"")])
    func recordsHaveALimit(open: String, close: String) throws {
        let space = FeedTable.recordLimit - 2 - open.utf8.count - close.utf8.count
        func file(_ count: Int) -> [UInt8] {
            Array(("a,b\n1," + open + String(repeating: "x", count: count) + close + "\n3,4\n").utf8)
        }
        for size in [10_000, 65_536, .max] {
            #expect(try Self.records(file(space), pieces: size).map(\.line) == [2, 3])
            #expect(throws: FeedError("made.txt", line: 2, "the record has more than 65536 bytes"), "\(size) bytes") {
                try Self.records(file(space + 1), pieces: size).count
            }
        }
    }

    @Test func recordsHaveALimitOfFields() throws {
        func file(_ count: Int) -> String { "a,b\n" + String(repeating: ",", count: count - 1) + "\n" }
        #expect(try Self.records(file(256)).count == 1)
        #expect(throws: FeedError("made.txt", line: 2, "the record has more than 256 fields")) {
            try Self.records(file(257))
        }
    }

    // MARK: Values

    @Test func timesMayPassTheEndOfTheDay() throws {
        let cases = [
            ("25:10:00", 90_600), ("7:30:00", 27_000), ("07:30:05", 27_005), ("00:00:00", 0), (" 7:00:00 ", 25_200),
            ("167:59:59", 604_799),
        ]
        for (text, expected) in cases { #expect(try Self.record(text).time(0) == expected, "\(text)") }
        #expect(try Self.record("").time(0) == nil)
    }

    @Test(arguments: [
        "7:30", "7:30:0", "24:60:00", "24:00:60", "168:00:00", "0007:30:00", "-1:00:00", ":00:00", "07.30.00",
        "7:30:00x",
        "07:3 :00", "7:30:00:00", "noon",
    ]) func wrongTimesAreNamed(text: String) throws {
        let table = try Self.record(text)
        #expect(throws: FeedError("made.txt", line: 2, "a must be a time such as 07:30:00, below 168:00:00")) {
            try table.time(0)
        }
    }

    @Test func datesAreDaysOfTheCalendar() throws {
        for (text, number) in [("19700101", 0), ("20240229", 19_782), ("20000229", 11_016), ("21991231", 84_005)] {
            let day = try Self.record(text).day(0)
            #expect(day.number == number)
            #expect(day.text == text)
        }
        #expect(try Self.record("20261126").day(0).weekday == 3)
        #expect(try Self.record("20261129").day(0).weekday == 6)
    }

    @Test(arguments: [
        "20260230", "20230229", "21000229", "20261301", "20260001", "20260100", "19691231", "22000101", "2026-1-1",
        "2026112", "202611261", "", "tomorrow",
    ]) func wrongDatesAreNamed(text: String) throws {
        let table = try Self.record(text)
        #expect(throws: FeedError("made.txt", line: 2, "a must be a date such as 20261126")) { try table.day(0) }
    }

    @Test func idsHaveOneTo255Bytes() throws {
        for count in [1, 255] {
            let id = String(repeating: "x", count: count)
            #expect(try Self.record(id).id(0) == id)
        }
        for text in ["", "  ", String(repeating: "x", count: 256), String(repeating: "é", count: 128)] {
            let table = try Self.record(text)
            #expect(throws: FeedError("made.txt", line: 2, "a must have 1 to 255 bytes")) { try table.id(0) }
        }
    }

    @Test func numbersStayInTheirRange() throws {
        for (text, number) in [("0", 0), ("-5", -5), ("007", 7), ("100", 100)] {
            #expect(try Self.record(text).integer(0, in: -5...100) == number)
        }
        #expect(try Self.record("").integer(0, in: 1...2) == nil)
        for text in ["101", "-6", "1.5", "+1", "--1", "-", "1e2", "99999999999999999999"] {
            let table = try Self.record(text)
            #expect(throws: FeedError("made.txt", line: 2, "a must be a number from -5 to 100"), "\(text)") {
                try table.integer(0, in: -5...100)
            }
        }
        #expect(try Self.record(" -90 ").number(0, in: -90...90) == -90)
        #expect(try Self.record("").number(0, in: -90...90) == nil)
        for text in ["90.001", "nan", "inf", "1e9", "5°", "1.5.5"] {
            let table = try Self.record(text)
            #expect(throws: FeedError("made.txt", line: 2, "a must be a number from -90.0 to 90.0"), "\(text)") {
                try table.number(0, in: -90...90)
            }
        }
    }

    @Test func positionNeedsBothDegrees() throws {
        func position(_ text: String) throws -> Coordinate? {
            var table = FeedTable("made.txt", required: ["a", "b"])
            table.feed(Array(("a,b\n" + text).utf8).span)
            table.finish()
            #expect(try table.next())
            return try table.position(latitude: 0, longitude: 1)
        }
        #expect(try position("-33.5,180") == Coordinate(latitude: -33.5, longitude: 180))
        #expect(try position("1,") == nil)
        #expect(try position(",1") == nil)
        #expect(throws: FeedError("made.txt", line: 2, "b must be a number from -180.0 to 180.0")) {
            try position("0,180.1")
        }
    }

    @Test func bytesThatAreNoTextAreReplaced() throws {
        let table = try Self.record([0x4D, 0xFC, 0x6E, 0x1B, 0x07])
        #expect(table.text(0) == "M\u{FFFD}n\u{FFFD}\u{FFFD}")
        #expect(try table.id(0) == "M\u{FFFD}n\u{1B}\u{07}")
        #expect(try Self.record("").text(0) == nil)
        #expect(try Self.record(String(repeating: "é", count: 300)).text(0)?.count == 256)
    }
}
