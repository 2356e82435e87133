package import Domain

/// Reads a file of a GTFS feed, record by record: CSV with the names of the columns in the first line.
///
/// Feed bytes, then take records until there is none:
///
///     feed(piece) → next() → true:  text(_:), number(_:), … of the record
///                          → false: feed the next piece, or finish()
///
/// Source: gtfs.org/documentation/schedule/reference, "File Requirements"; RFC 4180.
package struct FeedTable {
    /// The most bytes of a record.
    package static let recordLimit = 65_536
    private static let fieldLimit = 256

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package let name: String
    /// The line of the current record, counted from 1.
    package private(set) var line = 0
    private let columns: [String]
    private let required: Int
    /// Where each of the columns is in a record; nil if the file lacks it, and before the first line.
    private var places: [Int?]?
    private var bytes: [UInt8] = []
    /// The bytes before it are consumed.
    private var position = 0
    /// The line of `position`, counted from 1.
    private var nextLine = 1
    private var isComplete = false
    /// The fields of the current record.
    private var fields: [Field] = []

    private struct Field {
        /// Without the quotes around it.
        var range: Range<Int>
        /// Whether quotes in it are doubled.
        var hasQuotes: Bool
    }

    /// - Parameters:
    ///   - name: of the file, for errors.
    ///   - required: the names of the columns that the file must have; fields are named by their place in this list.
    ///   - optional: the names of more columns, which follow the required ones.
    package init(_ name: String, required: [String], optional: [String] = []) {
        self.name = name
        self.required = required.count
        columns = required + optional
    }

    package mutating func feed(_ piece: Span<UInt8>) {
        bytes.removeSubrange(..<position)
        position = 0
        bytes.reserveCapacity(bytes.count + piece.count)
        for index in piece.indices { bytes.append(piece[index]) }
    }

    /// Ends the file: the rest of the bytes is the last record.
    package mutating func finish() {
        isComplete = true
    }

    /// Advances to the next record. False if it is not there yet.
    ///
    /// - Throws: ``FeedError`` with the line, if the file is no such table.
    package mutating func next() throws(FeedError) -> Bool {
        while try readRecord() {
            // Empty lines.
            if fields.count == 1, fields[0].range.isEmpty { continue }
            if places != nil { return true }
            try readNames()
        }
        if isComplete, places == nil { throw error("the file is empty; its first line must name the columns") }
        return false
    }

    /// The error for the current record.
    package func error(_ reason: String) -> FeedError {
        FeedError(name, line: max(line, 1), reason)
    }

    // MARK: Fields of the current record

    /// The bytes of a field, without white space around them; empty if the file or the record lacks it.
    package func value(_ column: Int) -> ArraySlice<UInt8> {
        guard let place = places?[column], place < fields.count else { return [] }
        var value = bytes[fields[place].range]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard fields[place].hasQuotes else { return value }
        var plain: ArraySlice<UInt8> = []
        var isSecond = false
        for byte in value {
            isSecond = byte == Self.quote && !isSecond
            if !isSecond { plain.append(byte) }
        }
        return plain
    }

    /// An ID. Texts that are no UTF-8 stay different.
    package func id(_ column: Int) throws(FeedError) -> String {
        let id = String(decoding: value(column), as: UTF8.self)
        guard (1...Self.idLimit).contains(id.utf8.count) else {
            throw error("\(columns[column]) must have 1 to \(Self.idLimit) bytes")
        }
        return id
    }

    /// The most bytes of an ID.
    package static let idLimit = 255

    /// A text for people, in one line; nil if it is empty.
    package func text(_ column: Int) -> String? {
        let value = value(column)
        if value.isEmpty { return nil }
        return SanitizedText.line(String(decoding: value, as: UTF8.self), limit: Self.textLimit)
    }

    /// The most characters kept of a text.
    private static let textLimit = 256

    /// A whole number; nil if the field is empty.
    package func integer(_ column: Int, in range: ClosedRange<Int>) throws(FeedError) -> Int? {
        let value = value(column)
        if value.isEmpty { return nil }
        guard let number = Int(ascii: value), range.contains(number) else {
            throw error("\(columns[column]) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number; nil if the field is empty.
    package func number(_ column: Int, in range: ClosedRange<Double>) throws(FeedError) -> Double? {
        let value = value(column)
        if value.isEmpty { return nil }
        guard value.count <= 64, let number = Double(String(decoding: value, as: UTF8.self)), range.contains(number)
        else {
            throw error("\(columns[column]) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A position in degrees; nil if a field is empty.
    package func position(latitude: Int, longitude: Int) throws(FeedError) -> Coordinate? {
        guard let north = try number(latitude, in: -90...90), let east = try number(longitude, in: -180...180) else {
            return nil
        }
        return Coordinate(latitude: north, longitude: east)
    }

    /// Seconds of a time of the service day, such as `25:10:00`; nil if the field is empty.
    package func time(_ column: Int) throws(FeedError) -> Int? {
        let value = value(column)
        if value.isEmpty { return nil }
        guard let seconds = Self.seconds(value) else {
            throw error("\(columns[column]) must be a time such as 07:30:00, below \(Self.hourLimit):00:00")
        }
        return seconds
    }

    /// Times end a week after the start of the service day.
    private static let hourLimit = 168

    /// Seconds of a time such as `25:10:00`. Nil for other text.
    static func seconds(_ text: ArraySlice<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, !text.contains(UInt8(ascii: "-")), (1...3).contains(parts[0].count),
            parts[1].count == 2, parts[2].count == 2,
            let hours = Int(ascii: parts[0]), let minutes = Int(ascii: parts[1]), let seconds = Int(ascii: parts[2]),
            (0..<hourLimit).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds)
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// The day of a date such as `20261126`.
    package func day(_ column: Int) throws(FeedError) -> ServiceDay {
        guard let day = ServiceDay(String(decoding: value(column), as: UTF8.self)) else {
            throw error("\(columns[column]) must be a date such as 20261126")
        }
        return day
    }

    // MARK: -

    private mutating func readNames() throws(FeedError) {
        var names: [String: Int] = [:]
        for place in fields.indices {
            let name = String(decoding: bytes[fields[place].range], as: UTF8.self)
            let trimmed = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            names[trimmed] = names[trimmed] ?? place
        }
        let places = columns.map { names[$0] }
        if let missing = places.prefix(required).firstIndex(of: nil) {
            throw error("the column \(columns[missing]) is missing")
        }
        self.places = places
    }

    /// Reads one record into `fields`. False if its end is not there yet.
    private mutating func readRecord() throws(FeedError) -> Bool {
        // A byte order mark.
        if nextLine == 1, position == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard position < bytes.count else { return false }
        fields.removeAll(keepingCapacity: true)
        line = nextLine
        var (index, lines) = (position, 0)
        while true {
            guard fields.count < Self.fieldLimit else {
                throw error("the record has more than \(Self.fieldLimit) fields")
            }
            guard let (field, end) = try readField(from: index, &lines) else { return false }
            try checkSize(to: end)
            fields.append(field)
            // After the field is a comma, or the end of the record.
            guard end < bytes.count, bytes[end] == Self.comma else {
                position = end
                if position < bytes.count, bytes[position] == Self.carriageReturn { position += 1 }
                if position < bytes.count, bytes[position] == Self.newline { position += 1 }
                nextLine += lines + 1
                return true
            }
            index = end + 1
        }
    }

    /// - Returns: the field and the index of the byte after it; nil if its end is not there yet.
    private func readField(from start: Int, _ lines: inout Int) throws(FeedError) -> (Field, end: Int)? {
        var index = start
        guard index < bytes.count, bytes[index] == Self.quote else {
            while index < bytes.count {
                let byte = bytes[index]
                if byte == Self.comma || byte == Self.newline { break }
                // A line ends with CR LF, LF, or CR alone.
                if byte == Self.carriageReturn {
                    if index + 1 == bytes.count, !isComplete { return nil }
                    break
                }
                index += 1
            }
            try checkSize(to: index)
            return index < bytes.count || isComplete ? (Field(range: start..<index, hasQuotes: false), index) : nil
        }
        var hasQuotes = false
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Self.newline { lines += 1 }
            if byte == Self.quote {
                guard index + 1 < bytes.count else {
                    try checkSize(to: index)
                    return isComplete ? (Field(range: start + 1..<index, hasQuotes: hasQuotes), index + 1) : nil
                }
                let next = bytes[index + 1]
                if next != Self.quote {
                    guard next == Self.comma || next == Self.newline || next == Self.carriageReturn else {
                        throw error("a quote must be followed by a comma, or be doubled")
                    }
                    if next == Self.carriageReturn, index + 2 == bytes.count, !isComplete { return nil }
                    return (Field(range: start + 1..<index, hasQuotes: hasQuotes), index + 1)
                }
                hasQuotes = true
                index += 1
            }
            index += 1
        }
        if isComplete { throw error("the file ends within quotes") }
        try checkSize(to: index)
        return nil
    }

    private func checkSize(to index: Int) throws(FeedError) {
        guard index - position <= Self.recordLimit else {
            throw error("the record has more than \(Self.recordLimit) bytes")
        }
    }
}

extension Int {
    /// Digits, perhaps after `-`. Nil for other text and for a number that is too large.
    init?(ascii text: ArraySlice<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        self = isNegative ? -number : number
    }
}
