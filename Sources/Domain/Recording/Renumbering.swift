/// Moves numbers that were counted in memory, while the journal could not be written, to numbers that continue the journal's.
package struct Renumbering: Equatable, Sendable {
    /// The numbers from `first` on move by `distance`, which is never negative. Where `first` is below 1, those from 1 on are known and stay.
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
    /// Of the lines of class EVENT.
    package var events: Shift

    package init(activities: Shift, events: Shift) {
        self.activities = activities
        self.events = events
    }

    package var isEmpty: Bool {
        activities.distance == 0 && events.distance == 0
    }

    /// Activities are counted from here while no number of the journal is known. Nobody is shown a number below 1.
    package static let firstUnknownActivity = -(1 << 30)
}
