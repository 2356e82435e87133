package import Domain

/// Lets the records of an imported file through in the order of their times.
///
/// Records that jump more than 10 min ahead and come back within 20 are left out, as are those that go back. Equal times pass: files
/// have two records at one second where a lap ends. A real hole of more than 10 min shows itself after 20 records; so many are held
/// until then.
package struct RecordReorderer<Record> {
    /// How far ahead is a jump, in milliseconds.
    package static var jump: Int64 { 600_000 }
    /// The most records that are held.
    package static var heldLimit: Int { 20 }

    private var newest: UTC?
    private var held: [(time: UTC, record: Record)] = []
    /// Records that were left out because their time went back.
    package private(set) var backward = 0
    /// Records that were left out because they had jumped ahead.
    package private(set) var ahead = 0

    package init() {}

    /// Takes the file's next record, and hands over those that are in order now.
    package mutating func append(_ record: Record, at time: UTC, _ body: (Record, UTC) throws -> Void) rethrows {
        if let newest, time < newest {
            backward += 1
        } else if let first = held.first, let last = held.last {
            if time < first.time, newest != nil || first.time.milliseconds - time.milliseconds > Self.jump {
                ahead += held.count
                held = []
                try append(record, at: time, body)
            } else if time < last.time {
                backward += 1
            } else {
                held.append((time, record))
                // The very first record is believed as soon as the second does not come long before it.
                if newest == nil || held.count > Self.heldLimit { try release(body) }
            }
        } else if let newest, time.milliseconds - newest.milliseconds <= Self.jump {
            self.newest = time
            try body(record, time)
        } else {
            held.append((time, record))
        }
    }

    /// There are no more records: none of those held came back.
    package mutating func finish(_ body: (Record, UTC) throws -> Void) rethrows {
        try release(body)
    }

    private mutating func release(_ body: (Record, UTC) throws -> Void) rethrows {
        newest = held.last?.time ?? newest
        let records = held
        held.removeAll(keepingCapacity: true)
        for (time, record) in records { try body(record, time) }
    }
}
