package import Domain
package import JSONCoding

/// The classes of lines that a client of state.sock can subscribe to.
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

    /// All classes with their names on the wire.
    package static let names: [(name: String, MessageClasses)] = [
        ("STATE", .state), ("EVENT", .event), ("HEART", .heart), ("FIX", .fix), ("SETTINGS", .settings),
    ]
}

/// The subscription of one client of state.sock.
package struct Subscription: Equatable, Sendable {
    package var classes: MessageClasses = [.state, .event]
    /// The minimum time between periodic STATE lines, in milliseconds: a multiple of 100, 100 to 60000.
    package var everyMilliseconds: Int64 = 100
    /// The blocks of its STATE lines.
    package var blocks: StateBlocks = []
    /// The topics whose DATA it receives, each once.
    package var topics: [TopicName] = []

    /// The most topics of one subscription.
    package static let topicLimit = TopicTable.limit

    package init() {}

    package static func isPeriod(_ milliseconds: Int) -> Bool {
        (100...60_000).contains(milliseconds) && milliseconds.isMultiple(of: 100)
    }
}

/// A `WATCH` line from a client. Nil leaves a property unchanged.
package struct SubscriptionRequest: Equatable, Sendable {
    package var classes: MessageClasses?
    /// A multiple of 100, 100 to 60000.
    package var everyMilliseconds: Int?
    package var blocks: StateBlocks?
    /// At most ``Subscription/topicLimit``, each once.
    package var topics: [TopicName]?
    /// The last event that the client has, 0 or more; it requests those after it.
    package var since: Int?
    /// Whether ``since`` requests events of the run in progress only.
    package var isOfThisRun = false

    package init(
        classes: MessageClasses? = nil, everyMilliseconds: Int? = nil, blocks: StateBlocks? = nil,
        topics: [TopicName]? = nil, since: Int? = nil, isOfThisRun: Bool = false
    ) {
        self.classes = classes
        self.everyMilliseconds = everyMilliseconds
        self.blocks = blocks
        self.topics = topics
        self.since = since
        self.isOfThisRun = isOfThisRun
    }
}

/// The numbers of dropped lines of each class since the last DROPPED line.
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

// Lines about the stream itself, which are always sent.
extension JSONWriter {
    /// Writes the members of a device.
    mutating func members(of device: Device) {
        member("uuid", device.uuid)
        member("name", device.name?.text)
    }

    /// Writes the first line of a stream.
    ///
    /// - Parameters:
    ///   - bootID: the kernel's random boot ID; empty if it is unknown.
    ///   - instance: a name that is new at each start of the daemon.
    ///   - gpsd: the address of gpsd in use, as paced.conf has it; nil if it is not known.
    ///   - device: the name of this board; nil if it has none yet, and in the demo.
    ///   - events: the numbers that can be replayed; if there are none, `first` is `last` + 1.
    package mutating func version(
        release: String, protocol number: Int, bootID: String, instance: String, gpsd: String? = nil,
        device: Device? = nil, events: Range<Int>
    ) {
        object { line in
            line.member("class", "VERSION")
            line.member("program", "paced")
            line.member("release", release)
            line.member("protocol", number)
            line.member("boot_id", bootID.isEmpty ? nil : bootID)
            line.member("instance", instance)
            line.member("gpsd", gpsd)
            if let device { line.object("device") { $0.members(of: device) } }
            line.object("events") {
                $0.member("first", events.lowerBound)
                $0.member("last", events.upperBound - 1)
            }
        }
        newline()
    }

    /// Writes a WATCH line: a client's present subscription.
    package mutating func watch(_ watch: Subscription) {
        object { line in
            line.member("class", "WATCH")
            line.array("classes") {
                for (name, lines) in MessageClasses.names where watch.classes.contains(lines) { $0.value(name) }
            }
            line.member("interval_ms", watch.everyMilliseconds)
            if !watch.blocks.isEmpty {
                line.array("blocks") {
                    for (name, block) in StateBlocks.names where watch.blocks.contains(block) { $0.value(name) }
                }
            }
            if !watch.topics.isEmpty {
                line.array("topics") { for topic in watch.topics { $0.value(topic.text) } }
            }
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
