import Domain
import Foundation
import Linux
import Network
import Program
import TestKit
import Testing

@Suite struct NetOptionsTests {
    private func line(_ arguments: [String]) -> String? {
        do throws(UsageError) {
            _ = try NetOptions.description.read(arguments)
            return nil
        } catch {
            return error.line
        }
    }

    @Test func optionsHaveTheirValues() throws {
        var expected = NetOptions()
        expected.configuration = "a"
        expected.runtimeDirectory = "b"
        expected.cacheDirectory = "c=d"
        expected.pacedDirectory = "e"
        expected.mapsDirectory = "f"
        let arguments = ["--config", "a", "--runtime-dir=b", "--cache-dir=c=d", "--paced-dir", "e", "--maps-dir=f"]
        #expect(try NetOptions.description.read(arguments) == .run(expected))
    }

    @Test(arguments: [
        (["--config"], "--config needs a value"), (["--cache-dir="], "--cache-dir needs a value"),
        (["-x"], "unknown option -x; paced-net --help lists them"),
        (["--help=yes"], "unknown option --help=yes; paced-net --help lists them"),
        (["\u{1B}[31m"], "unknown option \u{FFFD}[31m; paced-net --help lists them"),
    ]) func wrongOptionIsNamed(arguments: [String], expected: String) {
        #expect(line(arguments) == expected)
    }

    private func directories(
        _ options: NetOptions = NetOptions(), isSystem: Bool = false, hasSocket: Bool = false,
        _ environment: [String: String] = [:]
    ) throws -> NetDirectories {
        try NetDirectories(
            options, hasSocket: hasSocket, ProgramEnvironment(isSystem: isSystem) { environment[$0] })
    }

    @Test func directoriesOfTheSystem() throws {
        let system = try directories(isSystem: true)
        #expect(system.runtime == "/run/paced-net")
        #expect(system.cache == "/var/cache/paced-net")
        #expect(system.paced == "/run/paced")
        #expect(system.maps == "/var/lib/paced-maps")
        let unit = try directories(isSystem: true, hasSocket: true, ["CACHE_DIRECTORY": "/var/cache/x"])
        #expect(unit.runtime == nil)
        #expect(unit.cache == "/var/cache/x")
    }

    @Test func directoriesOfAUser() throws {
        let user = try directories(["XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/home/me"])
        #expect(user.runtime == "/run/user/1/paced-net")
        #expect(user.paced == "/run/user/1/paced")
        #expect(user.cache == "/home/me/.cache/paced-net")
        #expect(throws: UsageError(line: "XDG_RUNTIME_DIR is unset: give --runtime-dir DIR")) {
            try directories(["HOME": "/home/me"])
        }
    }

    private func directories(_ environment: [String: String]) throws -> NetDirectories {
        try directories(NetOptions(), environment)
    }
}

@Suite struct NetConfigurationTests {
    private func read(_ text: String) throws -> NetConfiguration {
        let directory = TemporaryDirectory()
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory("net.conf")))
        do {
            return try NetConfiguration.read(directory("net.conf"))
        } catch {
            // Without the directory, which has a random name.
            throw UsageError(line: String(error.line.dropFirst(directory.path.count + 1)))
        }
    }

    @Test func keysHaveTheirValues() throws {
        let text = """
            [Network]
            TimeoutSec=5
            Contact=me@example.org
            Authorities=/etc/ssl/mine.pem
            [Weather]
            Server=http://[::1]:8080/api/data
            """
        var expected = NetConfiguration()
        expected.timeout = .seconds(5)
        expected.contact = "me@example.org"
        expected.authorities = "/etc/ssl/mine.pem"
        expected.weatherServer = "http://[::1]:8080/api/data"
        #expect(try read(text) == expected)
        #expect(try read("[Weather]\nServer=off").weatherServer == nil)
        let transit = try read(
            "[Transit]\nFeeds=https://x/a?key=1 http://y\nLines= V , 43\nHome=40.79, -77.86\nLastBusMin=0")
        #expect(transit.transit.sources.feeds == ["https://x/a?key=1", "http://y"])
        #expect(transit.transit.lines == ["V", "43"] && transit.transit.lastBusNotice == nil)
        #expect(transit.transit.home == Coordinate(latitude: 40.79, longitude: -77.86))
        #expect(try read("[Weather]\nServer=\n[Network]\nTimeoutSec=") == NetConfiguration())
    }

    @Test(arguments: [
        ("[Network]\nTimeoutSec=0", "net.conf:2: TimeoutSec must be a number of seconds from 1 to 120"),
        ("[Network]\nTimeoutSec=1.5", "net.conf:2: TimeoutSec must be a number of seconds from 1 to 120"),
        (
            "[Network]\nContact=a)b",
            "net.conf:2: Contact must be 1 to 64 printable ASCII characters without parentheses"
        ),
        ("[Network]\nAuthorities=x.pem", "net.conf:2: Authorities must be an absolute path"),
        (
            "[Weather]\nServer=ftp://x",
            "net.conf:2: Server must be an address of http or https without the last slash, or off"
        ),
        (
            "[Weather]\nServer=http://x/",
            "net.conf:2: Server must be an address of http or https without the last slash, or off"
        ),
        (
            "[Weather]\nServer=http:///x",
            "net.conf:2: Server must be an address of http or https without the last slash, or off"
        ),
        ("[Weather]\nServer=off\nServer=off", "net.conf:3: Server is already set in line 2"),
        (
            "[Weather]\nUrl=x",
            "net.conf:2: there is no key Url in [Weather]; the keys are Server"
        ),
        (
            "[Bus]\nUrl=x",
            "net.conf:2: there is no section [Bus]; the sections are [Network] [Weather] [Routes] [Places] [Transit]"
        ),
        (
            "[Transit]\nHome=91,0",
            "net.conf:2: Home must be a latitude and a longitude in degrees, such as 40.7914,-77.8586"
        ),
        ("[Transit]\nRefreshSec=10", "net.conf:2: RefreshSec must be a number of seconds from 15 to 120"),
        ("[Transit]\nStops=1,,2", "net.conf:2: Stops must be 1 to 8 IDs of stops, with commas between"),
        (
            "[Transit]\nFeeds=https://x/a ftp://y",
            "net.conf:2: Feeds must be 1 to 4 addresses of http or https of GTFS-Realtime feeds, with spaces between"
        ),
        ("x", "net.conf:1: expected [Section], Key=value or # comment"),
    ]) func wrongLineIsNamed(text: String, expected: String) {
        #expect(throws: UsageError(line: expected)) { try read(text) }
    }

    @Test func namedFileMustExist() {
        #expect(throws: UsageError(line: "there is no file /nowhere/x.conf; give --config another, or leave it away")) {
            try NetConfiguration.read("/nowhere/x.conf")
        }
    }
}
