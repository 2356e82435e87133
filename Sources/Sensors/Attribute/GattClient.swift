package import Domain

/// The client end of one connection to a GATT server.
///
/// It asks one thing at a time, answers what the peer asks (it has nothing to offer but its MTU), confirms indications, and knows
/// nothing of what the values mean. It does no input or output: the shell hands it each datagram with the moment of its arrival,
/// carries out the returned ``Action``s, and calls ``tick(at:)`` no later than ``deadline``.
///
/// A peer can make it neither grow nor work without end: the queue, what a discovery collects and how often the peer may speak
/// are bounded.
///
/// Some devices send an answer twice. The protocol has no transaction id, so the second could pass for the answer to the next request.
/// Therefore:
///
/// - an answer to nothing that was asked is ignored, and nothing is asked before all that has come was taken (``drained(at:)``);
/// - a request waits until the repetition of the last answer to a request of its opcode must have come, but for the next part of a
///   discovery: ``repetitionWait`` long, longer for a device whose repetitions were later;
/// - an answer that names handles and equals the last one, though another request was sent, is ignored once.
///
/// A right answer that equals the one before (two values, two refusals, two parts of a text) is therefore never ignored.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, parts F and G.
package struct GattClient: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send one datagram.
        case send([UInt8])
        /// Hand on what the server notified or indicated.
        case deliver(AttributeValue)
        /// Say what became of a procedure.
        case finish(GattProcedure, Result<GattProcedure.Finding, GattProcedure.Failure>)
        /// Close the connection: the peer floods it. Nothing more is asked or heard.
        case cut
    }

    /// The largest PDU in either direction, in bytes, as it is until the peers agree on more.
    package static let mtuMinimum = 23

    /// The largest PDU that this client takes, in bytes.
    package static let mtuLimit = 517

    /// How long a request can wait for its answer. After that the connection must not be asked anything more.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 3, part F, section 3.3.3.
    package static let transactionLimit = Duration.seconds(30)

    /// The most procedures that wait.
    package static let queueLimit = 16

    /// The most notifications and indications a second; a strap sends one or two.
    package static let notificationLimit = 20

    /// The most datagrams a second that are neither notifications nor answers.
    package static let requestLimit = 50

    /// How long after an answer its repetition can come; after a repetition that was later than expected, so much later than that, but at
    /// most ``repetitionLimit``.
    package static let repetitionWait = Duration.milliseconds(100)
    package static let repetitionLimit = Duration.seconds(2)

    /// The largest PDU in force, in bytes.
    package private(set) var mtu = mtuMinimum

    /// The procedure under way; its request was sent at `askedAt`, or waits to be.
    private var transaction: GattTransaction?
    private var askedAt: Instant?
    private var queue: [GattProcedure] = []
    /// The last answer to a request, by the request's opcode.
    private var answers: [UInt8: Answer] = [:]
    private var repetitions = 0
    private var wait = repetitionWait
    /// Datagrams may have come that were not taken yet.
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

    /// When ``tick(at:)`` has something to do, if nothing happens before.
    package var deadline: Instant? {
        transaction == nil ? nil : askedAt.map { $0 + Self.transactionLimit } ?? sendAt
    }

    /// The peer has repeated two answers on this connection.
    package var repeatsAnswers: Bool {
        repetitions >= 2
    }

    /// Carries out a procedure after those that were submitted before; its end is told by ``Action/finish(_:_:)``.
    package mutating func submit(_ procedure: GattProcedure, at now: Instant) -> [Action] {
        if isCut { return [] }
        if isMute { return [.finish(procedure, .failure(.timedOut))] }
        guard queue.count < Self.queueLimit else { return [.finish(procedure, .failure(.queueFull))] }
        queue.append(procedure)
        return sendNext(at: now)
    }

    /// Takes one datagram.
    ///
    /// - Parameter hasMore: nothing more is asked until ``drained(at:)``: other datagrams may have come already.
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

    /// All that has come was taken.
    package mutating func drained(at now: Instant) -> [Action] {
        hasMore = false
        return sendNext(at: now)
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) -> [Action] {
        guard let transaction, let askedAt else { return sendNext(at: now) }
        guard now >= askedAt + Self.transactionLimit else { return [] }
        let failed = [transaction.procedure] + queue
        self.transaction = nil
        queue = []
        isMute = true
        return failed.map { .finish($0, .failure(.timedOut)) }
    }

    /// What the two ends agree on when the peer takes PDUs of so many bytes.
    static func mtu(agreedWith peer: UInt16) -> Int {
        max(mtuMinimum, min(mtuLimit, Int(peer)))
    }

    private mutating func allows(_ opcode: UInt8, at now: Instant) -> Bool {
        switch opcode {
        case AttributePDU.notificationOpcode, AttributePDU.indicationOpcode: notifications.allows(now)
        default: requests.allows(now)
        }
    }

    /// Whether a datagram is what the request under way waits for.
    private func awaits(_ bytes: Span<UInt8>) -> Bool {
        askedAt != nil && transaction?.isAnswered(by: bytes) ?? false
    }

    /// Counts an answer that comes a second time. While the same opcode is awaited, only one that names handles can be told from a right
    /// answer.
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

    /// What could not be read must be answered all the same where the peer waits for it.
    private func misspoke(_ opcode: UInt8) -> [Action] {
        if opcode == AttributePDU.indicationOpcode { return [.send([0x1E])] }
        if AttributePDU.isRequest(opcode) { return [.send(Self.refusal(of: opcode, .invalidPDU))] }
        return []
    }

    /// An error about no handle in particular.
    private static func refusal(of opcode: UInt8, _ error: AttributeError) -> [UInt8] {
        [AttributePDU.refusalOpcode, opcode, 0, 0, error.rawValue]
    }

    private mutating func finish(_ result: Result<GattProcedure.Finding, GattProcedure.Failure>) -> [Action] {
        guard let procedure = transaction?.procedure else { return [] }
        transaction = nil
        return [.finish(procedure, result)]
    }

    /// When the request that waits may be sent; nil at once.
    private var sendAt: Instant? {
        guard let transaction, !transaction.isNextPart else { return nil }
        return answers[transaction.request.opcode].map { $0.at + wait }
    }

    /// Sends the next request, when its time has come.
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
