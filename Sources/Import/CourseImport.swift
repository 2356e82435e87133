package import Formats

/// Reads a course from a file in pieces: FIT, GPX, TCX, KML or GeoJSON. The format is recognized by the content.
///
/// Memory use is bounded: at most 300,000 vertices of the file are held, or 16 MiB of GeoJSON.
package struct CourseImport: ~Copyable {
    /// The first bytes, until the format is identified; then the whole text of GeoJSON.
    private var head: [UInt8] = []
    private var isJSON = false
    private var fit: FitCourse?
    private var xml: XMLReader?

    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Throws: ``FileError`` with the place. The import is useless after an error.
    package mutating func feed(_ bytes: Span<UInt8>) throws {
        if fit != nil || xml != nil {
            try fit?.feed(bytes)
            try xml?.feed(bytes) { _ in }
            return
        }
        let limit = isJSON ? GeoJSONCourse.sizeLimit : FileKind.headSize
        let count = min(limit - head.count, bytes.count)
        for index in 0..<count { head.append(bytes[index]) }
        if isJSON {
            guard count == bytes.count else {
                throw FileError(
                    "the GeoJSON text is larger than \(GeoJSONCourse.sizeLimit >> 20) MiB: save it as GPX, or simplify it"
                )
            }
            return
        }
        guard head.count == FileKind.headSize else { return }
        try decide()
        try feed(bytes.extracting(droppingFirst: count))
    }

    /// Ends the file.
    ///
    /// - Throws: ``FileError``
    package mutating func finish() throws -> ImportedCourse {
        if fit == nil, xml == nil, !isJSON { try decide() }
        if isJSON { return try GeoJSONCourse.read(head) }
        if let course = try fit?.finish() { return course }
        var course: ImportedCourse?
        try xml?.finish { parser in
            guard var file = parser as? any CourseParser else { return }
            course = try file.finish()
        }
        guard let course else { throw FileError("the file has no content") }
        return course
    }

    /// Selects the reader, and passes it the first bytes.
    private mutating func decide() throws {
        switch try FileKind(head) {
        case .fit:
            var reader = FitCourse()
            try reader.feed(head.span)
            fit = reader
        case .xml:
            var reader = try XMLReader { (root) throws(FileError) in try courseParser(for: root) }
            try reader.feed(head.span) { _ in }
            xml = consume reader
        case .json: isJSON = true
        case .unknown: throw FileError("not a FIT, GPX, TCX, KML or GeoJSON file")
        }
    }
}
