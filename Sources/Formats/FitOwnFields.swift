import Domain

// Own fields in FIT: developer fields, whose descriptions name them and give their unit, and for some kinds fields of the profile.
//
// paced writes the values as float64, so that nothing is lost. The name in the description is the title where that gives the
// name again, as `Saddle Angle` gives `saddle_angle`; else it is the name.
//
// Source: Garmin FIT SDK 21.218, cookbook "Developer Data", profile, `field_description`, `record`.

extension Identity.Field {
    /// The number of the first own field; the others follow.
    static let own: Fit.Field = 16
}

extension FitWriter {
    /// Writes the descriptions of own fields, after that of the developer.
    mutating func describe(_ fields: [OwnField], as local: UInt8) {
        for (index, field) in fields.enumerated() {
            let isTitle = OwnFieldName(madeOf: field.title.text) == field.name && field.title.text.utf8.count < 64
            message(
                .fieldDescription, as: local,
                [
                    .uint8(Fit.FieldDescription.developer, Int64(Identity.developer)),
                    .uint8(Fit.FieldDescription.number, Int64(Identity.Field.own) + Int64(index)),
                    .uint8(Fit.FieldDescription.baseType, Int64(Fit.BaseType.float64.rawValue)),
                    .text(Fit.FieldDescription.name, isTitle ? field.title.text : field.name.description),
                    .text(Fit.FieldDescription.units, field.unit?.text),
                    .uint16(
                        Fit.FieldDescription.nativeMessage,
                        field.nativeField.map { _ in Int64(Fit.Message.record.rawValue) }),
                    .uint8(Fit.FieldDescription.nativeField, field.nativeField.map { Int64($0) }),
                ])
        }
    }
}

extension FitField {
    /// The values of own fields as developer fields.
    static func own(_ values: [Double?]) -> [FitField?] {
        values.enumerated().map { index, value in .float64(Identity.Field.own + Fit.Field(index), value) }
    }
}

/// Reads the own fields of an imported FIT activity: developer fields with one number, and the profile's fields of the kinds
/// that paced knows. The first ``OwnField/limit`` are kept.
struct FitOwnFields {
    /// A developer field of the file.
    private struct Key: Hashable {
        var developer: UInt8
        var number: Fit.Field
    }

    private struct Described {
        /// The place among ``fields``; nil if they were full.
        var place: Int?
        var field: OwnField
        var type: Fit.BaseType
        var scale: Double
        var offset: Double
    }

    /// In the order of their first values.
    private(set) var fields: [OwnField] = []
    private var described: [Key: Described] = [:]
    /// The places of the profile's fields among ``fields``, by their numbers.
    private var natives: [Fit.Field: Int] = [:]
    /// Values of developer fields that are not kept.
    private(set) var skipped = 0

    /// The descriptions that are read; a file has a few.
    private static let descriptionLimit = 256

    /// The fields of `record` that become own fields, with the scale of the profile.
    private static let profile: [Fit.Field: (field: OwnField, scale: Double)] = {
        var rows: [Fit.Field: (OwnField, Double)] = [:]
        for row in SensorKind.allCases.flatMap(\.fields) {
            guard let number = row.field.nativeField else { continue }
            let scale =
                switch number {
                case Fit.Record.hemoglobin, Fit.Record.coreTemperature: 100.0
                case Fit.Record.oxygenSaturation: 10.0
                default: 1.0
                }
            rows[number] = (row.field, scale)
        }
        return rows
    }()
    /// Their numbers.
    static let profileNumbers = Set(profile.keys)

    /// Receives a description; one of an array or of text is not kept.
    mutating func describe(_ message: FitMessage) {
        guard described.count < Self.descriptionLimit,
            let developer = message[Fit.FieldDescription.developer].flatMap({ UInt8(exactly: $0) }),
            let number = message[Fit.FieldDescription.number].flatMap({ Fit.Field(exactly: $0) }),
            let type = message[Fit.FieldDescription.baseType].flatMap({ UInt8(exactly: $0) })
                .flatMap(Fit.BaseType.init(rawValue:)), type != .text, type != .bytes
        else { return }
        let title = message.text(Fit.FieldDescription.name) ?? SanitizedText("field \(number)")!
        guard let name = OwnFieldName(madeOf: title.text) else { return }
        var field = OwnField(name, title: title)
        field.unit = message.text(Fit.FieldDescription.units).flatMap {
            SanitizedText(String($0.text.prefix(OwnField.unitLimit)))
        }
        field.decimals = [.float32, .float64].contains(type) ? 2 : 0
        if message[Fit.FieldDescription.nativeMessage] ?? Int64(Fit.Message.record.rawValue)
            == Int64(Fit.Message.record.rawValue)
        {
            field.nativeField = message[Fit.FieldDescription.nativeField].flatMap { UInt8(exactly: $0) }
        }
        if let known = SensorKind.allCases.lazy.flatMap(\.fields).first(where: { $0.field.name == name })?.field {
            field = known
        }
        let scale = message[Fit.FieldDescription.scale].map { Double($0) } ?? 1
        described[Key(developer: developer, number: number)] = Described(
            field: field, type: type, scale: scale == 0 ? 1 : scale,
            offset: message[Fit.FieldDescription.offset].map { Double($0) } ?? 0)
    }

    /// Reads the values of a record.
    mutating func read(_ message: FitMessage) -> [Double?] {
        var values: [Double?] = []
        func set(_ value: Double, at place: Int) {
            while values.count <= place { values.append(nil) }
            values[place] = value
        }
        for field in message.definition.developerFields {
            let key = Key(developer: field.developer, number: field.number)
            guard var known = described[key], field.size >= known.type.size else {
                skipped += 1
                continue
            }
            guard let number = message.number(at: field.offset, known.type),
                number.magnitude < OwnField.magnitudeLimit
            else { continue }
            if known.place == nil {
                known.place = place(of: known.field)
                described[key] = known
            }
            guard let place = known.place else {
                skipped += 1
                continue
            }
            set(known.scale == 1 && known.offset == 0 ? number : number / known.scale - known.offset, at: place)
        }
        for number in message.definition.ownFields {
            guard let row = Self.profile[number], let value = message[number] else { continue }
            if natives[number] == nil { natives[number] = place(of: row.field) }
            if let place = natives[number] { set(Double(value) / row.scale, at: place) }
        }
        return values
    }

    /// Adds a field under a name that no other has. Nil if there is no room.
    private mutating func place(of field: OwnField) -> Int? {
        guard fields.count < OwnField.limit else { return nil }
        var field = field
        let isKnown = SensorKind.allCases.lazy.flatMap(\.fields).contains { $0.field.name == field.name }
        let name = field.name
        var number = 1
        while fields.contains(where: { $0.name == field.name })
            || number == 1 && !isKnown && OwnFieldName.reserved.contains(name.description)
        {
            number += 1
            field.name = name.numbered(number)
        }
        fields.append(field)
        return fields.count - 1
    }
}
