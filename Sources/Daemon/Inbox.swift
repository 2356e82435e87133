import Bluetooth
package import Domain
import Linux
package import Sensors
import Storage

/// The messages that have reached the daemon, in order of arrival, each with its moment.
///
///     adapters, timers, signals, disk ──▶ append ──▶ Inbox ──▶ drain ──▶ Daemon.handle
///
/// Callbacks of the loop append. The loop drains the inbox after each callback has returned, before the next
/// callback. So no adapter is called while it reports, and no message waits for another callback.
///
/// It is bounded by the messages of one callback: an adapter reads a bounded number of bytes at a time.
package final class Inbox {
    package enum Message {
        /// The timer of the next tick or of the next idle second has fired.
        case tick
        case input(Input)
        /// The board's power status; nil if unknown.
        case power(PowerStatus?)
        /// A signal that stops the daemon.
        case stop(signal: Int32)
        /// SIGHUP without a terminal.
        case reload
        /// The status of the journal may have changed.
        case journal
        /// Sensors that have sent a beat.
        case knownSensors([KnownSensor])
        /// The keys of paired sensors.
        case keys([LongTermKey])
        /// The result of an operation that a controller started.
        case completion((Instant) -> Void)
    }

    private var messages: [(message: Message, at: Instant)] = []
    /// The batch in progress; its capacity is reused.
    private var batch: [(message: Message, at: Instant)] = []
    private(set) var isDraining = false

    package init() {}

    package func append(_ message: Message) {
        messages.append((message, Clock.now()))
    }

    /// Passes each message with its moment to `handle`, including those that arrive meanwhile.
    package func drain(_ handle: (Message, Instant) -> Void) {
        precondition(!isDraining)
        isDraining = true
        while !messages.isEmpty {
            swap(&batch, &messages)
            for (message, moment) in batch { handle(message, moment) }
            batch.removeAll(keepingCapacity: true)
        }
        isDraining = false
    }
}

extension DiskWorker {
    /// Queues a request. `completion` runs when the inbox is drained.
    ///
    /// - Returns: false if too many requests are waiting. `completion` is not called then.
    func submit(
        _ request: DiskRequest, via inbox: Inbox, _ completion: @escaping (Result<DiskReply, Failure>, Instant) -> Void
    ) -> Bool {
        submit(request) { [inbox] reply in inbox.append(.completion { completion(reply, $0) }) }
    }
}

extension Journal {
    /// Performs a step of an import. `body` runs when the inbox is drained after it.
    func perform(
        _ step: JournalImportStep, via inbox: Inbox,
        then body: @escaping (Result<JournalImportOutcome, JournalImportFailure>) -> Void
    ) {
        perform(step) { [inbox] result in inbox.append(.completion { _ in body(result) }) }
    }

    /// Calls `body` once, when the inbox is drained after all urgent changes until now are on the disk.
    ///
    /// - Returns: false if too many callbacks are waiting. `body` is not called then.
    func whenWritten(via inbox: Inbox, _ body: @escaping (Instant) -> Void) -> Bool {
        whenWritten { [inbox] in inbox.append(.completion(body)) }
    }

    /// Appends an urgent change, and calls `body` when the inbox is drained after it is on the disk.
    ///
    /// - Returns: false if too many callbacks are waiting. Nothing is appended then.
    func append(
        _ change: JournalChange, at now: Instant, via inbox: Inbox, then body: @escaping (Instant) -> Void
    ) -> Bool {
        append(change, at: now) { [inbox] in inbox.append(.completion(body)) }
    }
}
