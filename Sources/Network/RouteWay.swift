import Domain
import Formats
import JSONCoding
import Pipeline
import Wire

/// A way of the result of `route.find`.
struct RouteWay {
    let course: CourseData
    private let track: Course
    private let statedSeconds: Double?
    /// Whether it climbs as little as the flattest one, or nearly, and is not the only such way.
    private let isTie: Bool

    /// The altitudes of a drawing.
    private static let sampleCount = 60
    /// Metres over which the steepest part is measured.
    private static let steepStretch = 100.0

    /// The ways of a search in the order of ``RouteRanking``.
    static func ranked(_ answers: [RouteAnswer], _ profile: RouteProfile) -> [RouteWay] {
        let courses = answers.map { answer in
            var data = answer.course.data
            data.sport = profile.sport
            // The hash names stored courses only.
            return (data, Course(data, hash: CourseHash(0)))
        }
        let ranking = RouteRanking.order(
            courses.map { data, track in
                RouteRanking.Way(
                    track: data.vertices.map(\.coordinate), length: track.length, ascent: track.ascent)
            })
        let least = ranking.compactMap { courses[$0].1.ascent }.min()
        let ties = ranking.filter { RouteRanking.isTie(courses[$0].1.ascent, least: least) }
        return ranking.map { index in
            let (data, track) = courses[index]
            return RouteWay(
                course: data, track: track, statedSeconds: answers[index].statedSeconds,
                isTie: ties.count > 1 && ties.contains(index))
        }
    }

    func write(into writer: inout JSONWriter) {
        writer.object {
            $0.member("length_m", track.length, decimals: 1)
            $0.member("ascent_m", track.ascent, decimals: 1)
            $0.member("descent_m", descent, decimals: 1)
            $0.member("steepest_percent", steepest, decimals: 1)
            $0.member("duration_s", statedSeconds, decimals: 0)
            if isTie { $0.member("is_tie", true) }
            $0.member("turns", course.points.count)
            let samples = track.samples(Self.sampleCount, climbScore: .max)
            guard !samples.altitudes.isEmpty else { return }
            $0.array("distance_m") { for metres in samples.distances { $0.value(metres, decimals: 0) } }
            $0.array("altitude_m") { for metres in samples.altitudes { $0.value(metres, decimals: 1) } }
        }
    }

    /// Of the smoothed altitudes, so that ascent and descent agree with them.
    private var descent: Double? {
        guard let ascent = track.ascent, let first = track.altitudes.first, let last = track.altitudes.last else {
            return nil
        }
        return max(ascent - Double(last - first), 0)
    }

    /// The greatest grade of a stretch of 100 m, up or down, in percent; nil without altitudes.
    private var steepest: Double? {
        guard !track.altitudes.isEmpty, track.length > 0 else { return nil }
        let stretch = min(Self.steepStretch, track.length)
        let count = max(Int((track.length - stretch) / 10), 0)
        let samples = track.samples(max(count + Int(stretch / 10), 1) + 1, climbScore: .max)
        let step = samples.distances.count > 1 ? samples.distances[1] : track.length
        let width = max(Int((stretch / step).rounded()), 1)
        guard samples.altitudes.count > width else { return nil }
        return zip(samples.altitudes, samples.altitudes.dropFirst(width)).map {
            abs($1 - $0) / (Double(width) * step) * 100
        }
        .max()
    }
}
