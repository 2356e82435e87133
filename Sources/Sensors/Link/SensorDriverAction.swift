package import Domain

extension SensorDriver {
    /// The state of a backend and its adapter, as far as the sensors depend on it.
    package struct Host: Equatable, Sendable {
        /// The adapter in use; nil while it is absent.
        package var adapter: BluetoothAddress?
        /// What prevents a connection: no-bluetooth, no-adapter, adapter-off, adapter-blocked or no-permission.
        package var obstacle: LinkReason?
        /// Whether this process may scan.
        package var canScan: Bool
        /// Whether a connection may start now.
        package var canConnect: Bool
        /// The links whose last connection is still being closed.
        package var closing: Set<Int>
        /// The faults of the sensor that the backend has found.
        package var faults: Set<SensorFault>

        package init(
            adapter: BluetoothAddress? = nil, obstacle: LinkReason? = nil, canScan: Bool = true,
            canConnect: Bool = false, closing: Set<Int> = [], faults: Set<SensorFault> = []
        ) {
            self.adapter = adapter
            self.obstacle = obstacle
            self.canScan = canScan
            self.canConnect = canConnect
            self.closing = closing
            self.faults = faults
        }
    }

    /// `link` is the index of a link, from 0 to ``SensorDriver/linkLimit`` - 1; 0 is the strap's.
    package enum Action: Equatable, Sendable {
        /// Report linked devices, then call ``search(isKnown:at:into:)``.
        case search
        case startScan
        /// Stop the scan. `isConnecting`: because a sensor was found and will be connected.
        case stopScan(isConnecting: Bool)
        /// Set the duty of scans, and the sensors in use with their connection parameters: `true` means wide ones.
        case tune([LEAddress: Bool], ScanDutyPolicy.Duty)
        /// Connect for these kinds of measurements, the most important one first, and report
        /// ``connected(link:at:into:)`` or ``ended(_:link:at:into:)``.
        case connect(LEAddress, [SensorKind], link: Int)
        /// Cancel the connection attempt: the adapter cannot scan meanwhile. It is repeated later.
        case suspendAttempt(link: Int)
        /// Turn notifications on.
        case subscribe(link: Int)
        /// Repeat the subscription.
        case resubscribe(link: Int)
        /// Start the offset compensation, and report ``SensorSession/Report/compensated(_:)``.
        case compensateOffset(link: Int)
        /// Close the connection to this sensor, or cancel the attempt, without reporting its end.
        case disconnect(LEAddress?, link: Int)
        /// Look for a sensor to pair among the devices at hand, and report ``identified(_:at:into:)``.
        case identify(SensorMatcher)
        /// Pair, and report ``pairingEnded(_:at:into:)``. `replacesKey`: an existing key is of no use.
        case pair(LEAddress, until: Instant, replacesKey: Bool)
        /// Cancel the pairing, if it has not ended, without reporting its end.
        case stopPairing
        case report(Input)
        /// Report the sensor's device information, once a connection.
        case describe(DeviceInformation)
        /// Store these sensors instead of all earlier ones.
        case remember([KnownSensor])
        /// Complete the requested scan.
        case finishScan([ScanResult])
        /// Complete the requested pairing.
        case finishPairing(PairingResult)
        /// Complete the requested offset compensation.
        case finishCompensation(ZeroOffsetResult)
    }
}
