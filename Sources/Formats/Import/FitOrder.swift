import Domain

/// The timer events of a FIT activity that are not at their time among the records: before all records, or after them, as in
/// summaries that a device writes first or last. A first pass over the file finds them; the second one places them by time.
package struct FitOrder: Sendable {
    /// Devices write events a little late, and records of the same seconds before or after them: those stay in their place.
    private static let tolerance: Int64 = 10
    /// The most events that move. Further ones stay in their place.
    private static let limit = 65_536

    /// The numbers of the moved events among all timer events, in rising order, and the events in the order of their times.
    private var moved: [Int] = []
    private var events: [FitTimelineItem] = []
    private var nextMoved = 0
    private var nextEvent = 0

    private var count = 0
    /// The events since the last record, and the time of that.
    private var recent: [(number: Int, item: FitTimelineItem)] = []
    private var lastRecord: Int64?

    mutating func add(event: FitTimelineItem) {
        defer { count += 1 }
        if let lastRecord, event.time < lastRecord - Self.tolerance {
            move(count, event)
        } else if recent.count < Self.limit {
            recent.append((count, event))
        }
    }

    mutating func add(recordAt time: Int64) {
        for (number, event) in recent where event.time > time + Self.tolerance { move(number, event) }
        recent.removeAll(keepingCapacity: true)
        lastRecord = max(time, lastRecord ?? time)
    }

    private mutating func move(_ number: Int, _ event: FitTimelineItem) {
        guard moved.count < Self.limit else { return }
        moved.append(number)
        events.append(event)
    }

    mutating func finish() {
        moved.sort()
        // Two of one second keep their order: a stop, and the start after it.
        events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
            \.element)
    }

    /// Whether a timer event of the file moves. Called with the number of each, in order.
    mutating func isMoved(_ number: Int) -> Bool {
        guard nextMoved < moved.count, moved[nextMoved] == number else { return false }
        nextMoved += 1
        return true
    }

    /// Returns the events that come before a record, once. Those of its second do if the timer starts.
    mutating func popEvents(before record: Int64) -> ArraySlice<FitTimelineItem> {
        var end = nextEvent
        while end < events.count, events[end].time <= record { end += 1 }
        while end > nextEvent, events[end - 1].time == record, !events[end - 1].isStart { end -= 1 }
        defer { nextEvent = end }
        return events[nextEvent..<end]
    }

    /// Returns the rest of the events, once.
    mutating func popAll() -> ArraySlice<FitTimelineItem> {
        defer { nextEvent = events.count }
        return events[nextEvent...]
    }
}
