package import Domain
package import JSONCoding

/// The topics and payloads of a board. Topics have the version of this format.
///
/// Source: docs/link.md.
package struct LinkMessages {
    package let device: UUID

    package init(device: UUID) { self.device = device }

    private var prefix: String { "paced/v1/\(device)" }
    package var status: String { prefix + "/status" }
    package var state: String { prefix + "/state" }
    package var event: String { prefix + "/event" }
    package var rows: String { prefix + "/rows" }
    package var commands: String { prefix + "/cmd" }
    package var reply: String { prefix + "/reply" }
    package var acknowledgements: String { prefix + "/ack/+" }

    /// The sink of the topic of an acknowledgement; nil for another topic.
    package func sink(of topic: String) -> String? {
        let start = prefix + "/ack/"
        return topic.hasPrefix(start) ? String(topic.dropFirst(start.count)) : nil
    }

    package static func acknowledgement(_ payload: [UInt8]) -> RowAcknowledgement? {
        guard let json = try? JSON(parsing: payload), let epoch = json["epoch"]?.string.flatMap({ UUID($0) }),
            let activity = json["activity"]?.string.flatMap({ UUID($0) }),
            let revision = json["revision"]?.integer(in: 0...Int(Int32.max)),
            let next = json["next"]?.integer(in: 0...Int(UInt32.max))
        else { return nil }
        return RowAcknowledgement(epoch: epoch, activity: activity, revision: revision, next: next)
    }

    /// - Parameter rows: JSON objects with commas between.
    package func batch(_ activity: UUID, revision: Int, from: Int, next: Int, rows: [UInt8]) -> [UInt8] {
        var line = JSONWriter(capacity: rows.count + 256)
        line.object { line in
            begin("rows", activity, revision, &line)
            line.member("from", from)
            line.member("next", next)
            line.key("rows")
            line.value(written: [UInt8(ascii: "[")] + rows + [UInt8(ascii: "]")])
        }
        return line.bytes
    }

    package func tombstone(_ activity: UUID, revision: Int) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object { line in
            begin("activity", activity, revision, &line)
            line.member("deleted", true)
        }
        return line.bytes
    }

    /// - Parameter end: the number of places of an activity that has ended; nil if it is not known.
    package func head(_ activity: UUID, revision: Int, isOpen: Bool, end: Int?, summary: JSON) -> [UInt8] {
        var line = JSONWriter(capacity: 1024)
        line.object { line in
            begin("activity", activity, revision, &line)
            line.member("deleted", false)
            line.member("open", isOpen)
            line.member("next", isOpen ? nil : end)
            line.key("summary")
            line.value(summary)
        }
        return line.bytes
    }

    private func begin(_ kind: String, _ activity: UUID, _ revision: Int, _ line: inout JSONWriter) {
        line.member("kind", kind)
        line.member("device", device)
        line.member("activity", activity)
        line.member("revision", revision)
    }

    /// The message `state` of a STATE line.
    ///
    /// - Parameters:
    ///   - activity: the uuid of the activity in progress.
    ///   - position: the position that may be sent; nil for none.
    package static func state(
        _ state: JSON, _ members: [LiveMember], activity: UUID?, position: JSON?
    ) -> [UInt8] {
        var line = JSONWriter(capacity: 512)
        line.object { line in
            for member in members {
                let value =
                    switch member.name {
                    case "activity": activity.map { JSON.string($0.description) }
                    case "latitude", "longitude", "altitude_m", "accuracy_m", "track_deg":
                        position?[member.name]
                    default: member.value(in: state)
                    }
                guard let value else { continue }
                line.key(member.name)
                line.value(value)
            }
        }
        return line.bytes
    }

    /// The message of an EVENT line; nil for one that the level leaves out.
    ///
    /// - Parameter hidesPlaces: whether positions near starts and ends are hidden. Then no event has a position.
    package static func event(_ event: JSON, _ level: LinkLevel, hidesPlaces: Bool = false) -> [UInt8]? {
        guard let kind = event["event"]?.string, level.sends(event: kind),
            case .object(var members) = level.reduced(event)
        else { return nil }
        members["class"] = nil
        if hidesPlaces { (members["latitude"], members["longitude"]) = (nil, nil) }
        var line = JSONWriter(capacity: 512)
        line.value(.object(members))
        return line.bytes
    }
}
