package import Domain

/// Limits the radio time of the search for a device, so that Wi-Fi and other links keep theirs: a board has one radio,
/// and a pending connection at full duty can cut off a Raspberry Pi's Wi-Fi.
///
///     without the device     in a run          idle
///     first 2 min            60 of 60 ms       60 of 60 ms
///     later                  100 of 400 ms     60 of 60 ms for 5 s in every 30 s
///
/// It applies both to scanning and to a pending connection; the two never run at the same time.
package struct ScanDutyPolicy: Equatable, Sendable {
    /// The radio listens for `window` in every `interval`.
    package struct Duty: Hashable, Sendable {
        package let interval: Duration
        package let window: Duration

        /// All the time, the kernel's default for connecting.
        package static let full = Duty(interval: .milliseconds(60), window: .milliseconds(60))
        /// A quarter of the time.
        package static let sparing = Duty(interval: .milliseconds(400), window: .milliseconds(100))
    }

    /// How long the search may use the radio all the time.
    package static let fullDutyPeriod = Duration.seconds(120)

    /// After that, while idle: the search uses the radio for this long in every ``glancePeriod``.
    package static let idleScanWindow = Duration.seconds(5)
    package static let glancePeriod = Duration.seconds(30)

    /// The present scan duty; nil while the radio must not listen.
    package private(set) var duty: Duty?

    /// The time of the next change if nothing happens before.
    package private(set) var deadline: Instant?

    /// When the device was lost; nil while it is present.
    private var awaySince: Instant?
    private var isActive = false

    package init() {}

    /// Starts the search: the device is lost.
    package mutating func begin(at now: Instant) {
        awaySince = now
        tick(at: now)
    }

    /// Ends the search: the device is present.
    package mutating func end() {
        awaySince = nil
        duty = nil
        deadline = nil
    }

    /// Receives whether a run is active.
    package mutating func runChanged(isActive: Bool, at now: Instant) {
        self.isActive = isActive
        tick(at: now)
    }

    /// Advances timers to `now`.
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
