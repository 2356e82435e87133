package import Domain
package import Formats

/// Imports a recording from a file in pieces. The format is recognized by the content, not by the name.
///
/// Memory use does not grow with the file. The rows are valid only after ``finish(_:)`` has returned:
/// before that, and after an error, discard all of them.
package struct FileImport: ~Copyable {
    /// The number of first bytes that identify the format, unless the file is shorter.
    private static let headSize = 16

    /// The first bytes, until the format is identified.
    private var head: [UInt8] = []
    private var fit: FitReader?
    private var xml: XMLReader?
    private let salvages: Bool

    /// - Parameter salvages: whether a broken FIT file is imported up to the break.
    package init(salvages: Bool = false) {
        self.salvages = salvages
    }

    /// Reads the next bytes of the file, and passes the completed rows to `row` in order.
    ///
    /// - Throws: ``FileError``, or an error of `row`.
    package mutating func feed(_ bytes: Span<UInt8>, _ row: (RecordingRow) throws -> Void) throws {
        guard fit == nil, xml == nil else {
            try fit?.feed(bytes, row)
            try xml?.feed(bytes, row)
            return
        }
        let count = min(Self.headSize - head.count, bytes.count)
        for index in 0..<count { head.append(bytes[index]) }
        guard head.count == Self.headSize else { return }
        try decide(row)
        try feed(bytes.extracting(droppingFirst: count), row)
    }

    /// Ends the file, and passes the last rows to `row`.
    ///
    /// - Throws: ``FileError``, or an error of `row`.
    package mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        if fit == nil, xml == nil { try decide(row) }
        if let recording = try fit?.finish(row) { return recording }
        let recording = try xml?.finish(row)
        guard let recording else { preconditionFailure("a reader was chosen") }
        return recording
    }

    /// Selects the reader, and passes it the first bytes.
    private mutating func decide(_ row: (RecordingRow) throws -> Void) throws {
        guard !head.isEmpty else { throw FileError("the file is empty") }
        if head.starts(with: [0x1F, 0x8B]) {
            throw FileError("the file is compressed by gzip: unpack it first (gunzip)")
        }
        if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw FileError("the file is a ZIP archive, as KMZ files are: unpack it first (unzip)")
        }
        if FitReader.recognises(head.span) {
            var reader = FitReader(salvages: salvages)
            try reader.feed(head.span, row)
            fit = reader
            return
        }
        guard Self.isXML(head) else { throw FileError("not a FIT, GPX, TCX or KML file") }
        var reader = try XMLReader()
        try reader.feed(head.span, row)
        xml = consume reader
    }

    /// XML begins with `<`, optionally after white space or a byte order mark.
    private static func isXML(_ head: [UInt8]) -> Bool {
        if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) { return true }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let first = text.first { !" \t\r\n".utf8.contains($0) }
        return first == nil || first == UInt8(ascii: "<")
    }
}
