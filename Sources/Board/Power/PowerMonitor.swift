package import Domain
package import Linux

/// Reports the board's power status every 10 s.
///
///     thread: drivers ──▶ Mailbox ──▶ loop: report
///
/// A fuel gauge on an I2C bus may block its reader, so a separate thread reads it. The thread exists only
/// while there is something to read. Otherwise the board is checked again every minute.
package final class PowerMonitor {
    private final class Mailbox: Sendable {
        struct Contents {
            var power: PowerStatus?
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

    private let supplies: PowerSupplies
    private let interval: Duration
    private let rest: Duration
    private let report: (PowerStatus?) -> Void
    private let mailbox: Mailbox
    private var thread: WorkerThread?
    private var source: DescriptorSource?
    private var timer: TimerSource?

    /// - Parameters:
    ///   - interval: the time between two readings.
    ///   - rest: the time between two checks for something to read.
    ///   - report: called in the loop after each reading or check. Nil if nothing is known.
    package init(
        _ supplies: PowerSupplies, loop: EventLoop, interval: Duration = .seconds(10), rest: Duration = .seconds(60),
        report: @escaping (PowerStatus?) -> Void
    ) throws(SystemError) {
        self.supplies = supplies
        self.interval = interval
        self.rest = rest
        self.report = report
        mailbox = try Mailbox()
        source = try loop.watch(mailbox.changed.descriptor, for: .reading) { [unowned self] _ in deliverStatus() }
        timer = try loop.timer { [unowned self] in poll() }
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
        if supplies.areThere {
            // If no thread can be started, the next check tries again.
            thread = try? WorkerThread("paced-power") { [mailbox, supplies, interval] in
                Self.run(mailbox, supplies, every: interval)
            }
        }
        if thread == nil {
            timer?.arm(at: Clock.now() + rest)
            report(nil)
        }
    }

    private func deliverStatus() {
        mailbox.changed.drain()
        let power = mailbox.contents.withLock { $0.power }
        if power == nil, let thread {
            // The thread ends after a reading without a result.
            thread.join()
            mailbox.ended.drain()
            self.thread = nil
            timer?.arm(at: Clock.now() + rest)
        }
        report(power)
    }

    // MARK: On the thread

    private static func run(_ mailbox: Mailbox, _ supplies: PowerSupplies, every interval: Duration) {
        var isOver = false
        while !isOver {
            let power = supplies.read()
            let isClosing = mailbox.contents.withLock { contents in
                contents.power = power
                return contents.isClosing
            }
            isOver = power == nil || isClosing
            if isOver { mailbox.ended.signal() }
            mailbox.changed.signal()
            if !isOver { mailbox.work.wait(atMost: interval) }
        }
    }
}
