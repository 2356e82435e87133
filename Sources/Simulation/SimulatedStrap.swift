import Domain

/// A simulated strap that is found, connects, drops out and reconnects.
struct SimulatedStrap: Sendable {
    /// The notification period. A strap notifies about once a second, by its own clock.
    static let period = Duration.milliseconds(997)

    private static let address = BluetoothAddress(value: 0xA09E_1A00_0001)
    private static let name = SanitizedText("Simulated strap")

    /// The duration of connecting in seconds.
    private static let connecting = 2.0

    /// The seconds in which the battery loses 1 %.
    private static let secondsPerPercent = 1200.0

    private var link: LinkStatus?
    private var battery: Int?

    /// The inputs from the strap at a time since the start.
    ///
    /// - Parameter beats: the RR intervals since the last call. They are lost while the strap is disconnected.
    mutating func notifications(after seconds: Double, rate: Double, beats: [UInt16]) -> [Input] {
        var inputs: [Input] = []
        let status = Self.link(after: seconds)
        if status != link {
            link = status
            inputs.append(.heartLink(status))
            battery = nil
            inputs.append(.sensor(sensor(status)))
        }
        guard status.state == .connected else { return inputs }
        inputs.append(
            .heart(
                HeartRateMeasurement(beatsPerMinute: UInt16(rate.rounded()), contact: true, rrIntervals: beats)))
        let percent = max(80 - Int(seconds / Self.secondsPerPercent), 5)
        if percent != battery {
            battery = percent
            inputs.append(.battery(percent: percent))
            inputs.append(.sensor(sensor(status)))
        }
        return inputs
    }

    private func sensor(_ link: LinkStatus) -> SensorStatus {
        var sensor = SensorStatus(.bluetooth(LEAddress(Self.address, .public)), kinds: [.heartRate], link: link)
        sensor.batteryPercent = battery
        return sensor
    }

    private static func link(after seconds: Double) -> LinkStatus {
        let dropout = PeriodicIncident.dropout
        let isConnecting =
            if let age = dropout.age(after: seconds) { age >= dropout.length - connecting } else {
                seconds < connecting
            }
        if isConnecting {
            return LinkStatus(.connecting, reason: .searching, address: address, name: name)
        }
        if dropout.age(after: seconds) != nil {
            return LinkStatus(.disconnected, reason: .searching, address: address, name: name)
        }
        return LinkStatus(.connected, address: address, name: name)
    }
}
