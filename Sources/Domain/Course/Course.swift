/// Identifies the content of a course: a hash of its stored bytes.
package struct CourseHash: Hashable, Sendable, CustomStringConvertible {
    package var value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// Computes the hash of the bytes. The journal compares the bytes before it stores a course under a known hash.
    package init(of bytes: some Sequence<UInt8>) {
        value = UInt128(fnv1a: bytes)
    }

    /// Reads ``description``; nil for other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
            let value = UInt128(text, radix: 16)
        else { return nil }
        self.value = value
    }

    /// 32 hexadecimal digits.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// A course that can be followed: its track with distances, its profile, its climbs and its course points.
///
/// It is immutable and shared, so that a state, a snapshot or a log entry that names it copies nothing. 30,000 vertices
/// take less than 1 MB. `Pipeline` computes it from ``CourseData``.
package final class Course: Sendable {
    package let hash: CourseHash
    package let sport: Sport?
    /// The track, in units of 1e-7 degrees.
    package let latitudes: [Int32]
    package let longitudes: [Int32]
    /// Metres from the first vertex along the track, rising.
    package let distances: [Double]
    /// The smoothed altitudes at the vertices, in metres, and the metres climbed from the first vertex. Both are empty if
    /// the altitude is unknown.
    package let altitudes: [Float]
    package let ascents: [Float]
    /// The metres on level ground that take as long as the course up to each vertex, on foot and on a bicycle. Both are
    /// empty if the altitude is unknown.
    package let levelMetresOnFoot: [Float]
    package let levelMetresOnWheels: [Float]
    /// In order of their distances, small ones too: the setting `climb_score` selects those that count.
    package let climbs: [Climb]
    package let points: [CoursePoint]
    /// The bounds of each ``boxSize`` consecutive segments, in units of 1e-7 degrees.
    package let boxes: [Box]

    /// Segments of one box.
    package static let boxSize = 32

    /// A rectangle of latitudes and longitudes.
    package struct Box: Equatable, Sendable {
        package var latitudes: ClosedRange<Int32>
        package var longitudes: ClosedRange<Int32>

        package init(latitudes: ClosedRange<Int32>, longitudes: ClosedRange<Int32>) {
            self.latitudes = latitudes
            self.longitudes = longitudes
        }
    }

    package init(
        hash: CourseHash, sport: Sport?, latitudes: [Int32], longitudes: [Int32], distances: [Double],
        altitudes: [Float], ascents: [Float], levelMetresOnFoot: [Float], levelMetresOnWheels: [Float], climbs: [Climb],
        points: [CoursePoint], boxes: [Box]
    ) {
        self.hash = hash
        self.sport = sport
        self.latitudes = latitudes
        self.longitudes = longitudes
        self.distances = distances
        self.altitudes = altitudes
        self.ascents = ascents
        self.levelMetresOnFoot = levelMetresOnFoot
        self.levelMetresOnWheels = levelMetresOnWheels
        self.climbs = climbs
        self.points = points
        self.boxes = boxes
    }

    /// Metres.
    package var length: Double { distances.last ?? 0 }

    /// Metres climbed from start to end; nil if the altitude is unknown.
    package var ascent: Double? { ascents.last.map(Double.init) }

    /// The climbs that count.
    ///
    /// - Parameter leastScore: in metres times percent.
    package func climbs(leastScore: Int) -> [Climb] {
        climbs.filter { $0.score >= Double(leastScore) }
    }

    package func coordinate(at vertex: Int) -> Coordinate {
        Coordinate(latitude: Double(latitudes[vertex]) * 1e-7, longitude: Double(longitudes[vertex]) * 1e-7)
    }
}

/// A climb of a course.
package struct Climb: Equatable, Sendable {
    /// Metres from the start of the course.
    package var start: Double
    package var top: Double
    /// Metres from the foot to the top.
    package var ascent: Double

    package init(start: Double, top: Double, ascent: Double) {
        self.start = start
        self.top = top
        self.ascent = ascent
    }

    package var length: Double { top - start }
    /// Percent.
    package var averageGrade: Double { length > 0 ? ascent / length * 100 : 0 }
    /// Length times average grade, in metres times percent.
    package var score: Double { length * averageGrade }
}

/// The course that is loaded, as the input log names it.
package struct LoadedCourse: Equatable, Sendable {
    package var hash: CourseHash
    /// Its number in the list of courses when it was loaded.
    package var number: Int?
    package var name: SanitizedText?
    /// Nil if a reader of the log does not have it: the replay is then that of a run without a course.
    package var course: Course?

    package init(hash: CourseHash, number: Int? = nil, name: SanitizedText? = nil, course: Course? = nil) {
        self.hash = hash
        self.number = number
        self.name = name
        self.course = course
    }

    /// Equal hashes are equal courses.
    package static func == (one: LoadedCourse, other: LoadedCourse) -> Bool {
        one.hash == other.hash && one.number == other.number && one.name == other.name
            && (one.course == nil) == (other.course == nil)
    }
}
