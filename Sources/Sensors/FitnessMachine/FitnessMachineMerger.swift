package import Domain

/// Joins the parts of a machine's record, and keeps a field that the newest part lacks.
///
/// Machines spread a record over two or more notifications. Not all set the More Data bit as the specification demands,
/// so that bit decides nothing here: the record is the newest value of each field. A field expires 5 to 10 s after it
/// was last received, and all of them 5 s after the last notification.
///
/// Source: Bluetooth SIG, Fitness Machine Service 1.0, section 4.19.
package struct FitnessMachineMerger: Equatable, Sendable {
    private static let lifetime = Duration.seconds(5)

    /// Fields received since ``changedAt``, and fields received in the 5 s before that.
    private var newer = FitnessMachineRecord()
    private var older = FitnessMachineRecord()
    private var changedAt: Instant?
    private var receivedAt: Instant?

    package init() {}

    /// Receives the fields of one notification.
    package mutating func received(_ part: FitnessMachineRecord, at now: Instant) {
        if record(at: now) == nil {
            newer = FitnessMachineRecord()
            older = newer
            changedAt = now
        } else if let changedAt, now - changedAt >= Self.lifetime {
            older = newer
            newer = FitnessMachineRecord()
            self.changedAt = now
        }
        newer.update(from: part)
        receivedAt = now
    }

    /// The whole record; nil before the first notification and 5 s after the last one.
    package func record(at now: Instant) -> FitnessMachineRecord? {
        guard let receivedAt, now - receivedAt < Self.lifetime else { return nil }
        var record = older
        record.update(from: newer)
        return record
    }
}
