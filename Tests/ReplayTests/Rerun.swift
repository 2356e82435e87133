import Domain
import Pipeline

/// A run made from a recording: the pipeline's output at each tick with something due.
struct Rerun {
    var metres = 0.0
    var movingSeconds = 0.0
    /// Lengths of the automatic pauses in seconds.
    var autoPauses: [Double] = []
    /// Each pace tick with its pace in seconds per metre.
    var paces: [(at: Instant, pace: Double?)] = []
    var events: [Event] = []

    /// Feeds fixes at their arrival times to a run that starts at the first.
    init(_ fixes: [Fix], sport: Sport, phase: Duration = .milliseconds(50), _ settings: Settings = Settings()) {
        guard let first = fixes.first else { return }
        var pipeline = Pipeline(settings: settings, isDemo: false, at: first.arrivedAt - .seconds(1))
        var effects = Effects()
        pipeline.step(.input(.fix(first)), at: first.arrivedAt, into: &effects)
        _ = try? pipeline.step(.start(sport, indoor: false), at: first.arrivedAt + phase, into: &effects)
        for fix in fixes.dropFirst() {
            advance(&pipeline, to: fix.arrivedAt, &effects)
            pipeline.step(.input(.fix(fix)), at: fix.arrivedAt, into: &effects)
        }
        if let last = fixes.last { advance(&pipeline, to: last.arrivedAt + .seconds(2), &effects) }
        metres = pipeline.state(at: pipeline.deadline).activity?.total.distanceMetres ?? 0
        movingSeconds = Double(pipeline.state(at: pipeline.deadline).activity?.total.movingMilliseconds ?? 0) / 1000
    }

    private mutating func receive(_ event: Event) {
        events.append(event)
        switch event.kind {
        case .autoPause(let elapsed, _): autoPauses.append(-Double(elapsed) / 1000)
        case .autoResume(let elapsed, _): autoPauses[autoPauses.count - 1] += Double(elapsed) / 1000
        default: break
        }
    }

    private mutating func advance(_ pipeline: inout Pipeline, to now: Instant, _ effects: inout Effects) {
        while pipeline.deadline <= now {
            pipeline.step(.time, at: pipeline.deadline, into: &effects)
            for case .event(let event) in effects.outputs { receive(event) }
            let state = effects.state?.state
            effects.removeAll()
            guard let state, let activity = state.activity else { continue }
            if activity.total.elapsedMilliseconds.isMultiple(of: 5000) {
                paces.append((state.at, activity.pace))
            }
        }
    }
}
