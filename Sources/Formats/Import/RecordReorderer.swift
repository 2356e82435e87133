package import Domain

/// Passes the records of an imported file on in the order of their times.
///
/// Records that go back in time are skipped, and so are records that jump more than 10 min ahead if one of the next 20
/// comes back. Equal times pass: files have two records at one second when a lap ends. A gap of more than 10 min is
/// confirmed after 20 records, which are held until then.
package struct RecordReorderer<Record> {
    /// The smallest jump ahead, in milliseconds.
    package static var jump: Int64 { 600_000 }
    /// The largest number of held records.
    package static var heldLimit: Int { 20 }

    private var newest: UTC?
    private var held: [(time: UTC, record: Record)] = []
    /// The number of records skipped because they went back in time.
    package private(set) var backward = 0
    /// The number of records skipped because they jumped ahead in time.
    package private(set) var ahead = 0

    package init() {}

    /// Receives the file's next record, passes the ordered records to `body`, and the skipped ones to `skip`.
    package mutating func append(
        _ record: Record, at time: UTC, skip: (Record) -> Void = { _ in }, _ body: (Record, UTC) throws -> Void
    ) rethrows {
        if let newest, time < newest {
            backward += 1
            skip(record)
        } else if let first = held.first, let last = held.last {
            if time < first.time, newest != nil || first.time.milliseconds - time.milliseconds > Self.jump {
                ahead += held.count
                for (_, record) in held { skip(record) }
                held = []
                try append(record, at: time, skip: skip, body)
            } else if time < last.time {
                backward += 1
                skip(record)
            } else {
                held.append((time, record))
                // The first record counts unless the second is far before it.
                if newest == nil || held.count > Self.heldLimit { try release(body) }
            }
        } else if let newest, time.milliseconds - newest.milliseconds <= Self.jump {
            self.newest = time
            try body(record, time)
        } else {
            held.append((time, record))
        }
    }

    /// Ends the file and passes the held records on, since no record came back.
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
