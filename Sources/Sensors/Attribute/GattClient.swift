package import Domain

/// The client of one connection to a GATT server.
///
/// It sends one request at a time, answers the peer's requests (it serves nothing but its MTU) and confirms
/// indications. It does not interpret values. It does no input or output: the shell passes each datagram with the time
/// of its arrival, performs the returned ``Action``s, and calls ``tick(at:)`` no later than ``deadline``. The queue,
/// the results of a discovery and the rate of the peer's datagrams are bounded.
///
/// Some devices send a response twice. The protocol has no transaction id, so the second could pass for the response to
/// the next request. Therefore:
///
/// - A response without a request is ignored, and no request is sent before pending datagrams are read
///   (``drained(at:)``).
/// - A request, except the next part of a discovery, waits until a repetition of the last response to the same opcode
///   must have arrived: for ``repetitionWait``, and longer for a device whose repetitions came later.
/// - A response with handles that equals the last one, although the request is another, is ignored once.
///
/// So a correct response that equals the one before (two values, errors, or parts of a text) is never ignored.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, parts F and G.
package struct GattClient: Sendable {
    package enum Action: Equatable, Sendable {
        case send([UInt8])
        /// Pass on a notified or indicated value.
        case deliver(AttributeValue)
        /// Report the result of a procedure.
        case finish(GattProcedure, Result<GattProcedure.Finding, GattProcedure.Failure>)
        /// Close the connection: the peer floods it. The client sends and reads nothing more.
        case cut
    }

    /// The largest PDU in either direction until the peers agree on another, in bytes.
    package static let mtuMinimum = 23

    /// The largest PDU that this client receives, in bytes.
    package static let mtuLimit = 517

    /// The longest wait for a response. After it no request may be sent on the connection.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 3, part F, section 3.3.3.
    package static let transactionLimit = Duration.seconds(30)

    /// The largest number of queued procedures.
    package static let queueLimit = 16

    /// The largest number of notifications and indications a second; a sensor sends one or two.
    package static let notificationLimit = 20

    /// The largest number of datagrams a second that are neither notifications nor responses.
    package static let requestLimit = 50

    /// The time after a response in which its repetition can arrive. A later repetition extends it by its delay, up to
    /// ``repetitionLimit`` in total.
    package static let repetitionWait = Duration.milliseconds(100)
    package static let repetitionLimit = Duration.seconds(2)

    /// The largest PDU now in force, in bytes.
    package private(set) var mtu = mtuMinimum

    /// The current procedure. Its request was sent at `askedAt`; nil until it is sent.
    private var transaction: GattTransaction?
    private var askedAt: Instant?
    private var queue: [GattProcedure] = []
    /// The last response by the opcode of its request.
    private var answers: [UInt8: Answer] = [:]
    private var repetitions = 0
    private var wait = repetitionWait
    /// Datagrams may be pending.
    private var hasMore = false
    private var isMute = false
    private var isCut = false
    private var notifications = RateLimit(perSecond: notificationLimit)
    private var requests = RateLimit(perSecond: requestLimit)

    package init() {}

    private struct Answer: Sendable {
        let request: [UInt8]
        let bytes: [UInt8]
        let at: Instant
        var isRepeated = false
    }

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package var deadline: Instant? {
        transaction == nil ? nil : askedAt.map { $0 + Self.transactionLimit } ?? sendAt
    }

    /// Whether the peer has repeated two responses on this connection.
    package var repeatsAnswers: Bool {
        repetitions >= 2
    }

    /// Queues a procedure. Its result is reported by ``Action/finish(_:_:)``.
    package mutating func submit(_ procedure: GattProcedure, at now: Instant) -> [Action] {
        if isCut { return [] }
        if isMute { return [.finish(procedure, .failure(.timedOut))] }
        guard queue.count < Self.queueLimit else { return [.finish(procedure, .failure(.queueFull))] }
        queue.append(procedure)
        return sendNext(at: now)
    }

    /// Receives one datagram.
    ///
    /// - Parameter hasMore: other datagrams may be pending; no request is sent until ``drained(at:)``.
    package mutating func received(_ bytes: Span<UInt8>, hasMore: Bool = false, at now: Instant) -> [Action] {
        guard !isCut, !bytes.isEmpty else { return [] }
        self.hasMore = hasMore
        let isAnswer = !isRepetition(bytes, at: now) && awaits(bytes)
        guard isAnswer || allows(bytes[0], at: now) else {
            isCut = true
            transaction = nil
            queue = []
            return [.cut]
        }
        if isAnswer { note(bytes, at: now) }
        let actions: [Action]
        do throws(ParseError) {
            guard bytes.count <= mtu else { throw ParseError(at: mtu, expected: "no more bytes than the MTU") }
            let pdu = try AttributePDU(bytes)
            actions = isAnswer ? answered(pdu) : handle(pdu)
        } catch {
            actions = isAnswer ? finish(.failure(.malformed(error))) : misspoke(bytes[0])
        }
        return actions + sendNext(at: now)
    }

    /// Resumes requests: no datagram is pending any more.
    package mutating func drained(at now: Instant) -> [Action] {
        hasMore = false
        return sendNext(at: now)
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        guard let transaction, let askedAt else { return sendNext(at: now) }
        guard now >= askedAt + Self.transactionLimit else { return [] }
        let failed = [transaction.procedure] + queue
        self.transaction = nil
        queue = []
        isMute = true
        return failed.map { .finish($0, .failure(.timedOut)) }
    }

    /// The MTU that results when the peer receives PDUs of `peer` bytes.
    static func mtu(agreedWith peer: UInt16) -> Int {
        max(mtuMinimum, min(mtuLimit, Int(peer)))
    }

    private mutating func allows(_ opcode: UInt8, at now: Instant) -> Bool {
        switch opcode {
        case AttributePDU.notificationOpcode, AttributePDU.indicationOpcode: notifications.allows(now)
        default: requests.allows(now)
        }
    }

    /// Whether a datagram answers the request under way.
    private func awaits(_ bytes: Span<UInt8>) -> Bool {
        askedAt != nil && transaction?.isAnswered(by: bytes) ?? false
    }

    /// Detects and counts a repeated response. While the same opcode is awaited, only a response with handles can be
    /// recognised as a repetition.
    private mutating func isRepetition(_ bytes: Span<UInt8>, at now: Instant) -> Bool {
        guard let opcode = AttributePDU.requestOpcode(answeredBy: bytes), let last = answers[opcode],
            !last.isRepeated, bytes.bytes(from: 0) == last.bytes
        else { return false }
        if awaits(bytes) {
            guard AttributePDU.namesHandles(bytes[0]), transaction?.request.bytes != last.request else { return false }
        }
        answers[opcode]?.isRepeated = true
        repetitions += 1
        wait = max(wait, min(now - last.at + Self.repetitionWait, Self.repetitionLimit))
        return true
    }

    private mutating func note(_ bytes: Span<UInt8>, at now: Instant) {
        guard let request = transaction?.request else { return }
        answers[request.opcode] = Answer(request: request.bytes, bytes: bytes.bytes(from: 0), at: now)
        askedAt = nil
    }

    private mutating func answered(_ pdu: AttributePDU) -> [Action] {
        guard case .finish(let result)? = transaction?.receive(pdu, mtu: mtu) else { return [] }
        if case .success(.mtu(let mtu)) = result { self.mtu = mtu }
        return finish(result)
    }

    private mutating func handle(_ pdu: AttributePDU) -> [Action] {
        switch pdu {
        case .notification(let value): return [.deliver(value)]
        case .indication(let value): return [.send([0x1E]), .deliver(value)]
        case .mtuRequest(let peer):
            mtu = Self.mtu(agreedWith: peer)
            var answer: [UInt8] = [0x03]
            answer.append(uint16: UInt16(Self.mtuLimit))
            return [.send(answer)]
        case .otherRequest(let opcode): return [.send(Self.refusal(of: opcode, .requestNotSupported))]
        default: return []
        }
    }

    /// Answers a datagram that could not be parsed, if the peer waits for an answer.
    private func misspoke(_ opcode: UInt8) -> [Action] {
        if opcode == AttributePDU.indicationOpcode { return [.send([0x1E])] }
        if AttributePDU.isRequest(opcode) { return [.send(Self.refusal(of: opcode, .invalidPDU))] }
        return []
    }

    /// An Error Response without a particular handle.
    private static func refusal(of opcode: UInt8, _ error: AttributeError) -> [UInt8] {
        [AttributePDU.refusalOpcode, opcode, 0, 0, error.rawValue]
    }

    private mutating func finish(_ result: Result<GattProcedure.Finding, GattProcedure.Failure>) -> [Action] {
        guard let procedure = transaction?.procedure else { return [] }
        transaction = nil
        return [.finish(procedure, result)]
    }

    /// The earliest time for the waiting request; nil if it may be sent at once.
    private var sendAt: Instant? {
        guard let transaction, !transaction.isNextPart else { return nil }
        return answers[transaction.request.opcode].map { $0.at + wait }
    }

    /// Sends the next request if its time has come.
    private mutating func sendNext(at now: Instant) -> [Action] {
        var actions: [Action] = []
        while !hasMore, transaction == nil, !queue.isEmpty {
            let next = GattTransaction(queue.removeFirst())
            askedAt = nil
            if next.request.bytes.count > mtu {
                actions.append(.finish(next.procedure, .failure(.tooLong)))
            } else {
                transaction = next
            }
        }
        guard !hasMore, let transaction, askedAt == nil, sendAt.map({ now >= $0 }) ?? true else { return actions }
        askedAt = now
        return actions + [.send(transaction.request.bytes)]
    }
}
