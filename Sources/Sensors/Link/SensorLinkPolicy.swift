import Domain

extension SensorLink {
    /// A link that starts when nothing obstructs it any more.
    static func off(_ policy: Policy, at now: Instant) -> SensorLink {
        var link = SensorLink(policy, at: now)
        _ = link.obstructed(by: .off, at: now)
        return link
    }

    /// How a kind of sensor sends its measurements.
    package struct Policy: Equatable, Sendable {
        /// The silence after which the subscription is repeated: after subscribing, and in the middle of the stream.
        package let firstSilence: Duration
        package let silenceTimeout: Duration

        /// The silence after which the link disconnects. After subscribing it doubles with each fruitless connection,
        /// up to four times the value.
        package let notificationTimeout: Duration

        /// Whether a sensor that was not in use when it disconnected is left to sleep.
        package let sleepsWhenUnused: Bool

        /// A strap sends a measurement each second, and stays connected for as long as a host wants it.
        package static let strap = Policy(
            firstSilence: .seconds(3), silenceTimeout: .seconds(5), notificationTimeout: .seconds(12),
            sleepsWhenUnused: true)

        /// A sensor other than a strap may send nothing while its wheel or crank does not turn. It then disconnects
        /// to sleep, and advertises again when it moves.
        ///
        /// Source: Cycling Speed and Cadence Profile 1.0, sections 4.2 and 5.
        package static let other = Policy(
            firstSilence: .seconds(15), silenceTimeout: .seconds(30), notificationTimeout: .seconds(120),
            sleepsWhenUnused: false)
    }
}
