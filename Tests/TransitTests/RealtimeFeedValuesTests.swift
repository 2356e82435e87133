import Domain
import Testing
import Transit

/// The values of a feed for the timetable.
@Suite struct RealtimeFeedValuesTests {
    private func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private func number(_ field: UInt64, _ value: Int64) -> [UInt8] {
        varint(field << 3) + varint(UInt64(bitPattern: value))
    }

    private func message(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
        varint(field << 3 | 2) + varint(UInt64(content.count)) + content
    }

    private func text(_ field: UInt64, _ text: String) -> [UInt8] { message(field, Array(text.utf8)) }

    private func float(_ field: UInt64, _ value: Float) -> [UInt8] {
        varint(field << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
    }

    private func feed(_ entities: [UInt8]...) throws -> RealtimeFeed {
        let header = message(1, text(1, "2.0") + number(3, 1_790_000_000))
        return try RealtimeFeed(entities.reduce(header) { $0 + message(2, text(1, "e") + $1) })
    }

    private func trip(_ id: String, _ rest: [UInt8] = []) -> [UInt8] { message(1, text(1, id) + rest) }

    @Test func timeIsThatOfTheHeader() throws {
        #expect(try feed().time == UTC(milliseconds: 1_790_000_000_000))
        #expect(try RealtimeFeed(message(1, text(1, "2.0"))).time == nil)
        #expect(throws: ParseError.self) { try RealtimeFeed([]) }
    }

    @Test func tripHasItsDayStartAndStops() throws {
        let stop = message(
            2, number(1, 4) + text(4, "S1") + message(2, number(1, -60)) + message(3, number(2, 1_790_000_100)))
        let other = message(2, text(4, "S1") + number(5, 1)) + message(2, text(4, "S2") + number(5, 2))
        let update = trip("t", text(2, "25:10:00") + text(3, "20261126") + text(5, "R"))
        let result = try feed(message(3, update + stop + other))
        let only = try #require(result.trips.first)
        #expect(only.id == "t" && only.line == "R" && only.start == 90_600 && only.day == ServiceDay("20261126"))
        #expect(result.stopIDs == ["S1", "S2"])
        let stops = Array(result.stops[only.stops])
        #expect(stops.map(\.kind) == [.scheduled, .skipped, .noData])
        #expect(stops.map(\.stop) == [0, 0, 1])
        #expect(stops[0].sequence == 4 && stops[0].arrival == .delay(-60))
        #expect(stops[0].departure == .time(1_790_000_100))
    }

    @Test(arguments: [
        (Int64(0), RealtimeFeed.Trip.Kind.scheduled), (1, .added), (3, .canceled), (7, .canceled), (8, .added),
    ])
    func kindOfATripIsItsRelationship(number token: Int64, kind: RealtimeFeed.Trip.Kind) throws {
        #expect(try feed(message(3, trip("t", number(4, token)))).trips.map(\.kind) == [kind])
    }

    @Test func deletedEntityIsLeftOut() throws {
        #expect(try feed(number(2, 1) + message(3, trip("t"))).trips.isEmpty)
    }

    @Test func vehicleHasItsPositionLoadAndName() throws {
        let position = message(2, float(1, 40.79) + float(2, -77.86) + float(3, 360) + float(5, 8.5))
        let vehicle = trip("t", text(5, "R")) + position + number(5, 1_790_000_005) + number(9, 3)
        let named = message(4, vehicle + message(8, text(1, "id") + text(2, "Bus 7")))
        let found = try #require(try feed(named).vehicles.first)
        #expect(found.id == "Bus 7" && found.line == "R" && found.trip == "t")
        #expect((found.position.latitude - 40.79).magnitude < 1e-5 && found.bearing == 0 && found.speed == 8.5)
        #expect(found.occupancy == .standingRoom && found.time == UTC(milliseconds: 1_790_000_005_000))
    }

    @Test(arguments: [(Float(91), Float(0)), (Float.nan, Float(0)), (Float(0), Float(0)), (Float(0), Float(181))])
    func vehicleWithoutAPositionOnEarthIsLeftOut(latitude: Float, longitude: Float) throws {
        let position = message(2, float(1, latitude) + float(2, longitude))
        #expect(try feed(message(4, position)).vehicles.isEmpty)
    }

    @Test func alertHasItsTextInTheFirstLanguage() throws {
        func translated(_ field: UInt64, _ texts: String...) -> [UInt8] {
            message(field, texts.reduce([]) { $0 + message(1, text(1, $1)) })
        }
        let informed = message(5, text(2, "R")) + message(5, text(5, "S")) + message(5, message(4, text(5, "R2")))
        let period = message(1, number(1, 1_790_000_000))
        let alert = message(
            5, period + informed + translated(10, "Detour", "Umleitung") + translated(11, "No\u{7}stop"))
        let found = try #require(try feed(alert).alerts.first)
        #expect(found.title == "Detour" && found.text == "No\u{FFFD}stop")
        #expect(found.lines == ["R", "R2"] && found.stops == ["S"])
        #expect(!found.holds(at: UTC(milliseconds: 1_789_999_999_000)))
        #expect(found.holds(at: UTC(milliseconds: 1_790_000_000_000)))
    }

    @Test func cutFeedIsRejected() throws {
        let whole = message(1, text(1, "2.0")) + message(2, text(1, "e") + message(3, trip("t")))
        for count in 1..<whole.count {
            let cut = try? RealtimeFeed(Array(whole.prefix(count)))
            #expect(cut == nil || count == 7 && cut?.trips.isEmpty == true, "\(count)")
        }
    }
}

@Suite struct ApproachWatchTests {
    private let here = Coordinate(latitude: 0, longitude: 0)

    private func vehicle(_ id: String, metres: Double) -> LiveVehicle {
        LiveVehicle(id: id, position: Coordinate(latitude: 0, longitude: metres / 111_320))
    }

    @Test func vehicleIsAnnouncedOnceForAnApproach() {
        var watch = ApproachWatch()
        let ways: [(metres: Double, isAnnounced: Bool)] = [
            (900, false), (500, true), (300, false), (700, false), (1000, false), (1200, false), (540, true),
        ]
        for way in ways {
            #expect(
                (watch.update([vehicle("a", metres: way.metres)], around: here) != nil) == way.isAnnounced, "\(way)")
        }
    }

    @Test func nearestOfSeveralIsAnnounced() {
        var watch = ApproachWatch()
        let found = watch.update([vehicle("a", metres: 500), vehicle("b", metres: 200)], around: here)
        #expect(found?.vehicle.id == "b")
        #expect((found?.metres ?? 0).rounded() == 200)
        #expect(watch.update([vehicle("a", metres: 400), vehicle("b", metres: 100)], around: here) == nil)
    }

    @Test func vehicleThatWasGoneIsAnnouncedAgain() {
        var watch = ApproachWatch()
        #expect(watch.update([vehicle("a", metres: 500)], around: here) != nil)
        #expect(watch.update([], around: here) == nil)
        #expect(watch.update([vehicle("a", metres: 500)], around: here) != nil)
    }
}
