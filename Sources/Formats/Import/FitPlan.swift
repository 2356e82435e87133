import Domain

/// How a second pass reads one activity of a FIT file: the order of its messages, the steps of the device's clock, and the
/// time that counts.
///
/// The stored totals are what the athlete did. The timer ran for the time of the session, else of the laps, else from timer
/// event to timer event, else from record to record.
package struct FitPlan: Sendable {
    /// Whether the records are sorted by time: the file has them in no order.
    var sorts = false
    /// The numbers of the activity's records among those of the file; of the sorted ones if the plan sorts.
    var records = 0..<Int.max
    /// The sessions of the activity, by their numbers in the file.
    var sessions = 0..<Int.max
    /// The FIT files of a chained one that belong to the plan.
    var files = 0..<1
    /// The times of the activity's laps and lengths.
    var window = Int64.min..<Int64.max
    /// The file's number of activities.
    package var count = 1
    /// Seconds that are added to the times of records from a number on.
    var shifts: [(from: Int, seconds: Int64)] = []
    /// Records at the beginning and the end whose time is nonsense.
    var early = 0..<0
    var late = 0..<0
    /// Timer events that come before a record, in the order of both: moved ones, and those that the totals imply.
    var events: [(before: Int, item: FitTimelineItem)] = []
    /// The numbers of the timer events that are not read in their place.
    var moved: Set<Int> = []
    /// Whether records after a stop of the timer are samples of a pause. Else they mean that the timer ran.
    var keepsPauses = false
    /// The number of steps of the clock.
    var clockSteps = 0
    var heartRates: [FitHeartRates.Second] = []
    /// The length of the pool in metres; nil if it is unknown.
    var poolLength: Double?
    /// Whether the file has no record with a time: lengths, laps and session are all there is. Events come by their times then.
    var isUntimed = false
    /// The raw times that each shift is for.
    var spans: [(times: ClosedRange<Int64>, shift: Int64)] = []

    /// Reads all messages in the order of the file.
    init() {}

    /// Seconds that are added to the times of timer events that stay in their place, by their numbers.
    var eventShifts: [Int: Int64] = [:]

    /// The number of seconds to add to the time of a record.
    func shift(ofRecord number: Int) -> Int64 {
        let place = shifts.partition { $0.from <= number }
        return place == 0 ? 0 : shifts[place - 1].seconds
    }

    /// The time, in seconds since the epoch of FIT, without the steps of the clock.
    func corrected(_ time: Int64) -> Int64 {
        guard let first = spans.first else { return time }
        let near = spans.first { $0.times.contains(time) } ?? spans.last { $0.times.lowerBound <= time } ?? first
        return time + near.shift
    }
}

extension FitSurvey {
    /// More neighbours than one in ten out of order: the file has no order, and no step of a clock.
    private var sorts: Bool {
        let falls = zip(records, records.dropFirst()).count { $1 < $0 }
        // A few times that go back show nothing.
        return falls > 2 && falls * 10 > records.count - 1 && records.count <= FitActivityReader.sortLimit
    }

    /// - Parameter splits: whether several sessions, and chained files, are activities of their own.
    /// - Returns: The plans of the activities, in the order of their times. There is at least one.
    package func plans(splits: Bool) -> [FitPlan] {
        let sorts = sorts
        let times = (sorts ? records.sorted() : records).map { Int64($0) }
        var plans = parts(times, splits: splits)
        for index in plans.indices {
            plans[index].sorts = sorts
            plans[index].count = plans.count
            var planner = FitPlanner(self, times, plans[index])
            planner.decide()
            plans[index] = planner.plan
        }
        return plans
    }

    /// The longest time by which a session may begin before the one before it has ended, in seconds.
    private static let overlap: Int64 = 60

    private func parts(_ times: [Int64], splits: Bool) -> [FitPlan] {
        let first = sessions.prefix { $0.file == 0 }
        if splits {
            if let parts = parts(times, sessions[...], files: 0..<Int.max) { return parts }
            if let parts = parts(times.prefix(recordsOfFirstFile), first, files: 0..<1) { return parts }
        }
        var whole = FitPlan()
        whole.records = 0..<recordsOfFirstFile
        whole.sessions = first.indices
        return [whole]
    }

    /// Nil unless there are several sessions, one after the other.
    private func parts(
        _ times: some RandomAccessCollection<Int64>, _ sessions: ArraySlice<Session>, files: Range<Int>
    ) -> [FitPlan]? {
        let times = Array(times)
        let starts = sessions.compactMap(\.start)
        let isInTurn = zip(sessions, sessions.dropFirst()).allSatisfy { session, next in
            guard let start = session.start, let following = next.start else { return false }
            return following > start && following + Self.overlap >= start + (session.elapsed ?? 0) / 1000
        }
        guard sessions.count > 1, starts.count == sessions.count, isInTurn else { return nil }
        var begin = 0
        return starts.indices.map { index in
            var plan = FitPlan()
            plan.files = files
            let next = index + 1 < starts.count ? starts[index + 1] : Int64.max
            let end = times[begin...].firstIndex { $0 >= next } ?? times.count
            plan.records = begin..<end
            plan.sessions = index..<index + 1
            plan.window = (index == 0 ? .min : starts[index])..<next
            begin = end
            return plan
        }
    }
}
