import CExpat
package import Formats

/// Reads an XML file in pieces, through expat, and passes its elements to the parser for its first element.
///
/// Memory use does not grow with the file: document type declarations, and so all entities, are rejected;
/// depth, text, tags and the number of names are bounded. After an error the reader is unusable.
@safe
package struct XMLReader: ~Copyable {
    /// The most levels of nested elements.
    package static let depthLimit = 64
    /// The most bytes kept of an element's text.
    package static let textLimit = 1024
    /// The most bytes of one tag, comment or processing instruction, which expat buffers whole.
    package static let tokenLimit = 262_144
    /// The most names of elements and attributes, all of which expat keeps.
    package static let nameLimit = 1024

    /// The bytes parsed before rows are passed on.
    private static let pieceSize = 65_536

    private let parser: XML_Parser
    private let session: XMLSession
    /// The number of bytes fed.
    private var fed = 0
    /// Whether only white space and byte order marks have come. XML allows none before the declaration; Strava's exports have it.
    private var isAtStart = true
    private let skipped = SkippedLines()
    /// Whether a broken file is read up to the break.
    private let salvages: Bool
    /// Where the file is broken. What follows is not read.
    package private(set) var damage: FileError?

    /// - Parameters:
    ///   - salvages: whether a broken file is read up to the break.
    ///   - choose: returns the parser for the name of the first element, or throws that there is none.
    /// - Throws: ``FileError`` if memory is exhausted.
    package init(
        salvages: Bool = false, _ choose: @escaping (String) throws(FileError) -> any ElementParser
    ) throws(FileError) {
        self.salvages = salvages
        guard let parser = unsafe XML_ParserCreate(nil) else { throw FileError("out of memory") }
        unsafe self.parser = parser
        session = XMLSession(choose)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(session).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { data, name, attributes in unsafe XMLSession.of(data)?.begin(name, attributes) },
            { data, _ in unsafe XMLSession.of(data)?.end() })
        unsafe XML_SetCharacterDataHandler(parser) { data, text, count in
            unsafe XMLSession.of(data)?.append(UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            unsafe XMLSession.of(data)?.fail(FileError("document type declarations are not supported"))
        }
        unsafe XML_SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let name = unsafe name, let encoding = unsafe encoding else {
                    return Int32(XML_STATUS_ERROR.rawValue)
                }
                let isKnown = unsafe SingleByteEncoding.fill(encoding, named: name)
                return Int32((isKnown ? XML_STATUS_OK : XML_STATUS_ERROR).rawValue)
            }, nil)
        session.stop = { [skipped] in
            let place = unsafe Self.place(parser, after: skipped)
            unsafe _ = XML_StopParser(parser, XML_Bool(XML_FALSE))
            return place
        }
    }

    deinit {
        unsafe XML_ParserFree(parser)
    }

    /// Reads the next bytes of the file. After each piece, passes the parser to `body` if there is one.
    ///
    /// - Throws: ``FileError`` with the line and the column, or an error of `body`.
    package mutating func feed(
        _ bytes: Span<UInt8>, _ body: (inout any ElementParser) throws -> Void
    ) throws {
        var start = isAtStart ? skip(bytes) : 0
        while start < bytes.count {
            let end = min(start + Self.pieceSize, bytes.count)
            try parse(bytes.extracting(start..<end), isLast: false)
            try session.withParser(body)
            start = end
        }
    }

    /// Skips what is before the first `<`.
    ///
    /// - Returns: the number of skipped bytes.
    private mutating func skip(_ bytes: Span<UInt8>) -> Int {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\n"): skipped.count += 1
            // U+FEFF in UTF-8.
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0xEF, 0xBB, 0xBF: break
            default:
                isAtStart = false
                return index
            }
        }
        return bytes.count
    }

    /// Ends the file, and passes the parser to `body`.
    ///
    /// - Throws: ``FileError``, or an error of `body`.
    package mutating func finish(_ body: (inout any ElementParser) throws -> Void) throws {
        try parse([UInt8]().span, isLast: true)
        try session.withParser(body)
    }

    private mutating func parse(_ bytes: Span<UInt8>, isLast: Bool) throws(FileError) {
        guard damage == nil else { return }
        let parser = unsafe parser
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), isLast ? 1 : 0)
        }
        fed += bytes.count
        if status == XML_STATUS_OK {
            guard unsafe fed - Int(XML_GetCurrentByteIndex(parser)) <= Self.tokenLimit else {
                throw unsafe FileError(
                    at: Self.place(parser, after: skipped), "a tag or a comment has more than \(Self.tokenLimit) bytes")
            }
            return
        }
        if let failure = session.failure { throw failure }
        let reason = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
        let failure = unsafe FileError(at: Self.place(parser, after: skipped), reason ?? "not well-formed")
        // Without an element there is nothing to keep.
        guard salvages, session.hasBegun else { throw failure }
        damage = failure
    }

    /// The position of expat's current event.
    private static func place(_ parser: XML_Parser, after skipped: SkippedLines) -> FileError.Place {
        unsafe .line(
            Int(XML_GetCurrentLineNumber(parser)) + skipped.count, column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
    }
}

/// The number of lines before the declaration.
private final class SkippedLines {
    var count = 0
}

/// The state of expat's callbacks.
private final class XMLSession {
    var failure: FileError?
    /// Stops the parser and returns its position.
    var stop: () -> FileError.Place? = { nil }
    private let choose: (String) throws(FileError) -> any ElementParser
    private var parser: (any ElementParser)?
    private var depth = 0
    private var names: Set<String> = []
    private var text: [UInt8] = []
    /// The use of the text of the innermost element.
    private var use = XMLText.none

    init(_ choose: @escaping (String) throws(FileError) -> any ElementParser) {
        self.choose = choose
    }

    static func of(_ data: UnsafeMutableRawPointer?) -> XMLSession? {
        unsafe data.map { unsafe Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
    }

    var hasBegun: Bool { parser != nil }

    func fail(_ error: FileError) {
        guard failure == nil else { return }
        failure = FileError(at: stop(), error.reason)
    }

    func begin(
        _ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard failure == nil, let name = unsafe name else { return }
        do throws(FileError) {
            depth += 1
            guard depth <= XMLReader.depthLimit else {
                throw FileError("elements are nested more than \(XMLReader.depthLimit) deep")
            }
            let name = try local(unsafe String(cString: name))
            let attributes = unsafe try attributes(list)
            if parser == nil { parser = try choose(name) }
            text.removeAll(keepingCapacity: true)
            use = try parser?.begin(name, attributes) ?? .none
        } catch {
            fail(error)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        switch use {
        case .none: break
        case .whole:
            guard text.count < XMLReader.textLimit else { return }
            unsafe text.append(contentsOf: bytes.prefix(XMLReader.textLimit - text.count))
        case .pieces:
            guard failure == nil else { return }
            do throws(FileError) {
                try unsafe parser?.append(Span(_unsafeBytes: bytes))
            } catch {
                fail(error)
            }
        }
    }

    func end() {
        guard failure == nil else { return }
        depth -= 1
        do throws(FileError) {
            try parser?.end(use == .whole ? String(decoding: text, as: UTF8.self) : "")
        } catch {
            fail(error)
        }
        use = .none
    }

    func withParser(_ body: (inout any ElementParser) throws -> Void) throws {
        guard var parser else { return }
        // The only reference, so that the parser is changed in place.
        self.parser = nil
        defer { self.parser = parser }
        try body(&parser)
    }

    /// A name without its namespace prefix.
    private func local(_ name: String) throws(FileError) -> String {
        if !names.contains(name) {
            guard names.count < XMLReader.nameLimit else {
                throw FileError("more than \(XMLReader.nameLimit) different names of elements and attributes")
            }
            names.insert(name)
        }
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }

    private func attributes(
        _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) throws(FileError) -> [XMLAttribute] {
        guard var next = unsafe list else { return [] }
        var attributes: [XMLAttribute] = []
        while let name = unsafe next[0], let value = unsafe next[1] {
            attributes.append(
                XMLAttribute(name: try local(unsafe String(cString: name)), value: unsafe String(cString: value)))
            unsafe next += 2
        }
        return attributes
    }
}
