import Domain

/// Reads the course of a FIT file in pieces: that of a course file, or the track of an activity.
///
/// Course points may come before, between and after the records. Their positions decide; distances and times, which some
/// files have as 0 or as that of the start, are used if they fit the positions. Records without position are skipped.
///
/// Source: Garmin FIT SDK, profile, messages course, record and course_point.
package struct FitCourse {
    private let content: Content
    private var reader: FitReader

    package init() {
        let content = Content()
        self.content = content
        reader = FitReader { message in try content.ingest(message) }
    }

    /// - Throws: ``FileError``. The reader is useless after an error.
    package mutating func feed(_ bytes: Span<UInt8>) throws {
        try reader.feed(bytes) { _ in }
    }

    /// Ends the file.
    package mutating func finish() throws -> ImportedCourse {
        try reader.finishMessages()
        return try content.finish()
    }

    /// What the reader's messages make.
    private final class Content {
        private enum File {
            case unknown, course, other
        }

        private var course = CourseBuilder()
        private var file = File.unknown
        private var hasCourse = false
        private var otherFile: String?
        private var name: SanitizedText?
        private var sport: Sport?

        func ingest(_ message: FitMessage) throws(FileError) {
            let kind = Fit.Message(rawValue: message.definition.message)
            if kind == .fileID {
                let type = message[Fit.FileID.type] ?? Fit.activityFile
                file = !hasCourse && [Fit.courseFile, Fit.activityFile].contains(type) ? .course : .other
                if file == .other {
                    otherFile = otherFile ?? FitSummary.fileType(type)
                    course.skipped.count(FitSummary.fileType(type))
                }
            }
            guard file != .other else { return }
            hasCourse = true
            switch kind {
            case .course:
                name = message.text(Fit.Course.name) ?? name
                sport = message[Fit.Course.sport].map { Fit.sport(number: $0) } ?? sport
            case .session: sport = sport ?? message[Fit.Session.sport].map { Fit.sport(number: $0) }
            case .event:
                let isStart =
                    message[Fit.Event.event] == Fit.Event.timer && message[Fit.Event.type] == Fit.Event.start
                if isStart { course.beginPart() }
            case .record: try record(message)
            case .coursePoint: try coursePoint(message)
            default: break
            }
        }

        private func record(_ message: FitMessage) throws(FileError) {
            let sample = FitValues(message).sample
            let latitude = message[Fit.Record.latitude]
            if let latitude, latitude.magnitude > 1 << 30 {
                throw FileError("a record has a latitude of \(Int(Fit.degrees(semicircles: latitude)))°")
            }
            guard let coordinate = sample.coordinate else { return course.skipped.count("records without position") }
            try course.add(coordinate, altitude: sample.altitude, time: message.time.map { $0 * 1000 })
            course.statedLength = max(sample.distanceMetres ?? 0, course.statedLength)
        }

        private func coursePoint(_ message: FitMessage) throws(FileError) {
            var cue = CourseBuilder.Cue(kind: .generic)
            if let latitude = message[Fit.CoursePoint.latitude], let longitude = message[Fit.CoursePoint.longitude] {
                cue.coordinate = Coordinate(
                    latitude: Fit.degrees(semicircles: latitude), longitude: Fit.degrees(semicircles: longitude))
            }
            cue.kind = message[Fit.CoursePoint.type].flatMap { CoursePointKind(fitNumber: $0) } ?? .generic
            cue.name = message.text(Fit.CoursePoint.name)
            cue.time = message[Fit.CoursePoint.time].map { $0 * 1000 }
            cue.distance = message[Fit.CoursePoint.distance].map { Double($0) / 100 }
            try course.add(cue)
        }

        func finish() throws(FileError) -> ImportedCourse {
            guard hasCourse else {
                throw FileError("the file contains \(otherFile ?? "nothing"), not a course and not an activity")
            }
            return try course.finish(name: name, sport: sport, missing: "no record of the file has a position")
        }
    }
}
