import Daemon
import Domain
import Program
import Sensors
import Simulation
import Testing

@Suite struct OptionsTests {
    private func options(_ arguments: String...) throws -> Options {
        guard case .run(let options) = try Options.description.read(arguments) else { throw Unexpected() }
        return options
    }

    struct Unexpected: Error {}

    @Test func defaultOptionsLeaveTheConfiguration() throws {
        let options = try options()
        #expect(options.gpsd == nil)
        #expect(options.sensors == nil)
        #expect(!options.isDemo)
    }

    @Test(arguments: [
        ("localhost:2947", Options.Gpsd.at(host: nil, port: 2947, device: nil)),
        ("localhost", .at(host: nil, port: 2947, device: nil)),
        ("192.0.2.7", .at(host: "192.0.2.7", port: 2947, device: nil)),
        ("[::1]", .at(host: "::1", port: 2947, device: nil)),
        ("127.0.0.1:1", .at(host: "127.0.0.1", port: 1, device: nil)),
        ("[::1]:65535", .at(host: "::1", port: 65535, device: nil)),
        ("localhost:2947:/dev/ttyACM0", .at(host: nil, port: 2947, device: "/dev/ttyACM0")),
        ("[::1]:2947:udp://a:1", .at(host: "::1", port: 2947, device: "udp://a:1")),
        ("off", .off),
    ])
    func gpsdOptionParsesHostPortAndDevice(text: String, gpsd: Options.Gpsd) throws {
        #expect(try options("--gpsd", text).gpsd == gpsd)
        #expect(try options("--gpsd=\(text)").gpsd == gpsd)
    }

    @Test(arguments: [
        ("auto", Options.Sensors.auto), ("off", .off), ("unix:run/strap", .unix(path: "run/strap")),
        ("9AD13824,A0:9E:1A:00:00:01,W/T", .ours(["9AD13824", "A0:9E:1A:00:00:01", "W/T"])),
        ("Polar H10 9AD13824,A0:9E:1A:00:00:01/public", .ours(["Polar H10 9AD13824", "A0:9E:1A:00:00:01/public"])),
    ])
    func sensorsOptionParses(text: String, sensors: Options.Sensors) throws {
        #expect(try options("--sensors", text).sensors == sensors)
        // The name of release 0.1.0.
        #expect(try options("--strap", text).sensors == sensors)
    }

    @Test func adapterOptionParsesIndexOrAddress() throws {
        #expect(try options().adapter == nil)
        #expect(try options("--adapter", "hci2").adapter == .index(2))
        #expect(
            try options("--adapter=00:1a:7d:da:71:13").adapter == .address(BluetoothAddress(value: 0x001A_7DDA_7113)))
    }

    @Test(arguments: [
        ("auto", Options.Bluetooth.auto), ("kernel", .kernel), ("bluetoothd", .bluetoothd), ("off", .off),
    ])
    func bluetoothOptionParses(text: String, bluetooth: Options.Bluetooth) throws {
        #expect(try options("--bluetooth", text).bluetooth == bluetooth)
    }

    @Test func demoOptionNamesASession() throws {
        #expect(try options("--demo").demo == .run)
        #expect(try options("--demo=ride").demo == .ride)
        #expect(try options("--demo=indoor").demo == .indoor)
        #expect(try options("--demo=indoor").isDemo)
    }

    @Test func replayOptionHasASpeedAndALoop() throws {
        var options = try options("--replay", "ride.fit")
        #expect(options.replay == "ride.fit" && options.replaySpeed == nil && !options.loopsReplay)
        options = try self.options("--speed=2.5", "--loop", "--replay=17")
        #expect(options.replay == "17" && options.replaySpeed == 2.5 && options.loopsReplay)
        #expect(options.isDemo)
    }

    @Test(arguments: [
        ["--demo=swim"], ["--demo="], ["--replay"], ["--replay="], ["--speed", "2"], ["--loop"], ["--loop", "--demo"],
        ["--replay", "a", "--speed"], ["--replay", "a", "--speed", "0"], ["--replay", "a", "--speed", "-1"],
        ["--replay", "a", "--speed", "nan"], ["--replay", "a", "--speed", "inf"], ["--replay", "a", "--speed", "61"],
        ["--replay", "a", "--speed", "fast"], ["--replay", "a", "--demo"], ["--replay", "a", "--sensors", "off"],
        ["--replay", "a", "--gpsd", "off"], ["--bluetooth", "off", "--replay", "a"],
        ["--replay", "a", "--adapter", "hci0"], ["--replay", "a", "--barometer", "off"], ["--barometer", "yes"],
        ["--barometer", "devices"],
    ])
    func invalidReplayOrDemoIsReported(arguments: [String]) {
        let misuse = #expect(throws: UsageError.self) { try Options.description.read(arguments) }
        #expect(arguments.contains { misuse?.line.contains($0.prefix { $0 != "=" }) == true })
    }

    @Test(arguments: [
        ["--gpsd"], ["--gpsd", ""], ["--gpsd", "gps"], ["--gpsd", "[::1]x"], ["--gpsd", "localhost:0"],
        ["--gpsd", "localhost:65536"],
        ["--gpsd", "localhost:2947:"], ["--gpsd", "[::1:2947"], ["--gpsd", "gps.example.com:2947"],
        ["--gpsd", ":2947"],
        ["--sensors", "a,,b"], ["--sensors", "none"], ["--sensors", "a,off"], ["--sensors", "unix:"],
        ["--sensors", "A0:9E:1A:00:00:01/"],
        ["--sensors", "A0:9E:1A:00:00:01/static"], ["--sensors", "a, "], ["--bluetooth", "bluez"],
        ["--bluetooth", "on"],
        ["--config"], ["--adapter", "hci"], ["--adapter", "hci65535"], ["--adapter", "0"],
        ["--adapter", "hci-1"], ["--runtime-dir"], ["--fast"], ["run"], ["\u{1B}[2J"],
    ])
    func invalidOptionIsReportedInOneLine(arguments: [String]) {
        let misuse = #expect(throws: UsageError.self) { try Options.description.read(arguments) }
        #expect(misuse?.line.isEmpty == false)
        #expect(misuse?.line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } == true)
    }

    @Test func helpAndVersionArePrinted() throws {
        for argument in ["--help", "--version"] {
            guard case .print(let text) = try Options.description.read([argument]) else { throw Unexpected() }
            #expect(text.hasSuffix("\n"))
        }
    }
}

@Suite struct DirectoriesTests {
    private func directories(
        runtime: String? = nil, state: String? = nil, isSystem: Bool = false, hasSockets: Bool = false,
        _ environment: [String: String]
    ) throws -> Directories {
        var options = Options()
        options.runtimeDirectory = runtime
        options.stateDirectory = state
        return try Directories(
            options, hasSockets: hasSockets, ProgramEnvironment(isSystem: isSystem) { environment[$0] })
    }

    @Test func optionOverridesSystemdAndSystemdTheDefaults() throws {
        let environment = [
            "RUNTIME_DIRECTORY": "/run/a:/run/b", "STATE_DIRECTORY": "/var/lib/a", "XDG_RUNTIME_DIR": "/run/user/1",
            "HOME": "/home/runner",
        ]
        var found = try directories(runtime: "/r", state: "/s", environment)
        #expect((found.runtime, found.state) == ("/r", "/s"))
        found = try directories(environment)
        #expect((found.runtime, found.state) == ("/run/a", "/var/lib/a"))
        found = try directories(["XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/home/runner"])
        #expect((found.runtime, found.state) == ("/run/user/1/paced", "/home/runner/.local/state/paced"))
        found = try directories(["XDG_RUNTIME_DIR": "/run/user/1", "XDG_STATE_HOME": "/state"])
        #expect(found.state == "/state/paced")
        found = try directories(isSystem: true, [:])
        #expect((found.runtime, found.state) == ("/run/paced", "/var/lib/paced"))
    }

    @Test func demoHasAStateDirectoryOfItsOwn() throws {
        var options = Options()
        options.demo = .run
        let environment = ["XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/home/runner"]
        var found = try Directories(options, ProgramEnvironment(isSystem: true) { _ in nil })
        #expect((found.runtime, found.state) == ("/run/paced", "/var/lib/paced-demo"))
        found = try Directories(options, ProgramEnvironment(isSystem: false) { environment[$0] })
        #expect((found.runtime, found.state) == ("/run/user/1/paced", "/home/runner/.local/state/paced-demo"))
        options.stateDirectory = "/s"
        #expect(try Directories(options, ProgramEnvironment(isSystem: true) { _ in nil }).state == "/s")
    }

    @Test func passedSocketsNeedNoRuntimeDirectory() throws {
        #expect(try directories(hasSockets: true, ["HOME": "/home/runner"]).runtime == nil)
        #expect(try directories(runtime: "/r", isSystem: true, hasSockets: true, [:]).runtime == nil)
    }

    @Test func replayNeverUsesADefaultDirectory() {
        var options = Options()
        var found = Directories(options, replayIn: "/p")
        #expect((found.runtime, found.state) == ("/p/run", "/p/state"))
        options.runtimeDirectory = "/r"
        options.stateDirectory = "/s"
        found = Directories(options, replayIn: "/p")
        #expect((found.runtime, found.state) == ("/r", "/p/state"))
    }

    @Test func missingDirectoryNamesItsOption() {
        #expect(throws: UsageError(line: "XDG_RUNTIME_DIR is unset: give --runtime-dir DIR")) {
            try directories(["HOME": "/home/runner", "XDG_RUNTIME_DIR": ""])
        }
        #expect(throws: UsageError(line: "HOME is unset: give --state-dir DIR")) {
            try directories(["XDG_RUNTIME_DIR": "/run/user/1"])
        }
    }
}
