/// Maps numbers assigned in memory, while the journal could not be written, to ones that continue the journal's.
package struct Renumbering: Equatable, Sendable {
    /// Moves the numbers from `first` on by `distance`, which is never negative. If
    /// `first` is below 1, numbers from 1 on are already the journal's and do not move.
    package struct Shift: Equatable, Sendable {
        package var first: Int
        package var distance: Int

        package init(from first: Int, to target: Int) {
            self.first = first
            distance = max(target - first, 0)
        }

        package func callAsFunction(_ number: Int) -> Int {
            let isKnown = first < 1 && number > 0
            return number >= first && !isKnown ? number + distance : number
        }
    }

    package var activities: Shift
    /// Sequence numbers of EVENT lines.
    package var events: Shift

    package init(activities: Shift, events: Shift) {
        self.activities = activities
        self.events = events
    }

    package var isEmpty: Bool {
        activities.distance == 0 && events.distance == 0
    }

    /// First number of activities while the journal's last number is unknown. Numbers below 1 are never published.
    package static let firstUnknownActivity = -(1 << 30)
}
