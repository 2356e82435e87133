import Domain
import Linux
import TestKit
import Testing

@Suite struct BusNameWatcherTests {
    private final class Told {
        var owners: [String?] = []
    }

    private func watch(_ stage: BusFixture, _ told: Told) throws -> BusNameWatcher {
        try BusNameWatcher(of: "org.example", at: stage.daemon.address, loop: stage.loop) { told.owners.append($0) }
    }

    @Test func aNameThatIsOwnedIsToldOnceWithItsOwner() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        let told = Told()
        let watch = try watch(stage, told)
        #expect(told.owners.isEmpty)
        try stage.turn { !told.owners.isEmpty }
        try stage.turn(for: .milliseconds(50))
        #expect(told.owners.count == 1)
        #expect(told.owners[0]?.hasPrefix(":1.") == true)
        withExtendedLifetime((watch, service)) {}
    }

    @Test func anOwnerThatComesGoesAndComesAgainIsToldEachTime() throws {
        let stage = try BusFixture()
        let told = Told()
        let watch = try watch(stage, told)
        try stage.turn { told.owners == [nil] }
        for round in 1...3 {
            var service: Bus? = try stage.own("org.example")
            try stage.turn { told.owners.count == 2 * round }
            #expect(told.owners.last??.hasPrefix(":1.") == true)
            service = nil
            try stage.turn { told.owners.count == 2 * round + 1 }
            #expect(told.owners.last == .some(nil))
            #expect(service == nil)
        }
        withExtendedLifetime(watch) {}
    }

    @Test func aBusThatComesLaterAndGoesIsFound() throws {
        let stage = try BusFixture(isThere: false)
        let told = Told()
        let watch = try watch(stage, told)
        try stage.turn { told.owners == [nil] }
        try stage.daemon.start()
        let service = try stage.own("org.example")
        try stage.turn { told.owners.count == 2 }
        #expect(told.owners[1] != nil)
        stage.daemon.stop()
        try stage.turn { told.owners.count == 3 }
        #expect(told.owners[2] == nil)
        withExtendedLifetime((watch, service)) {}
    }

    @Test func aBusThatAnswersNothingIsNotWaitedFor() throws {
        let stage = try BusFixture()
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        let told = Told()
        let watch = try watch(stage, told)
        try stage.turn(for: .milliseconds(300))
        #expect(told.owners.isEmpty)
        stage.daemon.resume()
        try stage.turn { told.owners == [nil] }
        withExtendedLifetime(watch) {}
    }

    /// The bus lets any peer send any signal directly to another.
    @Test func aStrangerCannotSayWhoOwnsAName() throws {
        let stage = try BusFixture()
        let told = Told()
        let watch = try watch(stage, told)
        try stage.turn { told.owners == [nil] }
        let stranger = try stage.connect()
        // The first connections on the bus, one of which is the watcher's.
        for peer in 0..<4 {
            try stranger.emit(
                "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                [.string("org.example"), .string(""), .string(":1.99")], to: ":1.\(peer)")
        }
        try stage.turn(for: .milliseconds(200))
        #expect(told.owners == [nil])
        withExtendedLifetime(watch) {}
    }
}
