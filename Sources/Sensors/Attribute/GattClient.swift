package import Domain

/// The client end of one connection to a GATT server.
///
/// It asks one thing at a time, answers what the peer asks (it has nothing to offer but its MTU), confirms indications, and knows
/// nothing of what the values mean. It does no input or output: the shell hands it each datagram with the moment of its arrival,
/// carries out the returned ``Action``s, and calls ``tick(at:)`` no later than ``deadline``.
///
/// A peer can make it neither grow nor work without end: the queue, what a discovery collects and how often the peer may speak
/// are bounded. Answers to nothing that was asked are passed over, since a device that answers twice is still a device.
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

    /// The largest PDU in force, in bytes.
    package private(set) var mtu = mtuMinimum

    private var transaction: GattTransaction?
    private var askedAt = Instant(nanoseconds: 0)
    private var queue: [GattProcedure] = []
    private var isMute = false
    private var isCut = false
    private var notifications = RateLimit(perSecond: notificationLimit)
    private var requests = RateLimit(perSecond: requestLimit)

    package init() {}

    /// When ``tick(at:)`` has something to do, if nothing happens before.
    package var deadline: Instant? {
        transaction == nil ? nil : askedAt + Self.transactionLimit
    }

    /// Carries out a procedure after those that were submitted before; its end is told by ``Action/finish(_:_:)``.
    package mutating func submit(_ procedure: GattProcedure, at now: Instant) -> [Action] {
        if isCut { return [] }
        if isMute { return [.finish(procedure, .failure(.timedOut))] }
        guard queue.count < Self.queueLimit else { return [.finish(procedure, .failure(.queueFull))] }
        queue.append(procedure)
        return askNext(at: now)
    }

    /// Takes one datagram.
    package mutating func received(_ bytes: Span<UInt8>, at now: Instant) -> [Action] {
        guard !isCut, !bytes.isEmpty else { return [] }
        let isAnswer = transaction?.isAnswered(by: bytes) ?? false
        guard isAnswer || allows(bytes[0], at: now) else {
            isCut = true
            transaction = nil
            queue = []
            return [.cut]
        }
        do throws(ParseError) {
            guard bytes.count <= mtu else { throw ParseError(at: mtu, expected: "no more bytes than the MTU") }
            let pdu = try AttributePDU(bytes)
            return isAnswer ? answered(pdu, at: now) : said(pdu)
        } catch {
            return isAnswer ? finish(.failure(.malformed(error)), at: now) : misspoke(bytes[0])
        }
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) -> [Action] {
        guard let deadline, now >= deadline, let transaction else { return [] }
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

    private mutating func answered(_ pdu: AttributePDU, at now: Instant) -> [Action] {
        guard let step = transaction?.receive(pdu, mtu: mtu) else { return [] }
        switch step {
        case .ask(let request):
            askedAt = now
            return [.send(request.bytes)]
        case .finish(let result):
            if case .success(.mtu(let mtu)) = result { self.mtu = mtu }
            return finish(result, at: now)
        }
    }

    private mutating func said(_ pdu: AttributePDU) -> [Action] {
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

    private mutating func finish(
        _ result: Result<GattProcedure.Finding, GattProcedure.Failure>, at now: Instant
    ) -> [Action] {
        guard let procedure = transaction?.procedure else { return [] }
        transaction = nil
        return [.finish(procedure, result)] + askNext(at: now)
    }

    private mutating func askNext(at now: Instant) -> [Action] {
        var actions: [Action] = []
        while transaction == nil, !queue.isEmpty {
            let transaction = GattTransaction(queue.removeFirst())
            let bytes = transaction.request.bytes
            if bytes.count > mtu {
                actions.append(.finish(transaction.procedure, .failure(.tooLong)))
            } else {
                self.transaction = transaction
                askedAt = now
                actions.append(.send(bytes))
            }
        }
        return actions
    }
}
