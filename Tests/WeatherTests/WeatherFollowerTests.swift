import Domain
import JSONCoding
import Testing
import Weather

/// A follower beside a clock, and what it has published.
private struct Life {
    var follower = WeatherFollower()
    var seconds = 0.0
    var published: [JSON] = []
    var lookups = 0

    var now: Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
    var time: UTC { UTC(milliseconds: halfPastSeven.milliseconds + Int64(seconds * 1000)) }

    mutating func perform(_ change: (inout WeatherFollower, Instant, UTC) -> [WeatherFollower.Action]) throws {
        for action in change(&follower, now, time) {
            switch action {
            case .lookUp: lookups += 1
            case .publish(let data, let end):
                #expect(end > time)
                published.append(try JSON(parsing: data))
            }
        }
    }

    mutating func want(_ isWanted: Bool = true) throws { try perform { $0.want(isWanted, at: $1, $2) } }

    mutating func move(north metres: Double = 0) throws {
        let place = Coordinate(latitude: berlin.latitude + metres / 111_195, longitude: berlin.longitude)
        try perform { $0.move(to: place, altitude: nil, at: $1, $2) }
    }

    /// Lets the time pass, with each tick that is due.
    mutating func pass(_ duration: Double, moving speed: Double = 0) throws {
        let end = seconds + duration
        while let deadline = follower.deadline, deadline.nanoseconds <= Int64(end * 1e9) {
            seconds = max(seconds, Double(deadline.nanoseconds) / 1e9)
            let before = (lookups, published.count, follower.deadline)
            try perform { $0.tick(at: $1, $2) }
            // A deadline that stays in the past would be a busy loop.
            #expect(before != (lookups, published.count, follower.deadline))
            if before == (lookups, published.count, follower.deadline) { return }
            if lookups != before.0 { return }
        }
        seconds = end
    }

    /// Answers the lookup with a report of the given age, by default of a station 12 km away.
    mutating func find(minutesAgo: Double, _ station: WeatherStation = .made("EDAA", 12)) throws {
        let fields = UTC(milliseconds: time.milliseconds - Int64(minutesAgo * 60_000)).fields
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = two(fields.day) + two(fields.hour) + two(fields.minute)
        let report = try StationReport.made(station, "\(day)Z 24010KT 9999 FEW040 10/08 Q1010")
        let weather = try StationWeather.made([report], at: time)
        try perform { $0.receive(.success(weather), at: $1, $2) }
    }

    mutating func fail(_ reason: String, isPause: Bool = false, after retry: Double? = nil) throws {
        let retryAt = retry.map { now + .milliseconds(Int($0 * 1000)) }
        try perform { $0.receive(.failure(.init(reason, isPause: isPause)), retryAt: retryAt, at: $1, $2) }
    }
}

@Suite struct WeatherFollowerTests {
    @Test func looksNothingUpUntilItIsWanted() throws {
        var life = Life()
        try life.move()
        try life.pass(7200)
        #expect(life.lookups == 0)
        #expect(life.published.isEmpty)
        #expect(life.follower.deadline == nil)
        try life.want()
        #expect(life.lookups == 1)
    }

    @Test func saysThatThereIsNoPosition() throws {
        var life = Life()
        try life.want()
        #expect(life.published.map { $0["reason"] } == [.string("no position yet")])
        try life.move()
        #expect(life.lookups == 1)
    }

    @Test func waitsForTheNextReportOfTheStation() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 10)
        #expect(life.published.last?["station"] == .string("EDAA"))
        // 30 min until its cycle is known, and 5 until the service has the report.
        try life.pass(1499)
        #expect(life.lookups == 1)
        try life.pass(1)
        #expect(life.lookups == 2)
    }

    @Test(arguments: [(20.0, 20.0), (30.0, 30.0), (60.0, 60.0), (35.0, 30.0), (44.0, 30.0), (7.0, 30.0), (180.0, 30.0)])
    func learnsTheCycleOfTheStation(minutes: Double, cycle: Double) throws {
        var cycles = ReportCycles()
        cycles.add(halfPastSeven, of: "EDAA")
        cycles.add(UTC(milliseconds: halfPastSeven.milliseconds + Int64(minutes * 60_000)), of: "EDAA")
        #expect(cycles.interval(of: "EDAA") == .seconds(Int(cycle * 60)))
    }

    @Test func asksALateStationLessAndLessOften() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 31)
        var waits: [Double] = []
        for _ in 0..<4 {
            let before = life.seconds
            try life.pass(7200)
            waits.append((life.seconds - before) / 60)
            try life.find(minutesAgo: 31 + life.seconds / 60)
        }
        #expect(waits == [5, 10, 15, 20])
    }

    @Test func looksUpAgainAfterAThirdOfTheWay() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 0, .made("EDAA", 30))
        try life.pass(299)
        try life.move(north: 10_100)
        #expect(life.lookups == 1)
        try life.pass(1)
        #expect(life.lookups == 2)
    }

    @Test func publishesTheDistanceAgainWhileItMoves() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 0, .made("EDAA", 30))
        let count = life.published.count
        try life.pass(61)
        try life.move(north: 1900)
        #expect(life.published.count == count)
        try life.move(north: 2100)
        #expect(life.published.count == count + 1)
        #expect(life.published.last?["distance_m"] == .integer(27_900))
        try life.move(north: 4300)
        #expect(life.published.count == count + 1)
    }

    @Test func keepsTheFiguresAndAddsTheReasonOfAFailure() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 10)
        try life.pass(1500)
        try life.fail("no network", after: 2)
        #expect(life.published.last?["station"] == .string("EDAA"))
        #expect(life.published.last?["reason"] == .string("no network"))
        let count = life.published.count
        try life.pass(2)
        #expect(life.lookups == 3)
        try life.fail("no network", after: 4)
        #expect(life.published.count == count)
        try life.pass(4)
        try life.find(minutesAgo: 1)
        #expect(life.published.last?["reason"] == nil)
    }

    @Test func dropsFiguresOfTwoHoursAgo() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 0)
        var oldest = 0.0
        while life.seconds < 3 * 3600 {
            try life.pass(900)
            try life.fail("no network", after: 900)
            if life.published.last?["station"] != nil { oldest = life.seconds }
        }
        #expect(oldest < 7200)
        #expect(oldest > 5400)
        #expect(life.published.last == .object(["reason": .string("no network")]))
    }

    @Test func aReasonStaysFresh() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.fail("no network", after: 3600)
        try life.pass(3599)
        #expect(life.published.count == 12)
    }

    @Test func theLimitOfRequestsReplacesNoReason() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.fail("no network", after: 2)
        try life.pass(2)
        try life.fail("waiting", isPause: true, after: 60)
        #expect(life.published.last?["reason"] == .string("no network"))
        try life.pass(60)
        #expect(life.lookups == 3)
    }

    @Test func publishesAgainAfterAReconnection() throws {
        var life = Life()
        try life.perform { $0.reconnected(at: $1, $2) }
        #expect(life.published.isEmpty)
        try life.move()
        try life.want()
        try life.find(minutesAgo: 10)
        let count = life.published.count
        try life.perform { $0.reconnected(at: $1, $2) }
        #expect(life.published.count == count + 1)
    }

    @Test func subscribersThatComeAndGoCauseNoLookups() throws {
        var life = Life()
        try life.move()
        try life.want()
        try life.find(minutesAgo: 10)
        for _ in 0..<20 {
            try life.want(false)
            try life.pass(10)
            try life.want()
        }
        #expect(life.lookups == 1)
        #expect(life.published.last?["station"] == .string("EDAA"))
    }
}
