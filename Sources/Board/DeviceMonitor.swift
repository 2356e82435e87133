package import Domain
package import Linux

/// Devices of one class, whose drivers may block their reader: on an I2C bus for milliseconds or for ever.
package protocol DeviceSource: Sendable {
    associatedtype Reading: Sendable

    /// Whether there is anything to read. It accesses no hardware: the names come from the kernel.
    var isAnyPresent: Bool { get }

    /// Reads the devices. Nil if there is nothing to read. It may block, so it must not run in the loop.
    mutating func read() -> Reading?
}

/// One report of a ``DeviceMonitor``.
package enum DeviceReport<Reading> {
    case reading(Reading)
    /// There is nothing to read.
    case absent
    /// A reading has been in progress for this long. The next report follows when it ends.
    case unanswered(Duration)
}

extension DeviceReport: Equatable where Reading: Equatable {}

/// Reads the devices of one class at a fixed interval, one reading at a time.
///
///     thread: drivers ──▶ Mailbox ──▶ loop: report
///
/// A separate thread reads them. It exists only while there is something to read. Otherwise the board is checked again
/// at a slower rate. The mailbox keeps the newest reading only.
package final class DeviceMonitor<Source: DeviceSource> {
    package typealias Report = DeviceReport<Source.Reading>

    package struct Timing: Sendable {
        /// The time from the start of a reading to the start of the next one.
        package var interval: Duration
        /// The time between two checks for something to read.
        package var rest: Duration
        /// The time after which a reading in progress is reported.
        package var timeout: Duration

        package init(interval: Duration, rest: Duration, timeout: Duration = .seconds(5)) {
            self.interval = interval
            self.rest = rest
            self.timeout = timeout
        }
    }

    private final class Mailbox: Sendable {
        struct Contents {
            var reading: Source.Reading?
            /// When the reading in progress began; nil between two readings.
            var readsSince: Instant?
            var isClosing = false
        }

        let contents = Locked(Contents())
        /// Wakes the thread.
        let work: EventFD
        /// Wakes the loop: a reading is available.
        let changed: EventFD
        /// Signals that the thread has ended.
        let ended: EventFD

        init() throws(SystemError) {
            work = try EventFD()
            changed = try EventFD()
            ended = try EventFD()
        }
    }

    private let name: StaticText
    private let devices: Source
    private let timing: Timing
    private let report: (Report) -> Void
    private let mailbox: Mailbox
    private var thread: WorkerThread?
    private var source: DescriptorSource?
    private var timer: TimerSource?

    /// - Parameters:
    ///   - thread: the name of the thread, at most 15 characters.
    ///   - report: called in the loop after each reading or check.
    package init(
        _ devices: Source, thread name: StaticText, _ timing: Timing, loop: EventLoop,
        report: @escaping (Report) -> Void
    ) throws(SystemError) {
        self.name = name
        self.devices = devices
        self.timing = timing
        self.report = report
        mailbox = try Mailbox()
        source = try loop.watch(mailbox.changed.descriptor, for: .reading) { [unowned self] _ in deliver() }
        timer = try loop.timer { [unowned self] in thread == nil ? poll() : checkProgress() }
        timer?.arm(at: Clock.now())
    }

    /// Whether there is something to read, and so a thread.
    package var hasThread: Bool {
        thread != nil
    }

    /// Stops the thread, waiting at most `limit`, because a bus may never reply.
    package func close(waiting limit: Duration = .milliseconds(200)) {
        source = nil
        timer = nil
        guard let thread else { return }
        mailbox.contents.withLock { $0.isClosing = true }
        mailbox.work.signal()
        if mailbox.ended.wait(atMost: limit) { thread.join() }
        self.thread = nil
    }

    private func poll() {
        if devices.isAnyPresent {
            // If no thread can be started, the next check tries again.
            thread = try? WorkerThread(name) { [mailbox, devices, timing] in
                Self.run(mailbox, devices, every: timing.interval)
            }
        }
        timer?.arm(at: Clock.now() + (thread == nil ? timing.rest : timing.timeout))
        if thread == nil { report(.absent) }
    }

    /// Reports a reading that takes too long, once. A reading that began later is checked later.
    private func checkProgress() {
        let now = Clock.now()
        let elapsed = mailbox.contents.withLock { $0.readsSince }.map { now - $0 } ?? .zero
        guard elapsed >= timing.timeout else {
            timer?.arm(at: now + timing.timeout - elapsed)
            return
        }
        report(.unanswered(elapsed))
    }

    private func deliver() {
        mailbox.changed.drain()
        let reading = mailbox.contents.withLock { $0.reading }
        if reading == nil, let thread {
            // The thread ends after a reading without a result.
            thread.join()
            mailbox.ended.drain()
            self.thread = nil
        }
        timer?.arm(at: Clock.now() + (thread == nil ? timing.rest : timing.interval + timing.timeout))
        report(reading.map { .reading($0) } ?? .absent)
    }

    // MARK: On the thread

    private static func run(_ mailbox: Mailbox, _ source: Source, every interval: Duration) {
        var source = source
        var isOver = false
        while !isOver {
            let start = Clock.now()
            mailbox.contents.withLock { $0.readsSince = start }
            let reading = source.read()
            let isClosing = mailbox.contents.withLock { contents in
                contents.reading = reading
                contents.readsSince = nil
                return contents.isClosing
            }
            isOver = reading == nil || isClosing
            if isOver { mailbox.ended.signal() }
            mailbox.changed.signal()
            if !isOver { mailbox.work.wait(atMost: max(start + interval - Clock.now(), .zero)) }
        }
    }
}
