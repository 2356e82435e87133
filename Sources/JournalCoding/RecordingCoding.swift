package import Domain
import JSONCoding
import Wire

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

    /// The kinds of a sensor as a list of words.
    package static func text(of kinds: [SensorKind]) -> String {
        var line = JSONWriter(capacity: 64)
        line.array { for kind in kinds { $0.value(kind.token) } }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// Parses a list of kinds; those of a later release are omitted.
    package static func kinds(_ text: String) -> [SensorKind] {
        guard let array = (try? JSON(parsing: text.utf8))?.array else { return [] }
        return array.compactMap { $0.string.flatMap(SensorKind.init(token:)) }
    }

    /// The highest averages as a list of watts, `null` for an unknown one; nil if all are unknown.
    package static func text(of powers: BestPowers) -> String? {
        guard powers != BestPowers() else { return nil }
        var line = JSONWriter(capacity: 128)
        line.array { list in
            for index in BestPowers.durations.indices {
                if let watts = powers[index], watts.isFinite { list.exact(watts) } else { list.null() }
            }
        }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    package static func powers(_ text: String) -> BestPowers {
        var powers = BestPowers()
        let array = (try? JSON(parsing: text.utf8))?.array ?? []
        for (index, watts) in zip(BestPowers.durations.indices, array) { powers[index] = watts.number }
        return powers
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

    /// Marks as a list of objects; nil if there is none.
    package static func text(of marks: [RecordedMark]) -> String? {
        guard !marks.isEmpty else { return nil }
        var line = JSONWriter(capacity: 256)
        line.marks(marks)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// The declarations of own fields as a list of objects; nil if there is none.
    package static func text(of fields: [OwnField]) -> String? {
        guard !fields.isEmpty else { return nil }
        var line = JSONWriter(capacity: 256)
        line.fields(fields)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    package static func marks(_ text: String) -> [RecordedMark] {
        (try? JSON(parsing: text.utf8)).flatMap { try? RecordedMark.list($0) } ?? []
    }

    package static func fields(_ text: String) -> [OwnField] {
        (try? JSON(parsing: text.utf8)).flatMap { try? OwnField.list($0) } ?? []
    }

    /// The values of own fields as a list of exact numbers, `null` for an unknown one; nil if all are unknown.
    package static func text(of values: [Double?]) -> String? {
        guard values.contains(where: { $0 != nil }) else { return nil }
        var line = JSONWriter(capacity: 64)
        line.array { list in
            for value in values {
                if let value, value.isFinite { list.exact(value) } else { list.null() }
            }
        }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    package static func values(_ text: String) -> [Double?] {
        (try? JSON(parsing: text.utf8))?.array?.prefix(OwnField.limit).map(\.number) ?? []
    }

    package static func text(of totals: SourceTotals) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object { line in
            line.member("creator", totals.creator?.text)
            line.member("elapsed_ms", totals.elapsedMilliseconds)
            line.member("total_ms", totals.totalMilliseconds)
            line.member("distance_m", totals.distanceMetres, decimals: 3)
            line.member("sample_distance_m", totals.sampleMetres, decimals: 3)
            line.member("ascent_m", totals.ascentMetres, decimals: 3)
            line.member("heart_average_bpm", totals.averageHeartRate, decimals: 3)
            line.member("heart_maximum_bpm", totals.maximumHeartRate)
            line.member("power_average_w", totals.averagePower, decimals: 3)
            line.member("power_maximum_w", totals.maximumPower)
            line.member("power_normalized_w", totals.normalizedPower, decimals: 3)
            line.member("energy_kcal", totals.energyKilocalories, decimals: 3)
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
        totals.sampleMetres = json["sample_distance_m"]?.number
        totals.ascentMetres = json["ascent_m"]?.number
        totals.averageHeartRate = json["heart_average_bpm"]?.number
        totals.maximumHeartRate = json["heart_maximum_bpm"]?.integer
        totals.averagePower = json["power_average_w"]?.number
        totals.maximumPower = json["power_maximum_w"]?.integer
        totals.normalizedPower = json["power_normalized_w"]?.number
        totals.energyKilocalories = json["energy_kcal"]?.number
        return totals
    }
}
