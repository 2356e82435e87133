package import Formats

/// A FIT file that a test makes of messages in any order.
package struct MadeFit {
    /// A message with its fields.
    package typealias Message = (kind: Fit.Message, fields: [FitField?])

    package static let start: Int64 = 1_100_000_000

    package var messages: [Message]

    package init(_ messages: [Message]) {
        self.messages = messages
    }

    /// The bytes of the file, or of one that is appended to another.
    package var bytes: [UInt8] {
        var writer = FitWriter()
        for message in messages { writer.message(message.kind, as: UInt8(message.kind.rawValue % 15), message.fields) }
        var bytes = FitWriter.header(dataSize: writer.bytes.count) + writer.bytes
        var checksum = Fit.Checksum()
        for byte in bytes { checksum.add(byte) }
        bytes += [UInt8(checksum.value & 0xFF), UInt8(checksum.value >> 8)]
        return bytes
    }

    package static let fileID: Message = (
        .fileID,
        [
            .enumeration(Fit.FileID.type, Fit.activityFile), .uint16(Fit.FileID.maker, 1),
            .uint32(Fit.FileID.created, start),
        ]
    )

    /// - Parameter time: seconds since ``start``.
    package static func event(_ type: Int64, at time: Int64) -> Message {
        (
            .event,
            [
                .uint32(Fit.timestamp, start + time), .enumeration(Fit.Event.event, Fit.Event.timer),
                .enumeration(Fit.Event.type, type),
            ]
        )
    }

    package static func record(_ time: Int64, metres: Double? = nil, _ more: FitField?...) -> Message {
        (
            .record,
            [
                .uint32(Fit.timestamp, start + time),
                .uint32(Fit.Record.distance, metres.map { Int64(($0 * 100).rounded()) }),
            ] + more
        )
    }

    package static func lap(_ time: Int64, seconds: Int64, metres: Double? = nil, end: Int64? = nil) -> Message {
        (
            .lap,
            [
                .uint32(Fit.timestamp, start + (end ?? time + seconds)), .uint32(Fit.Lap.start, start + time),
                .uint32(Fit.Lap.elapsed, seconds * 1000), .uint32(Fit.Lap.timer, seconds * 1000),
                .uint32(Fit.Lap.distance, metres.map { Int64(($0 * 100).rounded()) }),
            ]
        )
    }

    package static func session(
        _ time: Int64, seconds: Int64, elapsed: Int64? = nil, metres: Double? = nil, sport: Int64 = 1,
        end: Int64? = nil,
        _ more: FitField?...
    ) -> Message {
        (
            .session,
            [
                .uint32(Fit.timestamp, start + (end ?? time + (elapsed ?? seconds))),
                .uint32(Fit.Session.start, start + time),
                .uint32(Fit.Session.elapsed, (elapsed ?? seconds) * 1000), .uint32(Fit.Session.timer, seconds * 1000),
                .uint32(Fit.Session.distance, metres.map { Int64(($0 * 100).rounded()) }),
                .enumeration(Fit.Session.sport, sport),
            ] + more
        )
    }

    /// A run at 3 m/s with a record a second, a lap, and a pause of a minute in the middle without records.
    package static func run(seconds: Int64) -> [Message] {
        let half = seconds / 2
        let before = (0...half).map { record($0, metres: Double($0) * 3) }
        let after = (half...seconds).map { record($0 + 60, metres: Double($0) * 3) }
        return [fileID, event(Fit.Event.start, at: 0)] + before
            + [event(Fit.Event.stopAll, at: half), event(Fit.Event.start, at: half + 60)] + after
            + [
                event(Fit.Event.stopAll, at: seconds + 60),
                lap(0, seconds: seconds, metres: Double(seconds) * 3, end: seconds + 60),
                session(0, seconds: seconds, elapsed: seconds + 60, metres: Double(seconds) * 3),
            ]
    }
}
