import Domain
import Maps
import Testing

/// A follower beside a clock, on a road to the north.
private struct Life {
    var follower: PlacesFollower
    var seconds: Int64 = 0
    var searches: [Double] = []
    var notices: [Int64] = []
    private var metres = 0.0

    init(radius: Double = 4000, notice: Double? = nil) {
        follower = PlacesFollower(radius: radius, notice: notice)
    }

    var now: Instant { Instant(milliseconds: seconds * 1000) }

    static func place(_ metres: Double) -> Coordinate {
        Coordinate(latitude: metres / 110_574, longitude: 179.9999)
    }

    static func water(_ id: Int64, _ metres: Double) -> PlacesFollower.Water {
        .init(id: id, place: place(metres))
    }

    mutating func perform(_ actions: [PlacesFollower.Action]) {
        for action in actions {
            switch action {
            case .search: searches.append(metres)
            case .waterIsNear(let water, _): notices.append(water.id)
            }
        }
    }

    mutating func want(_ isWanted: Bool = true) { perform(follower.want(isWanted, at: now)) }

    mutating func move(_ metres: Double = 0) {
        self.metres = metres
        perform(follower.move(to: Self.place(metres), at: now))
    }

    mutating func find(_ water: [PlacesFollower.Water]? = []) { perform(follower.received(water, at: now)) }

    mutating func pass(_ seconds: Int64) {
        self.seconds += seconds
        if let deadline = follower.deadline, deadline <= now { perform(follower.tick(at: now)) }
    }
}

@Suite struct PlacesFollowerTests {
    @Test func searchesOnlyWhileWanted() {
        var life = Life()
        life.move()
        life.pass(7200)
        #expect(life.searches.isEmpty && life.follower.deadline == nil)
        life.want()
        #expect(life.searches.count == 1 && life.follower.deadline == nil)
        life.find()
        #expect(life.follower.deadline == life.now + .seconds(600))
        life.want(false)
        life.move(50_000)
        life.pass(7200)
        #expect(life.searches.count == 1 && life.follower.deadline == nil)
        life.want()
        #expect(life.searches == [0, 50_000])
    }

    @Test func waitsForAPosition() {
        var life = Life()
        life.want()
        #expect(life.searches.isEmpty && life.follower.deadline == nil)
        life.move()
        #expect(life.searches.count == 1)
    }

    @Test func searchesAgainAfterThreeQuartersOfTheRadiusAndAfterTenMinutes() {
        var life = Life()
        life.want()
        life.move()
        life.find()
        life.move(2990)
        #expect(life.searches == [0])
        life.move(3010)
        #expect(life.searches == [0, 3010])
        life.move(9000)
        #expect(life.searches == [0, 3010])
        life.find()
        #expect(life.searches == [0, 3010, 9000])
        life.find()
        life.pass(599)
        #expect(life.searches.count == 3)
        life.pass(1)
        #expect(life.searches.count == 4)
    }

    @Test func subscribersThatComeAndGoCauseNoSearches() {
        var life = Life()
        life.want()
        life.move()
        life.find()
        for _ in 0..<20 {
            life.want(false)
            life.pass(10)
            life.want()
        }
        #expect(life.searches.count == 1)
    }

    @Test func failureIsRetriedAfterAMinute() {
        var life = Life()
        life.want()
        life.move()
        life.move(3500)
        life.find(nil)
        #expect(life.searches == [0])
        life.pass(59)
        #expect(life.searches.count == 1)
        life.pass(1)
        #expect(life.searches == [0, 3500])
    }

    @Test func resultWithoutASearchIsIgnored() {
        var life = Life(notice: 1000)
        life.find([Life.water(1, 0)])
        life.want()
        life.move()
        #expect(life.notices.isEmpty)
    }

    @Test func waterIsAnnouncedOncePerApproach() {
        var life = Life(radius: 20_000, notice: 1000)
        life.want()
        life.move()
        life.find([Life.water(1, 3000)])
        for metres in stride(from: 0.0, through: 4900, by: 100) { life.move(metres) }
        #expect(life.notices == [1])
        life.move(3000)
        #expect(life.notices == [1])
        life.move(5010)
        life.move(4010)
        #expect(life.notices == [1])
        life.move(3990)
        #expect(life.notices == [1, 1])
    }

    @Test func waterStaysAnnouncedOverSearches() {
        var life = Life(radius: 4000, notice: 1000)
        life.want()
        life.move()
        life.find([Life.water(1, 900)])
        life.pass(600)
        life.find([])
        life.pass(600)
        life.find([Life.water(1, 900)])
        #expect(life.notices == [1])
    }

    @Test func nearestOfSeveralIsAnnounced() {
        var life = Life(radius: 4000, notice: 1000)
        life.want()
        life.move()
        life.find([Life.water(1, 900), Life.water(2, 300), Life.water(3, 1500)])
        #expect(life.notices == [2])
        life.move(600)
        #expect(life.notices == [2, 3])
    }

    @Test func limitsAreKept() {
        #expect(PlacesFollower(radius: 1).radius == 100)
        #expect(PlacesFollower(radius: 1e9, notice: 1e9).radius == 100_000)
        #expect(PlacesFollower(radius: 1000, notice: 5000).radius == 20_000)
        #expect(PlacesFollower(radius: 1000, notice: -1).notice == 0)
        var life = Life(radius: 100_000, notice: 1000)
        life.want()
        life.move()
        life.find((0..<5000).map { Life.water($0, 99_000 - Double($0) * 15) })
        life.move(24_500)
        #expect(life.notices.count == 1)
        life.move(99_000)
        #expect(life.notices.count == 1)
    }
}
