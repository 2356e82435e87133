package import Domain

/// How much of the air the search for a strap may take, so that Wi-Fi and other links keep theirs: a board has one
/// radio, and a pending connection at full duty can take a Raspberry Pi's Wi-Fi away.
///
///     without the strap      in a run          idle
///     first 2 min            60 of 60 ms       60 of 60 ms
///     later                  100 of 400 ms     60 of 60 ms for 5 s in every 30 s
///
/// It holds for looking for a strap and for waiting for one with a pending connection alike; never both at a time.
package struct ScanDutyPolicy: Equatable, Sendable {
    /// So much of every interval the radio listens.
    package struct Duty: Hashable, Sendable {
        package let interval: Duration
        package let window: Duration

        /// All the time: the kernel's own for connecting.
        package static let full = Duty(interval: .milliseconds(60), window: .milliseconds(60))
        /// A quarter of the time.
        package static let sparing = Duty(interval: .milliseconds(400), window: .milliseconds(100))
    }

    /// How long the search may have all the air.
    package static let fullDutyPeriod = Duration.seconds(120)

    /// While idle after that: so long in every such period.
    package static let idleScanWindow = Duration.seconds(5)
    package static let glancePeriod = Duration.seconds(30)

    /// How the radio may listen now; nil while it must not.
    package private(set) var duty: Duty?

    /// When that changes, if nothing happens before.
    package private(set) var deadline: Instant?

    /// Since when the strap is away; nil while it is there.
    private var awaySince: Instant?
    private var isActive = false

    package init() {}

    /// The strap is away from now on.
    package mutating func begin(at now: Instant) {
        awaySince = now
        tick(at: now)
    }

    /// The strap is there.
    package mutating func end() {
        awaySince = nil
        duty = nil
        deadline = nil
    }

    /// A run has begun, or ended.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        self.isActive = isActive
        tick(at: now)
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) {
        guard let awaySince else { return }
        let later = awaySince + Self.fullDutyPeriod
        if now < later {
            duty = .full
            deadline = later
        } else if isActive {
            duty = .sparing
            deadline = nil
        } else {
            let period = Self.glancePeriod.wholeNanoseconds
            let begun = later + .nanoseconds((now - later).wholeNanoseconds / period * period)
            let isOpen = now < begun + Self.idleScanWindow
            duty = isOpen ? .full : nil
            deadline = begun + (isOpen ? Self.idleScanWindow : Self.glancePeriod)
        }
    }
}
