/// A trip on a day.
package struct Ride: Sendable {
    /// The number of the trip in the timetable; negative for a trip that the live data adds.
    package var trip: Int
    package var day: ServiceDay
    /// The number of the line in the timetable.
    package var line: Int
    /// Seconds since 1970 to which the times of the calls are added.
    package var start: Int
    /// Nil if the agency does not say so.
    package var allowsBikes: Bool?
    /// Seconds between two runs that have no times of their own; nil for a run with times.
    package var headway: Int?
    package var isCanceled = false
    /// The stops by the timetable.
    package var schedule: [Call]
    /// The stops with the live data; those of ``schedule`` without any.
    package var calls: [Call]

    package init(trip: Int, day: ServiceDay, line: Int, start: Int, schedule: [Call]) {
        self.trip = trip
        self.day = day
        self.line = line
        self.start = start
        self.schedule = schedule
        calls = schedule
    }

    /// Seconds since 1970.
    package func arrival(_ place: Int) -> Int { start + calls[place].arrival }
    /// Seconds since 1970.
    package func departure(_ place: Int) -> Int { start + calls[place].departure }
    /// By the timetable, in seconds since 1970.
    package func scheduledArrival(_ place: Int) -> Int { start + schedule[place].arrival }
    /// By the timetable, in seconds since 1970.
    package func scheduledDeparture(_ place: Int) -> Int { start + schedule[place].departure }
}
