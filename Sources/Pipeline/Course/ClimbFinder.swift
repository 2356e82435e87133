import Domain

extension Climb {
    /// Metres times percent.
    static let leastScore = 1500.0
    /// Metres.
    static let leastLength = 500.0
    /// The rise over the way.
    static let leastGrade = 0.03
}

/// Finds the climbs of a profile.
///
///     profile ──▶ rises, split where it falls 20 m or does not rise for 1 km ──▶ the steepest part of each ──▶ its foot, its top
///
/// A part is a climb if its score is 1500 or more, it is 500 m long and has 3 % on average. The setting `climb_score`
/// selects those that count.
///
/// Source of the rule: Garmin, "Understanding ClimbPro on the Edge".
extension CourseProfile {
    /// A rise ends where the profile is this much lower, or this much farther, than its highest place, in metres.
    private static let fall = 20.0
    private static let plateau = 1000.0
    /// The foot and the top of a climb may be this part of its length farther away than its steep part.
    private static let extensionPart = 0.1

    var climbs: [Climb] {
        var climbs: [Climb] = []
        for rise in rises() { search(rise, into: &climbs) }
        return climbs
    }

    /// From the lowest to the highest place of each rise.
    private func rises() -> [ClosedRange<Int>] {
        var rises: [ClosedRange<Int>] = []
        var (start, top) = (0, 0)
        for place in altitudes.indices {
            if altitudes[place] >= altitudes[top] {
                top = place
            } else if altitudes[top] - altitudes[place] >= Self.fall || Double(place - top) * step >= Self.plateau {
                if top > start { rises.append(start...top) }
                (start, top) = (place, place)
            }
            if altitudes[place] <= altitudes[start] { (start, top) = (place, place) }
        }
        if top > start { rises.append(start...top) }
        return rises
    }

    /// Appends the climb with the most metres above the least grade, and those before and after it.
    private func search(_ rise: ClosedRange<Int>, into climbs: inout [Climb]) {
        guard Double(rise.count - 1) * step >= Climb.leastLength else { return }
        let surplus = { (place: Int) in altitudes[place] - Climb.leastGrade * step * Double(place) }
        var (low, best) = (rise.lowerBound, rise.lowerBound...rise.lowerBound)
        for place in rise {
            if surplus(place) < surplus(low) { low = place }
            if surplus(place) - surplus(low) > surplus(best.upperBound) - surplus(best.lowerBound) {
                best = low...place
            }
        }
        let climb = climb(extended(best, within: rise))
        guard climb.length >= Climb.leastLength, climb.ascent >= Climb.leastGrade * climb.length,
            climb.score >= Climb.leastScore
        else { return }
        search(rise.lowerBound...best.lowerBound, into: &climbs)
        climbs.append(climb)
        search(best.upperBound...rise.upperBound, into: &climbs)
    }

    /// Extends a steep part down to its foot and up to its top, while its grade stays a climb's.
    private func extended(_ steep: ClosedRange<Int>, within rise: ClosedRange<Int>) -> ClosedRange<Int> {
        var (foot, top) = (steep.lowerBound, steep.upperBound)
        let most = Int(Double(steep.count) * Self.extensionPart)
        let isClimb = { (foot: Int, top: Int) in
            altitudes[top] - altitudes[foot] >= Climb.leastGrade * step * Double(top - foot)
        }
        while foot > rise.lowerBound, steep.lowerBound - foot < most, altitudes[foot - 1] < altitudes[foot],
            isClimb(foot - 1, top)
        {
            foot -= 1
        }
        while top < rise.upperBound, top - steep.upperBound < most, altitudes[top + 1] > altitudes[top],
            isClimb(foot, top + 1)
        {
            top += 1
        }
        return foot...top
    }

    private func climb(_ places: ClosedRange<Int>) -> Climb {
        Climb(
            start: Double(places.lowerBound) * step, top: Double(places.upperBound) * step,
            ascent: altitudes[places.upperBound] - altitudes[places.lowerBound])
    }
}
