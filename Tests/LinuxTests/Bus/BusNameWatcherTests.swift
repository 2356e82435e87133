import Domain
import Linux
import TestKit
import Testing

@Suite struct BusNameWatcherTests {
    private final class Reports {
        var owners: [String?] = []
    }

    private func watch(_ stage: BusFixture, _ reports: Reports) throws -> BusNameWatcher {
        try BusNameWatcher(of: "org.example", at: stage.daemon.address, loop: stage.loop) { reports.owners.append($0) }
    }

    @Test func ownedNameIsReportedOnceWithItsOwner() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        let reports = Reports()
        let watch = try watch(stage, reports)
        #expect(reports.owners.isEmpty)
        try stage.turn { !reports.owners.isEmpty }
        try stage.turn(for: .milliseconds(50))
        #expect(reports.owners.count == 1)
        #expect(reports.owners[0]?.hasPrefix(":1.") == true)
        withExtendedLifetime((watch, service)) {}
    }

    @Test func everyChangeOfTheOwnerIsReported() throws {
        let stage = try BusFixture()
        let reports = Reports()
        let watch = try watch(stage, reports)
        try stage.turn { reports.owners == [nil] }
        for round in 1...3 {
            var service: Bus? = try stage.own("org.example")
            try stage.turn { reports.owners.count == 2 * round }
            #expect(reports.owners.last??.hasPrefix(":1.") == true)
            service = nil
            try stage.turn { reports.owners.count == 2 * round + 1 }
            #expect(reports.owners.last == .some(nil))
            #expect(service == nil)
        }
        withExtendedLifetime(watch) {}
    }

    @Test func busThatStartsLaterIsFoundAndItsEndReported() throws {
        let stage = try BusFixture(isThere: false)
        let reports = Reports()
        let watch = try watch(stage, reports)
        try stage.turn { reports.owners == [nil] }
        try stage.daemon.start()
        let service = try stage.own("org.example")
        try stage.turn { reports.owners.count == 2 }
        #expect(reports.owners[1] != nil)
        stage.daemon.stop()
        try stage.turn { reports.owners.count == 3 }
        #expect(reports.owners[2] == nil)
        withExtendedLifetime((watch, service)) {}
    }

    @Test func silentBusIsReportedAsNoOwner() throws {
        let stage = try BusFixture()
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        let reports = Reports()
        let watch = try watch(stage, reports)
        try stage.turn(for: .milliseconds(300))
        #expect(reports.owners.isEmpty)
        stage.daemon.resume()
        try stage.turn { reports.owners == [nil] }
        withExtendedLifetime(watch) {}
    }

    /// The bus lets any peer send any signal directly to another.
    @Test func spoofedOwnerSignalIsIgnored() throws {
        let stage = try BusFixture()
        let reports = Reports()
        let watch = try watch(stage, reports)
        try stage.turn { reports.owners == [nil] }
        let stranger = try stage.connect()
        // The first connections on the bus, one of which is the watcher's.
        for peer in 0..<4 {
            try stranger.emit(
                "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                [.string("org.example"), .string(""), .string(":1.99")], to: ":1.\(peer)")
        }
        try stage.turn(for: .milliseconds(200))
        #expect(reports.owners == [nil])
        withExtendedLifetime(watch) {}
    }
}
