import Domain
import Formats
import JSONCoding
import Pipeline
import Wire

/// A route of the result of `route.find`.
struct RankedRoute {
    let course: CourseData
    private let track: Course
    private let statedSeconds: Double?
    /// Whether it climbs as little as the flattest one, or nearly, and is not the only such way.
    private let isTie: Bool

    /// The altitudes of a drawing.
    private static let sampleCount = 60
    /// The steepest part is measured over ten steps of 10 m.
    private static let steepStep = 10.0
    private static let steepSteps = 10

    /// The routes of a search in the order of ``RouteRanking``.
    static func ranked(_ answers: [RouteAnswer], _ goal: RouteGoal, _ profile: RouteProfile) -> [RankedRoute] {
        let courses = answers.map { answer in
            var data = answer.course.data
            data.sport = profile.sport
            // The hash names stored courses only.
            return (data, Course(data, hash: CourseHash(0)))
        }
        let candidates = courses.map { data, track in
            RouteRanking.Candidate(
                track: data.vertices.map(\.coordinate), length: track.length, ascent: track.ascent)
        }
        let ranking =
            switch goal {
            case .place: RouteRanking.order(candidates)
            case .loop(let metres): RouteRanking.order(candidates, metres: metres)
            }
        let least = ranking.compactMap { courses[$0].1.ascent }.min()
        let ties = ranking.filter { RouteRanking.isTie(courses[$0].1.ascent, least: least) }
        return ranking.map { index in
            let (data, track) = courses[index]
            return RankedRoute(
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

    /// Metres descended, from the ascent and the smoothed altitudes of both ends.
    private var descent: Double? {
        guard let ascent = track.ascent, let first = track.altitudes.first, let last = track.altitudes.last else {
            return nil
        }
        return max(ascent - Double(last - first), 0)
    }

    /// The greatest grade of 100 m, up or down, in percent; nil without altitudes.
    private var steepest: Double? {
        let samples = track.samples(max(Int(track.length / Self.steepStep), 1) + 1, climbScore: .max)
        guard samples.altitudes.count > 1, samples.distances[1] > 0 else { return nil }
        // A shorter route is one stretch.
        let width = min(Self.steepSteps, samples.altitudes.count - 1)
        let rise = zip(samples.altitudes, samples.altitudes.dropFirst(width)).map { abs($1 - $0) }.max() ?? 0
        return rise / (Double(width) * samples.distances[1]) * 100
    }
}
