package import Domain
package import Formats

/// Imports a recording from a file in pieces. The format is recognized by the content, not by the name.
///
/// Memory use does not grow with the file. The rows are valid only after ``finish(_:)`` has returned:
/// before that, and after an error, discard all of them.
package struct FileImport: ~Copyable {
    /// The first bytes, until the format is identified.
    private var head: [UInt8] = []
    private var fit: FitReader?
    private var xml: XMLReader?
    private let salvages: Bool
    private let plan: FitPlan?
    private let activity: Int?

    /// - Parameters:
    ///   - salvages: whether a broken file is imported up to the break.
    ///   - plan: how to read an activity of a FIT file, by ``FileContents``.
    ///   - activity: the number of the activity in another file, from 0; nil for the first, with the others as left out.
    package init(salvages: Bool = false, plan: FitPlan? = nil, activity: Int? = nil) {
        self.salvages = salvages
        self.plan = plan
        self.activity = activity
    }

    /// Reads the next bytes of the file, and passes the completed rows to `row` in order.
    ///
    /// - Throws: ``FileError``, or an error of `row`.
    package mutating func feed(_ bytes: Span<UInt8>, _ row: (RecordingRow) throws -> Void) throws {
        guard fit == nil, xml == nil else {
            try fit?.feed(bytes, row)
            try xml?.feed(bytes) { parser in try Self.drain(&parser, row) }
            return
        }
        let count = min(FileKind.headSize - head.count, bytes.count)
        for index in 0..<count { head.append(bytes[index]) }
        guard head.count == FileKind.headSize else { return }
        try decide(row)
        try feed(bytes.extracting(droppingFirst: count), row)
    }

    /// Ends the file, and passes the last rows to `row`.
    ///
    /// - Throws: ``FileError``, or an error of `row`.
    package mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        if fit == nil, xml == nil { try decide(row) }
        if let recording = try fit?.finish(row) { return recording }
        var recording: ImportedRecording?
        do {
            try xml?.finish { parser in
                guard var track = parser as? any TrackParser else { return }
                recording = try track.finish()
                parser = track
                try Self.drain(&parser, row)
            }
        } catch let error as FileError {
            // There is no point before the break.
            throw xml?.damage ?? error
        }
        guard var recording else { throw FileError("the file has no content") }
        recording.damage = xml?.damage
        return recording
    }

    /// Selects the reader, and passes it the first bytes.
    private mutating func decide(_ row: (RecordingRow) throws -> Void) throws {
        switch try FileKind(head) {
        case .fit:
            var reader = FitReader(salvages: salvages, plan: plan)
            try reader.feed(head.span, row)
            fit = reader
            return
        case .xml: break
        case .json, .unknown: throw FileError("not a FIT, GPX, TCX or KML file")
        }
        let activity = activity
        var reader = try XMLReader(salvages: salvages) { (root) throws(FileError) in
            switch root {
            case "gpx": return GPXTrack()
            case "TrainingCenterDatabase": return TCXTrack(activity: activity)
            case "kml": return KMLTrack()
            default:
                throw FileError("not a GPX, TCX or KML file: its first element is <\(SanitizedText(root)?.text ?? "")>")
            }
        }
        try reader.feed(head.span) { parser in try Self.drain(&parser, row) }
        xml = consume reader
    }

    /// Passes on the rows that are complete.
    private static func drain(_ parser: inout any ElementParser, _ row: (RecordingRow) throws -> Void) throws {
        guard var track = parser as? any TrackParser else { return }
        let rows = track.drainRows()
        parser = track
        for next in rows { try row(next) }
    }
}
