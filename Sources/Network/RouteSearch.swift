import Domain
import Formats
import HTTP
import Pipeline

/// The search for routes: the requests to an engine, one after another, and the routes of their responses.
struct RouteSearch {
    let engine: RouteEngine
    let start: Coordinate
    let goal: RouteGoal
    let profile: RouteProfile
    private(set) var found: [RouteAnswer] = []
    /// Why the search found no route.
    private(set) var failure: RouteFailure?

    private struct Step {
        var call: RouteCall
        /// The round trip that the call is for.
        var trip: RoundTrip?
        /// How often another size of the trip may be tried.
        var corrections = 0
    }

    private var steps: ArraySlice<Step>

    /// A route that starts or ends farther from the requested place is refused: the map of the engine does not cover the
    /// place. In metres.
    private static let snapLimit = 200.0
    /// The most routes that are compared.
    private static let answerLimit = 16
    /// Of each direction: where the ways are few, the length jumps with the size.
    private static let correctionLimit = 2

    init(_ engine: RouteEngine, from start: Coordinate, _ goal: RouteGoal, _ profile: RouteProfile) {
        self.engine = engine
        self.start = start
        self.goal = goal
        self.profile = profile
        let steps: [Step]
        switch goal {
        case .place(let end, let via):
            let query = RouteQuery(places: [start] + via + [end], profile: profile)
            steps = engine.calls(for: query).map { Step(call: $0) }
        case .loop(let metres):
            steps = RoundTrip.all(from: start, metres: metres).map { trip in
                Step(
                    call: engine.call(for: RouteQuery(places: trip.places, profile: profile)), trip: trip,
                    corrections: Self.correctionLimit)
            }
        }
        self.steps = steps[...]
    }

    /// The next request; nil at the end of the search.
    var next: RouteCall? { steps.first?.call }

    /// Takes the response to the last request.
    ///
    /// A later request may fail: the routes of the earlier ones suffice. The search ends if the engine does not respond or
    /// limits its clients.
    /// - Returns: how long the engine asks its clients to wait, if it limits them.
    mutating func receive(_ result: Result<HTTPResponse, HTTPError>, timeout: Duration, at time: UTC) -> Duration? {
        do throws(RouteFailure) {
            let step = steps.popFirst()
            for answer in try routes(of: result, timeout: timeout, at: time) where found.count < Self.answerLimit {
                try check(answer)
                found.append(answer)
                if let step { tryAgain(step, insteadOf: answer) }
            }
            if !found.isEmpty { failure = nil }
            return nil
        } catch {
            if found.isEmpty { failure = error }
            if error.isOfEngine || found.isEmpty && !isLoop { steps = [] }
            return if case .limited(let duration) = error { duration } else { nil }
        }
    }

    /// In one direction there may be no way, and there may be one in another.
    private var isLoop: Bool {
        if case .loop = goal { true } else { false }
    }

    private mutating func tryAgain(_ step: Step, insteadOf answer: RouteAnswer) {
        guard case .loop(let metres) = goal, step.corrections > 0,
            let trip = step.trip?.corrected(length: answer.metres, metres: metres)
        else { return }
        let call = engine.call(for: RouteQuery(places: trip.places, profile: profile))
        steps.append(Step(call: call, trip: trip, corrections: step.corrections - 1))
    }

    private func routes(
        of result: Result<HTTPResponse, HTTPError>, timeout: Duration, at time: UTC
    ) throws(RouteFailure) -> [RouteAnswer] {
        switch result {
        case .failure(let error): throw .noResponse(error, timeout: timeout)
        case .success(let response):
            if response.status == 429 { throw .limited(for: response.retryAfter(at: time)) }
            if (300..<400).contains(response.status) { throw .redirected }
            let words = RouteDialect.reason(in: response.body)
            guard response.status == 200 else {
                throw engine.dialect.saysNoRoute(words) ? .noRoute(words) : .status(response.status, words)
            }
            let first = response.body.first { $0 > UInt8(ascii: " ") }
            if first == UInt8(ascii: "<") { throw .page }
            if response.body.isEmpty { throw .noResponse(.incomplete, timeout: timeout) }
            do throws(RouteAnswer.Failure) {
                return try engine.dialect.answers(response.body)
            } catch {
                switch error {
                case .tooLong(let metres): throw .tooFar(metres: metres)
                case .format where engine.dialect.saysNoRoute(words): throw .noRoute(words)
                case .format(let error): throw .format(engine.dialect, error)
                }
            }
        }
    }

    private func check(_ answer: RouteAnswer) throws(RouteFailure) {
        let track = answer.course.data.vertices
        guard let first = track.first, let last = track.last else { throw .noRoute(nil) }
        func check(_ place: Coordinate, _ metres: Double?, _ end: RouteFailure.Place) throws(RouteFailure) {
            if let metres, metres > Self.snapLimit { throw .snapped(end, metres: metres) }
        }
        try check(start, start.metres(to: first.coordinate), .start)
        guard case .place(let end, let via) = goal else {
            return try check(start, start.metres(to: last.coordinate), .start)
        }
        try check(end, end.metres(to: last.coordinate), .end)
        for place in via {
            try check(place, track.map { place.metres(to: $0.coordinate) }.min(), .via)
        }
    }
}

extension RouteFailure {
    /// Whether other requests to the engine would fail too.
    fileprivate var isOfEngine: Bool {
        switch self {
        case .noResponse, .limited, .redirected, .page: true
        case .status, .format, .noRoute, .snapped, .tooFar: false
        }
    }
}

extension RouteDialect {
    /// Whether the message of an engine says that there is no route.
    ///
    /// Source: messages of BRouter ("no track found", "target island detected"), of Valhalla ("No path could be found for
    /// input") and of GraphHopper ("Connection between locations not found").
    fileprivate func saysNoRoute(_ words: String?) -> Bool {
        guard let words = words?.lowercased() else { return false }
        return [
            "no track found", "island detected", "no path could be found", "connection between locations not found",
        ]
        .contains { words.containsText($0) }
    }
}
