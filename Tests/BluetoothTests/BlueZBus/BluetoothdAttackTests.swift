import Domain
import Glibc
import Linux
import Sensors
import TestKit
import Testing

/// Attacks on the backend by a hostile bluetoothd, and by a peer that pretends to be bluetoothd.
@Suite struct BluetoothdAttackTests {
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// Arguments of a signal with wrong types.
    private static func nonsense(about path: String) -> [[BusValue]] {
        let long = String(repeating: "x", count: 100_000)
        return [
            [], [.byte(1)], [.string("org.bluez.Device1")], [.string(long), .string(long), .string(long)],
            [.string("org.bluez.Device1"), .properties(["Connected": .string("yes"), "RSSI": .string("near")])],
            [
                .string("org.bluez.Device1"),
                .properties(["RSSI": .int64(.max), "Address": .int32(7), "Name": .bytes([0xFF])]),
            ],
            [
                .string("org.bluez.Device1"),
                .properties(["UUIDs": .properties([:]), "Connected": .variant(.variant(.byte(9)))]),
            ],
            [.string("org.bluez.Device1"), .array(of: "s", [.string("Connected")]), .array(of: "s", [])],
            [.string("org.bluez.Adapter1"), .properties(["Powered": .double(0), "Address": .string("nobody")])],
            [.string("org.bluez.GattCharacteristic1"), .properties(["Value": .string("16430372")])],
            [.string("org.bluez.Battery1"), .properties(["Percentage": .byte(255)])],
            [.objectPath(path), .array(of: "{sa{sv}}", [])], [.objectPath(path), .properties([:])],
            [
                .objectPath(path),
                .array(of: "{sa{sv}}", [.entry(.string("org.bluez.Device1"), .properties(["Name": .string(long)]))]),
            ],
            [.objectPath(path), .array(of: "s", [.string("org.bluez.Nothing1")])], [.objectPath(path), .uint64(1)],
            [.string(""), .properties([:]), .array(of: "o", [])],
        ]
    }

    @Test func malformedSignalsChangeNothing() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        let strap = bench.bluez.straps[0]
        let links = bench.links
        for path in [strap.path, strap.heartRate, FakeBlueZ.adapter, "/", "/org/bluez/hci9/dev_00"] {
            for arguments in Self.nonsense(about: path) {
                bench.bluez.emit(path, Self.properties, "PropertiesChanged", arguments)
                bench.bluez.emit("/", Self.objectManager, "InterfacesAdded", arguments)
                bench.bluez.emit("/", Self.objectManager, "InterfacesRemoved", arguments)
                bench.bluez.emit(path, "org.bluez.Device1", "Disconnected", arguments)
            }
        }
        try bench.streamAgain()
        #expect(bench.links == links)
        #expect(bench.batteries.allSatisfy { (0...100).contains($0) })
        #expect(bench.bluez.straps[0].connections == 1)
    }

    @Test func malformedAnswersAreRequestedAgain() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["GetManagedObjects"] = [.values([.byte(1)]), .values([.properties(["a": .byte(1)])])]
        bench.bluez.script["StartDiscovery"] = [.values([.string("yes")])]
        try bench.start()
        try bench.streamAgain(limit: .seconds(40))
        #expect(bench.bluez.count(of: "GetManagedObjects") == 3)
    }

    @Test func answerWithoutADescriptorIsRequestedAgain() throws {
        for values: [BusValue] in [[], [.uint16(247)], [.string("h"), .uint16(1)], [.array(of: "h", [])]] {
            let bench = try BluetoothdFixture()
            bench.bluez.always["StartNotify"] = .fails(BusError("org.bluez.Error.NotSupported", ""))
            bench.bluez.script["AcquireNotify"] = [.values(values)]
            try bench.stream()
            #expect(bench.bluez.count(of: "AcquireNotify") == 2)
        }
    }

    @Test func malformedReadGivesNoBatteryLevel() throws {
        let bench = try BluetoothdFixture()
        bench.bluez.script["ReadValue"] = [
            .values([.string("87")]), .values([]), .values([.bytes(Array(repeating: 65, count: 9000))]),
        ]
        try bench.stream()
        try bench.turn { !bench.information.isEmpty }
        #expect(bench.batteries.isEmpty)
    }

    /// 600 bytes are more than a value can have (Bluetooth Core 5.4, Vol 3, Part F, 3.2.9), though the first are a heart
    /// rate of 22. On a socket the empty value, the last one, is the end.
    @Test(arguments: ["Value", "AcquireNotify"])
    func malformedMeasurementsAreDropped(way: String) throws {
        let bench = try BluetoothdFixture()
        if way == "AcquireNotify" {
            bench.bluez.always["StartNotify"] = .fails(BusError("org.bluez.Error.NotSupported", ""))
        }
        try bench.stream()
        for value: [UInt8] in [[0xFF], [0x01, 60], Array(repeating: 0x16, count: 600), []] { bench.bluez.send(value) }
        try bench.streamAgain()
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 })
        // The same bytes in a value that fits are a measurement.
        bench.bluez.send(Array(repeating: 0x16, count: 20))
        try bench.turn { bench.hearts.contains { $0.beatsPerMinute == 22 } }
    }

    /// 10,000 changes, as in a second of many devices that advertise without filtering of duplicates. A beat behind 1,000
    /// changes waits for them, so the backend makes no call for a change and takes less than ten times the time of its
    /// reception. Without optimization it takes five times.
    @Test func floodOfChangesDelaysNoBeat() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        try bench.turn { bench.bluez.count(of: "StopDiscovery") == 1 }
        bench.bluez.change { $0.silentAfter = 0 }
        let calls = bench.bluez.calls.count
        let beats = (101...110).map(UInt8.init)
        let backend = try Self.processorTime {
            for beat in beats {
                Self.emitChanges(bench)
                #expect(bench.bluez.send([0x16, beat, 0x72, 0x03]))
                try bench.turn { bench.hearts.last?.beatsPerMinute == UInt16(beat) }
            }
        }
        #expect(bench.hearts.suffix(beats.count).map(\.beatsPerMinute) == beats.map(UInt16.init))
        #expect(bench.links.last?.state == .connected)
        #expect(bench.bluez.calls.count == calls)

        bench.release()
        let listener = try Bus(at: bench.bus.address, loop: bench.loop) { _ in }
        var (isListening, count) = (false, 0)
        let slot = try listener.match(
            "type='signal',member='PropertiesChanged'", installed: { isListening = $0 == nil },
            received: { _ in count += 1 })
        defer { withExtendedLifetime(slot) {} }
        try bench.turn { isListening }
        let reception = try Self.processorTime {
            for round in 1...beats.count {
                Self.emitChanges(bench)
                try bench.turn { count >= round * Self.changesBeforeABeat }
            }
        }
        #expect(backend < reception * 10)
    }

    private static let changesBeforeABeat = 1_000

    private static func emitChanges(_ bench: BluetoothdFixture) {
        for number in 0..<changesBeforeABeat {
            bench.bluez.emit(
                bench.bluez.straps[0].path, properties, "PropertiesChanged",
                [
                    .string("org.bluez.Device1"), .properties(["RSSI": .int16(Int16(-40 - number % 50))]),
                    .array(of: "s", []),
                ])
        }
    }

    /// The processor time of the calling thread, which does not depend on the machine's load.
    private static func processorTime(_ body: () throws -> Void) rethrows -> Duration {
        func now() -> Duration {
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        try body()
        return now() - start
    }

    @Test func thousandsOfDevicesDoNotHideTheStrap() throws {
        let bench = try BluetoothdFixture()
        for number in 0..<6_000 {
            let digits = String(number, radix: 16)
            let tail = String(repeating: "0", count: 4 - digits.count) + digits
            let address = "C0:00:00:00:\(tail.prefix(2)):\(tail.suffix(2))".uppercased()
            bench.bluez.after(.milliseconds(number / 4)) {
                bench.bluez.emit(
                    "/", Self.objectManager, "InterfacesAdded",
                    [
                        .objectPath(FakeBlueZ.adapter + "/dev_" + address.replacing(":", with: "_")),
                        .array(
                            of: "{sa{sv}}",
                            [
                                .entry(
                                    .string("org.bluez.Device1"),
                                    .properties([
                                        "Address": .string(address), "AddressType": .string("random"),
                                        "Adapter": .objectPath(FakeBlueZ.adapter), "RSSI": .int16(-80),
                                        "Connected": .bool(false), "ServicesResolved": .bool(false),
                                    ]))
                            ]),
                    ])
            }
        }
        bench.bluez.change { $0.isAdvertising = false }
        try bench.start()
        try bench.turn(for: .seconds(3))
        bench.bluez.change { $0.isAdvertising = true }
        try bench.streamAgain()
    }

    /// The bus lets any peer send any signal directly to another.
    @Test func signalsOfAnotherPeerAreIgnored() throws {
        let bench = try BluetoothdFixture()
        try bench.stream()
        let strap = bench.bluez.straps[0]
        let links = bench.links
        let peers = Set(bench.bluez.calls.map(\.sender))
        #expect(peers.count >= 1)
        let stranger = try Bus(at: bench.bus.address, loop: bench.loop) { _ in }
        for peer in peers {
            let changes: [(String, BusValue)] = [
                ("org.bluez.Device1", .properties(["Connected": .bool(false), "ServicesResolved": .bool(false)])),
                ("org.bluez.GattCharacteristic1", .properties(["Value": .bytes([0x06, 222])])),
                ("org.bluez.Adapter1", .properties(["Powered": .bool(false)])),
            ]
            for (interface, change) in changes {
                for path in [strap.path, strap.heartRate, FakeBlueZ.adapter] {
                    try stranger.emit(
                        path, Self.properties, "PropertiesChanged", [.string(interface), change, .array(of: "s", [])],
                        to: peer)
                }
            }
            try stranger.emit(
                "/", Self.objectManager, "InterfacesRemoved",
                [.objectPath(strap.path), .array(of: "s", [.string("org.bluez.Device1")])], to: peer)
            try stranger.emit(
                strap.path, "org.bluez.Device1", "Disconnected", [.string("org.bluez.Reason.Remote"), .string("")],
                to: peer)
        }
        try bench.streamAgain()
        #expect(bench.links == links)
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 })
    }
}
