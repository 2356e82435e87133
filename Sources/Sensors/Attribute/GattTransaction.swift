import Domain

/// The state of one procedure: its open request and the results of the earlier ones.
struct GattTransaction: Sendable {
    let procedure: GattProcedure
    private(set) var request: AttributeRequest
    private var characteristics: [Characteristic] = []
    private var descriptors: [Descriptor] = []
    private var value: [UInt8] = []

    /// The step after a response.
    enum Step {
        case ask(AttributeRequest)
        case finish(Result<GattProcedure.Finding, GattProcedure.Failure>)
    }

    /// The largest number of characteristics or descriptors of one service; more is an error.
    static let attributeLimit = 64

    /// The longest value of an attribute, in bytes.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 3, part F, section 3.2.9.
    static let valueLimit = 512

    init(_ procedure: GattProcedure) {
        self.procedure = procedure
        request =
            switch procedure {
            case .exchangeMTU: .exchangeMTU(UInt16(GattClient.mtuLimit))
            case .findService(let type): .findService(1...0xFFFF, type)
            case .discoverCharacteristics(let range): .readByType(range, .characteristic)
            case .discoverDescriptors(let range): .findInformation(range)
            case .read(let handle): .read(handle: handle)
            case .readByType(let type): .readByType(1...0xFFFF, type)
            case .write(let handle, let value): .write(handle: handle, value: value)
            }
    }

    /// Whether a datagram answers the request, with success or an error.
    func isAnswered(by pdu: Span<UInt8>) -> Bool {
        AttributePDU.requestOpcode(answeredBy: pdu) == request.opcode
    }

    /// Whether the request continues a discovery: its response has other handles than the one before.
    var isNextPart: Bool {
        !characteristics.isEmpty || !descriptors.isEmpty
    }

    /// Receives the response to the request.
    mutating func receive(_ answer: AttributePDU, mtu: Int) -> Step {
        do {
            let step = try next(after: answer, mtu: mtu)
            if case .ask(let request) = step { self.request = request }
            return step
        } catch {
            return .finish(.failure(.malformed(error)))
        }
    }

    private mutating func next(after answer: AttributePDU, mtu: Int) throws(ParseError) -> Step {
        switch (procedure, answer) {
        case (_, .refusal(_, _, let error)): return refused(error)
        case (.exchangeMTU, .mtu(let mtu)):
            return .finish(.success(.mtu(GattClient.mtu(agreedWith: mtu))))
        case (.findService, .services(let services)): return .finish(.success(.service(services.first)))
        case (.discoverCharacteristics(let range), .values(let items)):
            for item in items { characteristics.append(try Self.characteristic(item)) }
            return try next(within: range, found: items.map(\.handle), total: characteristics.count)
        case (.discoverDescriptors(let range), .information(let items)):
            descriptors += items
            return try next(within: range, found: items.map(\.handle), total: descriptors.count)
        case (.readByType, .values(let items)):
            value = items[0].value
            // One byte holds the size of an item, so a long value can be cut at 253 bytes too.
            return next(reading: items[0].handle, isCut: value.count == min(mtu - 4, 253))
        case (.read(let handle), .value(let value)):
            self.value = value
            return next(reading: handle, isCut: value.count == mtu - 1)
        case (_, .part(let part)):
            guard case .readBlob(let handle, _) = request else { break }
            value += part.prefix(Self.valueLimit - value.count)
            return next(reading: handle, isCut: part.count == mtu - 1)
        case (.write, .written): return .finish(.success(.written))
        default: break
        }
        throw ParseError(at: 0, expected: "the answer to what was asked")
    }

    /// Sorts errors: those that end a discovery or a long read, and failures.
    private func refused(_ error: AttributeError) -> Step {
        if case .readBlob = request { return .finish(.success(.value(value))) }
        guard error == .attributeNotFound else { return .finish(.failure(.refused(error))) }
        switch procedure {
        case .findService: return .finish(.success(.service(nil)))
        case .discoverCharacteristics: return .finish(.success(.characteristics(characteristics)))
        case .discoverDescriptors: return .finish(.success(.descriptors(descriptors)))
        default: return .finish(.failure(.refused(error)))
        }
    }

    /// Requests the next part of a discovery. Handles must rise within the range, or it would never end.
    private func next(
        within range: ClosedRange<UInt16>, found handles: [UInt16], total: Int
    ) throws(ParseError) -> Step {
        var first = firstHandle
        for handle in handles {
            guard handle >= first, handle <= range.upperBound else {
                throw ParseError(at: 2, expected: "handles that rise within the range")
            }
            if handle == range.upperBound { return found }
            first = handle + 1
        }
        guard total <= Self.attributeLimit else { throw ParseError(at: 2, expected: "at most 64 attributes") }
        switch request {
        case .readByType(_, let type): return .ask(.readByType(first...range.upperBound, type))
        default: return .ask(.findInformation(first...range.upperBound))
        }
    }

    private var firstHandle: UInt16 {
        switch request {
        case .readByType(let range, _), .findInformation(let range): range.lowerBound
        default: 1
        }
    }

    private var found: Step {
        if case .discoverCharacteristics = procedure { return .finish(.success(.characteristics(characteristics))) }
        return .finish(.success(.descriptors(descriptors)))
    }

    private func next(reading handle: UInt16, isCut: Bool) -> Step {
        guard isCut, value.count < Self.valueLimit else { return .finish(.success(.value(value))) }
        return .ask(.readBlob(handle: handle, offset: UInt16(value.count)))
    }

    /// Parses a declaration: properties u8, handle of the value u16, UUID 2 or 16 bytes.
    private static func characteristic(_ item: AttributeValue) throws(ParseError) -> Characteristic {
        let bytes = item.value.span
        guard bytes.count == 5 || bytes.count == 19 else {
            throw ParseError(at: 1, expected: "declarations of 7 or 21 bytes")
        }
        let valueHandle = try bytes.uint16(at: 1)
        guard valueHandle > item.handle else {
            throw ParseError(at: 5, expected: "a value after its declaration")
        }
        return Characteristic(
            handle: item.handle, properties: bytes[0], valueHandle: valueHandle,
            type: try AttributeUUID(bytes.extracting(3...)))
    }
}
