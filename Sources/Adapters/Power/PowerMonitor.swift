package import Domain
package import Linux

/// Reports the board's power status every 10 s.
///
///     thread: drivers ──▶ Desk ──▶ loop: report
///
/// A fuel gauge on an I2C bus may block its reader, so a separate thread reads it. The thread exists only
/// while there is something to read. Otherwise the board is checked again every minute.
package final class PowerMonitor {
    private final class Desk: Sendable {
        struct Papers {
            var power: PowerStatus?
            var isClosing = false
        }

        let papers = Locked(Papers())
        /// Wakes the thread.
        let work: EventFD
        /// Wakes the loop: a reading is available.
        let told: EventFD
        /// Signals that the thread has ended.
        let ended: EventFD

        init() throws(SystemError) {
            work = try EventFD()
            told = try EventFD()
            ended = try EventFD()
        }
    }

    private let supplies: PowerSupplies
    private let interval: Duration
    private let rest: Duration
    private let report: (PowerStatus?) -> Void
    private let desk: Desk
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
        desk = try Desk()
        source = try loop.watch(desk.told.descriptor, for: .reading) { [unowned self] _ in deliverStatus() }
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
        desk.papers.withLock { $0.isClosing = true }
        desk.work.signal()
        if desk.ended.wait(atMost: limit) { thread.join() }
        self.thread = nil
    }

    private func poll() {
        if supplies.areThere {
            // If no thread can be started, the next check tries again.
            thread = try? WorkerThread("paced-power") { [desk, supplies, interval] in
                Self.run(desk, supplies, every: interval)
            }
        }
        if thread == nil {
            timer?.arm(at: Clock.now() + rest)
            report(nil)
        }
    }

    private func deliverStatus() {
        desk.told.drain()
        let power = desk.papers.withLock { $0.power }
        if power == nil, let thread {
            // The thread ends after a reading without a result.
            thread.join()
            desk.ended.drain()
            self.thread = nil
            timer?.arm(at: Clock.now() + rest)
        }
        report(power)
    }

    // MARK: On the thread

    private static func run(_ desk: Desk, _ supplies: PowerSupplies, every interval: Duration) {
        var isOver = false
        while !isOver {
            let power = supplies.read()
            let isClosing = desk.papers.withLock { papers in
                papers.power = power
                return papers.isClosing
            }
            isOver = power == nil || isClosing
            if isOver { desk.ended.signal() }
            desk.told.signal()
            if !isOver { desk.work.wait(atMost: interval) }
        }
    }
}
