package import Domain
import JSONCoding

/// The JSON in columns of the table `activity`.
package enum RecordingText {
    package static func list(_ values: [Int64]) -> String {
        "[" + values.map { String($0) }.joined(separator: ",") + "]"
    }

    /// Parses a list of integers. Nil for anything else.
    package static func list(_ text: String) -> [Int64]? {
        guard let array = (try? JSON(parsing: text.utf8))?.array else { return nil }
        let values = array.compactMap(\.integer).map(Int64.init)
        return values.count == array.count ? values : nil
    }

    package static func text(of note: RecoveryNote) -> String {
        var line = JSONWriter(capacity: 64)
        line.object { line in
            line.member("id", note.formerID)
            if note.lostRows > 0 { line.member("lost_rows", note.lostRows) }
        }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    package static func note(_ text: String) -> RecoveryNote? {
        guard let json = try? JSON(parsing: text.utf8) else { return nil }
        return RecoveryNote(formerID: json["id"]?.integer, lostRows: json["lost_rows"]?.integer ?? 0)
    }

    package static func text(of totals: SourceTotals) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object { line in
            line.member("creator", totals.creator?.text)
            line.member("elapsed_ms", totals.elapsedMilliseconds)
            line.member("total_ms", totals.totalMilliseconds)
            line.member("distance_m", totals.distanceMetres, decimals: 3)
            line.member("ascent_m", totals.ascentMetres, decimals: 3)
            line.member("heart_average_bpm", totals.averageHeartRate, decimals: 3)
            line.member("heart_maximum_bpm", totals.maximumHeartRate)
        }
        return line.bytes
    }

    package static func totals(_ text: String) -> SourceTotals? {
        guard let json = try? JSON(parsing: text.utf8) else { return nil }
        var totals = SourceTotals()
        totals.creator = json["creator"]?.string.flatMap { SanitizedText($0) }
        totals.elapsedMilliseconds = json["elapsed_ms"]?.integer.map(Int64.init)
        totals.totalMilliseconds = json["total_ms"]?.integer.map(Int64.init)
        totals.distanceMetres = json["distance_m"]?.number
        totals.ascentMetres = json["ascent_m"]?.number
        totals.averageHeartRate = json["heart_average_bpm"]?.number
        totals.maximumHeartRate = json["heart_maximum_bpm"]?.integer
        return totals
    }
}
