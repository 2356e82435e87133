/// The classes of lines that a client of state.sock can choose from.
package struct MessageClasses: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let state = MessageClasses(rawValue: 1)
    package static let event = MessageClasses(rawValue: 2)
    package static let heart = MessageClasses(rawValue: 4)
    package static let fix = MessageClasses(rawValue: 8)
    package static let settings = MessageClasses(rawValue: 16)

    /// All classes with the names that they have on the wire.
    package static let names: [(name: String, lines: MessageClasses)] = [
        ("STATE", .state), ("EVENT", .event), ("HEART", .heart), ("FIX", .fix), ("SETTINGS", .settings),
    ]
}

/// What one client of state.sock has chosen.
package struct Subscription: Equatable, Sendable {
    package var classes: MessageClasses = [.state, .event]
    /// The least time between periodic STATE lines, in milliseconds: a multiple of 100, 100 to 60000.
    package var everyMilliseconds: Int64 = 100

    package init() {}

    package static func isPeriod(_ milliseconds: Int) -> Bool {
        (100...60_000).contains(milliseconds) && milliseconds.isMultiple(of: 100)
    }
}

/// A `WATCH` line from a client. What is nil stays as it is.
package struct SubscriptionRequest: Equatable, Sendable {
    package var classes: MessageClasses?
    /// A multiple of 100, 100 to 60000.
    package var everyMilliseconds: Int?
    /// The last event that the client has, 0 or more: it wants those after it.
    package var since: Int?

    package init(classes: MessageClasses? = nil, everyMilliseconds: Int? = nil, since: Int? = nil) {
        self.classes = classes
        self.everyMilliseconds = everyMilliseconds
        self.since = since
    }
}

/// How many lines of each class a client has missed since it was last told.
package struct DroppedCounts: Equatable, Sendable {
    package var states = 0
    package var events = 0
    package var hearts = 0
    package var fixes = 0

    package init(states: Int = 0, events: Int = 0, hearts: Int = 0, fixes: Int = 0) {
        self.states = states
        self.events = events
        self.hearts = hearts
        self.fixes = fixes
    }
}

// The lines that are about the stream itself and are always sent.
extension JSONWriter {
    /// The first line of a stream.
    ///
    /// - Parameters:
    ///   - bootID: the random name of the machine's boot; empty when it is not known.
    ///   - instance: a name that is new at each start of the daemon.
    ///   - events: the numbers that can be replayed; while there are none, `first` is `last` + 1.
    package mutating func version(
        release: String, protocol number: Int, bootID: String, instance: String, events: Range<Int>
    ) {
        object { line in
            line.member("class", "VERSION")
            line.member("program", "paced")
            line.member("release", release)
            line.member("protocol", number)
            line.member("boot_id", bootID.isEmpty ? nil : bootID)
            line.member("instance", instance)
            line.object("events") {
                $0.member("first", events.lowerBound)
                $0.member("last", events.upperBound - 1)
            }
        }
        newline()
    }

    /// What is in force for a client.
    package mutating func watch(_ watch: Subscription) {
        object { line in
            line.member("class", "WATCH")
            line.array("classes") {
                for (name, lines) in MessageClasses.names where watch.classes.contains(lines) { $0.value(name) }
            }
            line.member("interval_ms", watch.everyMilliseconds)
        }
        newline()
    }

    package mutating func dropped(_ missed: DroppedCounts) {
        object { line in
            line.member("class", "DROPPED")
            line.member("states", missed.states)
            line.member("events", missed.events)
            line.member("hearts", missed.hearts)
            line.member("fixes", missed.fixes)
        }
        newline()
    }

    package mutating func error(_ message: String) {
        object { line in
            line.member("class", "ERROR")
            line.member("message", message)
        }
        newline()
    }
}
