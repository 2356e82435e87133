import Domain

/// The zero offset of a power meter: what it measured without load before the compensation.
package struct ZeroOffset: Equatable, Sendable {
    /// In newtons, or newton metres if ``isTorque``.
    package var value: Double
    package var isTorque: Bool

    package init(_ value: Double, isTorque: Bool) {
        self.value = value
        self.isTorque = isTorque
    }
}

/// The result of an offset compensation.
package enum ZeroOffsetResult: Equatable, Sendable {
    /// The offset is nil if the meter does not report it, or not its unit.
    case compensated(ZeroOffset?)
    /// No connected power meter matches.
    case absent
    /// Several connected power meters match.
    case ambiguous
    /// Another compensation is in progress.
    case busy
    case notSupported
    /// The meter could not measure, for instance because the crank turns.
    case failed
    case needsPairing
    /// The connection ended, or no response came within ``OffsetCompensation/limit``.
    case unanswered
}

/// The procedure Start Offset Compensation of the Cycling Power Control Point (UUID 0x2A66), over one connection.
///
///     start ──▶ readFeatures ──▶ subscribe ──▶ write ──▶ indication ──▶ finish
///
/// The machine does no input or output. Its owner performs each ``Step`` and reports the result with the next call.
///
/// Source: Bluetooth SIG, Cycling Power Service 1.1, sections 3.4.2.12 and 3.4.3.
package struct OffsetCompensation: Sendable {
    package enum Step: Equatable, Sendable {
        /// Read the features, then call ``read(features:)``.
        case readFeatures
        /// Enable the indications of the control point, then call ``subscribed(_:)``.
        case subscribe
        /// Write to the control point. Call ``written(_:)``, and ``indicated(_:)`` with each indication.
        case write([UInt8])
        case finish(ZeroOffsetResult)
    }

    /// Why an operation failed, as far as it matters here.
    package enum Failure: Equatable, Sendable {
        /// The meter has no control point.
        case missing
        case needsPairing
        case other
    }

    /// The time limit for the whole procedure. A meter has 30 s to respond to a control point.
    package static let limit = Duration.seconds(35)

    private static let startOffsetCompensation: UInt8 = 0x0C
    private static let responseCode: UInt8 = 0x20

    /// Nil until they are read, and for a meter that does not report them.
    private var features: CyclingPowerFeatures?

    package init() {}

    package func start() -> Step { .readFeatures }

    /// - Parameter features: the value of the Cycling Power Feature characteristic; nil if it cannot be read. A meter
    ///   may accept the compensation without the feature bit, so the control point decides.
    package mutating func read(features value: [UInt8]?) -> Step {
        features = value.flatMap { try? CyclingPowerFeatures($0.span) }
        return .subscribe
    }

    package func subscribed(_ failure: Failure?) -> Step {
        failure.map(Self.finish) ?? .write([Self.startOffsetCompensation])
    }

    /// - Returns: nil while the indication is awaited.
    package func written(_ failure: Failure?) -> Step? {
        failure.map(Self.finish)
    }

    /// - Returns: nil for a value that is no response to this request.
    package func indicated(_ value: Span<UInt8>) -> Step? {
        var offset = 0
        guard (try? value.takeUInt8(&offset)) == Self.responseCode,
            (try? value.takeUInt8(&offset)) == Self.startOffsetCompensation,
            let code = try? value.takeUInt8(&offset)
        else { return nil }
        switch code {
        case 1: return .finish(.compensated(zeroOffset(try? value.takeInt16(&offset))))
        case 2: return .finish(.notSupported)
        // Also for codes that the specification does not define.
        default: return .finish(.failed)
        }
    }

    /// - Parameter raw: newtons, or 1/32 Nm; 0xFFFF if the meter does not report it.
    private func zeroOffset(_ raw: Int16?) -> ZeroOffset? {
        guard let raw, raw != -1, let features else { return nil }
        let isTorque = features.contains(.measuresTorque)
        return ZeroOffset(isTorque ? Double(raw) / 32 : Double(raw), isTorque: isTorque)
    }

    private static func finish(_ failure: Failure) -> Step {
        switch failure {
        case .missing: .finish(.notSupported)
        case .needsPairing: .finish(.needsPairing)
        case .other: .finish(.failed)
        }
    }
}
