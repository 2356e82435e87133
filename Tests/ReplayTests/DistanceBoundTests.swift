import Domain
import Pipeline
import TestKit
import Testing

/// Devices' recordings with receiver faults: no part may exceed the distance limit.
@Suite struct DistanceBoundTests {
    @Test(arguments: Recording.all, 1...3 as ClosedRange<UInt64>)
    func damagedRecordingStaysWithinTheBound(recording: Recording, seed: UInt64) {
        let steps = spoiled(Array(recording.fixes().prefix(1500)), seed: seed)
        for sport in [recording.sport, .walk] {
            let start = RunStep(at: steps[0].at, .command(.start(sport, indoor: false)))
            let run = BoundedRun([start] + steps, sport: sport)
            #expect(run.worstExcess < 1e-6, "\(run.worstExcess) m over in \(run.metres) m")
            #expect(run.worstGapExcess < 1e-6, "\(run.worstGapExcess) m over")
        }
    }

    /// Omits, repeats and moves parts, delivers them late or at once, and sets times ahead, back or fast.
    private func spoiled(_ fixes: [Fix], seed: UInt64) -> [RunStep] {
        var random = SeededRandom(seed: seed)
        var steps: [RunStep] = []
        var latest = fixes[0].arrivedAt
        var rest = fixes[...]
        while !rest.isEmpty {
            let stretch = rest.prefix(Int(random.next() % 60) + 1)
            rest = rest.dropFirst(stretch.count)
            let spoil = random.next() % 12
            let (amount, other) = (random.uniform(), random.uniform())
            for (index, original) in stretch.enumerated() {
                var fix = original
                switch spoil {
                case 0: continue
                case 1: fix.latitude = fix.latitude.map { $0 + amount * 0.01 * Double(index % 2) }
                case 2: fix.longitude = fix.longitude.map { $0 + amount }
                case 3: fix.time = fix.time.map { UTC(milliseconds: $0.milliseconds + Int64(amount * 700_000)) }
                case 4:
                    let ahead = Int64(amount * 9000) * Int64(index)
                    fix.time = fix.time.map { UTC(milliseconds: $0.milliseconds + ahead) }
                case 5: fix.time = nil
                case 6: fix.arrivedAt += .milliseconds(Int64(amount * 12_000))
                case 7: fix.arrivedAt = stretch[stretch.endIndex - 1].arrivedAt
                case 8: fix.speed = amount < 0.5 ? nil : other * 0.6
                case 9: fix.latitude = fix.latitude.map { -$0 * other }
                case 10: fix.accuracy = amount < 0.5 ? nil : other * 100
                default: break
                }
                latest = max(latest, fix.arrivedAt)
                fix.arrivedAt = latest
                steps.append(RunStep(at: latest, .fix(fix)))
            }
        }
        return steps
    }
}
