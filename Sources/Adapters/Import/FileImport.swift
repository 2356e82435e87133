package import Domain
package import Sensors

/// Reads a recording from a file of any kind that we read, which comes in pieces. What the file holds tells its kind, not its name.
///
/// Memory does not grow with the file. The rows are good only once ``finish(_:)`` has returned: until then, and after an error, nothing
/// of the file is to be kept.
package struct FileImport: ~Copyable {
    /// So many bytes tell the kind, if there are so many.
    private static let headSize = 16

    /// The first bytes, until they tell the kind.
    private var head: [UInt8] = []
    private var fit: FitReader?
    private var xml: XMLReader?

    package init() {}

    /// Reads the next bytes of the file, and hands over the rows that they complete, in order.
    ///
    /// - Throws: ``FileError``, or what `row` throws.
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

    /// The file has ended. Hands over the last rows.
    ///
    /// - Throws: ``FileError``, or what `row` throws.
    package mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        if fit == nil, xml == nil { try decide(row) }
        if let recording = try fit?.finish(row) { return recording }
        let recording = try xml?.finish(row)
        guard let recording else { preconditionFailure("a reader was decided upon") }
        return recording
    }

    /// Chooses the reader, and gives it the first bytes.
    private mutating func decide(_ row: (RecordingRow) throws -> Void) throws {
        guard !head.isEmpty else { throw FileError("the file is empty") }
        if head.starts(with: [0x1F, 0x8B]) { throw FileError("it is compressed by gzip: unpack it first (gunzip)") }
        if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw FileError("it is a ZIP archive (a KMZ file is one): unpack it first (unzip)")
        }
        if FitReader.recognises(head.span) {
            var reader = FitReader()
            try reader.feed(head.span, row)
            fit = reader
            return
        }
        guard Self.isXML(head) else { throw FileError("no FIT, GPX, TCX or KML file") }
        var reader = try XMLReader()
        try reader.feed(head.span, row)
        xml = consume reader
    }

    /// XML begins with `<`, perhaps after white space or the mark of its byte order.
    private static func isXML(_ head: [UInt8]) -> Bool {
        if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) { return true }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let first = text.first { !" \t\r\n".utf8.contains($0) }
        return first == nil || first == UInt8(ascii: "<")
    }
}
