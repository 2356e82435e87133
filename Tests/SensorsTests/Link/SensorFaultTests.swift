import Domain
import Sensors
import TestKit
import Testing

/// Faults and history of connections that end badly.
struct SensorFaultTests {
    private var clock = ManualClock()
    private var link: SensorLink
    private let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private let other = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0002), .public)

    init() {
        link = SensorLink(at: clock.now)
        search()
    }

    private mutating func search() {
        while !link.isScanning, let deadline = link.deadline {
            clock.now = max(clock.now, deadline)
            _ = link.tick(at: clock.now)
        }
    }

    /// Makes a connection that sends heart rate for some seconds and then ends.
    private mutating func connect(
        to strap: LEAddress? = nil, for seconds: Int, until loss: DisconnectCause
    ) -> [SensorLink.Action] {
        search()
        _ = link.found(strap ?? self.strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.subscribed(at: clock.now)
        for _ in 0..<seconds { link.received(.worn, at: clock.advance(by: .seconds(1))) }
        return link.lost(loss, at: clock.now)
    }

    @Test mutating func rejectedParametersAreWidenedAndRaiseAFault() {
        #expect(connect(for: 30, until: .parametersRefused) == [.widen(strap)])
        #expect(link.status.reason == .parametersRefused)
        #expect(link.faults == [.parametersRefused])
        _ = connect(for: 160, until: .supervisionTimeout)
        #expect(link.faults == [.parametersRefused], "it has not got over it yet")
        _ = connect(for: 161, until: .supervisionTimeout)
        #expect(link.faults == [])
    }

    @Test mutating func twoEarlyDisconnectsWidenTheParameters() {
        #expect(connect(for: 30, until: .remoteTerminated) == [])
        #expect(connect(for: 100, until: .ended) == [.widen(strap)])
        #expect(link.faults == [], "nothing was refused for certain")
        #expect(connect(for: 30, until: .remoteTerminated) == [])
        #expect(connect(for: 150, until: .remoteTerminated) == [.widen(strap)])
    }

    @Test(arguments: [
        (24, DisconnectCause.remoteTerminated), (161, .remoteTerminated), (30, .supervisionTimeout),
        (30, .attTimeout),
    ])
    mutating func otherDisconnectsDoNotWidenTheParameters(_ seconds: Int, loss: DisconnectCause) {
        for _ in 0..<4 { #expect(connect(for: seconds, until: loss) == []) }
    }

    @Test mutating func longConnectionResetsTheCountOfEarlyDisconnects() {
        #expect(connect(for: 30, until: .remoteTerminated) == [])
        #expect(connect(for: 300, until: .remoteTerminated) == [])
        #expect(connect(for: 30, until: .remoteTerminated) == [])
    }

    @Test mutating func disconnectsAndFaultsOfOneStrapDoNotCountForAnother() {
        #expect(connect(for: 30, until: .remoteTerminated) == [])
        #expect(connect(to: other, for: 30, until: .remoteTerminated) == [])
        _ = connect(for: 3, until: .flooded)
        #expect(link.faults == [.flood])
        _ = connect(to: other, for: 1, until: .supervisionTimeout)
        #expect(link.faults == [])
    }

    @Test mutating func floodFaultClearsAfterASteadyConnection() {
        _ = connect(for: 2, until: .flooded)
        #expect(link.faults == [.flood])
        _ = connect(for: 4, until: .flooded)
        #expect(link.faults == [.flood])
        _ = connect(for: 6, until: .supervisionTimeout)
        #expect(link.faults == [])
    }

    @Test mutating func needsPairingFaultClearsWithTheFirstHeartRate() {
        _ = connect(for: 0, until: .pairingNeeded)
        #expect(link.faults == [.needsPairing])
        #expect(link.status.reason == .needsPairing)
        _ = connect(for: 1, until: .supervisionTimeout)
        #expect(link.faults == [])
    }

    @Test func everyFaultHasAMessageAndOnlyOneNamesTheKernel() throws {
        // What the user can do, or what the daemon does.
        let remedies: [SensorFault: [String]] = [
            .flood: ["minute"], .parametersRefused: ["Linux 6.1.0-41-arm64", "connection parameters"],
            .needsPairing: ["pacectl sensors pair", "app"],
            .supervisionTimeout: [
                "ConnectionSupervisionTimeout=600", "/etc/bluetooth/main.conf", "restart bluetoothd",
            ],
        ]
        for fault in SensorFault.allCases {
            guard case .raise(let name, let message) = fault.raised(kernel: "6.1.0-41-arm64") else {
                Issue.record("not raised")
                continue
            }
            #expect(fault.cleared == .clear(name))
            #expect(name == fault.name)
            for words in try #require(remedies[fault]) { #expect(message.contains(words), "\(message)") }
            #expect(message.contains("6.1.0-41-arm64") == (fault == .parametersRefused))
        }
    }

    @Test(arguments: [
        (UInt8(0x05), DisconnectCause.pairingNeeded), (0x06, .pairingNeeded), (0x08, .supervisionTimeout),
        (0x13, .remoteTerminated),
        (0x15, .remoteTerminated), (0x16, .ended), (0x3B, .parametersRefused), (0x3D, .pairingNeeded),
        (0x3E, .unreachable),
        (0xFF, .ended),
    ])
    func disconnectReasonsOfTheControllerMapToCauses(_ reason: UInt8, loss: DisconnectCause) {
        #expect(DisconnectCause(disconnectReason: reason) == loss)
    }

    // MARK: The host

    @Test mutating func adapterLossStopsTheSearchAndItsReturnRestartsIt() {
        #expect(link.obstructed(by: .adapterOff, at: clock.now) == [.stopScan])
        #expect(link.status == LinkStatus(.disconnected, reason: .adapterOff))
        #expect(link.deadline == nil)
        #expect(link.found(strap, at: clock.now) == [])
        #expect(link.wanted(keepsSensor: true, at: clock.now) == [])
        #expect(link.obstructed(by: .noAdapter, at: clock.now) == [])
        #expect(link.status.reason == .noAdapter)
        #expect(link.obstructed(by: nil, at: clock.advance(by: .seconds(600))) == [])
        #expect(link.deadline == clock.now)
        #expect(link.tick(at: clock.now) == [.search])
        #expect(link.duty == .full)
    }

    @Test mutating func adapterLossDisconnectsTheStrap() {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.received(.worn, at: clock.now)
        #expect(link.obstructed(by: .noAdapter, at: clock.now) == [.disconnect])
        #expect(link.lost(.ended, at: clock.now) == [])
        #expect(link.status == LinkStatus(.disconnected, reason: .noAdapter, address: strap.address))
    }

    // MARK: Selection by people

    @Test mutating func ambiguousStrapsAreReportedAndNotConnected() {
        #expect(link.considered(.choose, at: clock.now) == [])
        #expect(link.status == LinkStatus(.disconnected, reason: .ambiguous))
        #expect(link.considered(.wait, at: clock.now) == [])
        #expect(link.status.reason == .searching)
        _ = link.considered(.choose, at: clock.now)
        #expect(link.considered(.connect(strap), at: clock.now) == [.connect(strap)])
        #expect(link.status == LinkStatus(.connecting, reason: .searching, address: strap.address))
    }

    @Test mutating func deselectedStrapIsDisconnectedAtOnce() {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.received(.worn, at: clock.now)
        #expect(link.wanted(keepsSensor: true, at: clock.now) == [])
        #expect(link.status.state == .connected)
        #expect(link.wanted(keepsSensor: false, at: clock.now) == [.disconnect])
        #expect(link.status == LinkStatus(.disconnected, reason: .searching))
        #expect(link.tick(at: clock.now) == [.search])
    }

    @Test mutating func selectionEndsTheRetryDelay() {
        _ = link.found(strap, at: clock.now)
        _ = link.connected(at: clock.now)
        link.lost(.flooded, at: clock.now)
        _ = link.wanted(keepsSensor: true, at: clock.advance(by: .seconds(1)))
        #expect(link.tick(at: clock.now) == [.search])
    }
}
