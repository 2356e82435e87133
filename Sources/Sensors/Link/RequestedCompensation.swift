package import Domain

/// The zero offset of a power meter that a person has requested.
struct RequestedCompensation: Sendable {
    let link: Int
    /// When it ends without a result: at its limit, or at once after the end of its connection.
    var endsAt: Instant
}

extension SensorDriver {
    /// Starts the offset compensation of a connected power meter.
    ///
    /// - Parameter pattern: which one; nil for the only one.
    /// - Returns: why it cannot start; nil if ``Action/finishCompensation(_:)`` follows.
    package mutating func compensateOffset(
        _ pattern: SensorMatcher?, at now: Instant, into actions: inout [Action]
    ) -> ZeroOffsetResult? {
        if compensation != nil { return .busy }
        let links = slots.indices.filter { link in
            guard slots[link].link.status.state == .connected, slots[link].found.contains(.cyclingPower),
                let sensor = sensor(of: link)
            else { return false }
            return pattern?.matches(sensor, name: name(of: sensor)) ?? true
        }
        guard let link = links.first else { return .absent }
        if links.count > 1 { return .ambiguous }
        compensation = RequestedCompensation(link: link, endsAt: now + OffsetCompensation.limit)
        actions.append(.compensateOffset(link: link))
        return nil
    }

    mutating func finishCompensation(_ result: ZeroOffsetResult, into actions: inout [Action]) {
        compensation = nil
        actions.append(.finishCompensation(result))
    }
}
