package import Domain
package import JSONCoding

// Own fields and marks of an activity as objects: on the sockets, in an upload and in the journal.

/// What a declaration of an own field, or a mark, must be.
package struct DeclarationFailure: Error, Equatable, Sendable {
    package let rule: String

    init(_ rule: String) {
        self.rule = rule
    }
}

extension JSONWriter {
    package mutating func members(of field: OwnField) {
        member("name", field.name.description)
        member("title", field.title.text)
        member("unit", field.unit?.text)
        member("decimals", field.decimals)
        member("icon", field.icon.rawValue)
        member("native_field", field.nativeField.map { Int($0) })
    }

    fileprivate mutating func members(of figures: OwnFieldFigures, decimals: Int) {
        member("average", figures.average, decimals: decimals)
        member("minimum", figures.minimum, decimals: decimals)
        member("maximum", figures.maximum, decimals: decimals)
        array("lap_averages") { list in
            for value in figures.lapAverages { list.value(value, decimals: decimals) }
        }
    }

    package mutating func fields(_ fields: [OwnField]) {
        array { list in for field in fields { list.object { $0.members(of: field) } } }
    }

    /// - Parameter number: from 1.
    package mutating func members(of mark: RecordedMark, number: Int) {
        member("mark", number)
        member("kind", mark.kind.rawValue)
        member("text", mark.text?.text)
        member("elapsed_ms", mark.elapsedMilliseconds)
        member("distance_m", mark.distanceMetres, decimals: 2)
        member("latitude", mark.coordinate?.latitude, decimals: 7)
        member("longitude", mark.coordinate?.longitude, decimals: 7)
    }

    package mutating func marks(_ marks: [RecordedMark]) {
        array { list in
            for (index, mark) in marks.enumerated() {
                list.object { line in
                    line.member("at_ms", mark.at)
                    line.members(of: mark, number: index + 1)
                }
            }
        }
    }
}

extension OwnField {
    /// The members of a declaration.
    static let members: Set = ["name", "title", "unit", "decimals", "icon", "native_field"]

    /// Reads a declaration; members that are left out have their defaults.
    package init(_ json: JSON) throws(DeclarationFailure) {
        guard case .object(let members) = json else { throw DeclarationFailure("an object") }
        guard let name = members["name"]?.string.flatMap({ OwnFieldName($0) }) else {
            throw DeclarationFailure("an object whose name is \(OwnFieldName.rule)")
        }
        func wrong(_ member: String, _ rule: String) -> DeclarationFailure {
            DeclarationFailure("a field whose \(member) is \(rule)")
        }
        self.init(name, title: SanitizedText(name.description)!)
        if let given = members["title"] {
            guard let text = given.string.flatMap({ SanitizedText($0) }), text.text == given.string else {
                throw wrong("title", "1 to \(SanitizedText.characterLimit) characters without control characters")
            }
            title = text
        }
        if let given = members["unit"], given.string != "" {
            guard let text = given.string.flatMap({ SanitizedText($0) }), text.text == given.string,
                text.text.count <= Self.unitLimit
            else { throw wrong("unit", "at most \(Self.unitLimit) characters without control characters") }
            unit = text
        }
        if let given = members["decimals"] {
            guard let count = given.integer, Self.decimalsRange.contains(count) else {
                throw wrong("decimals", "an integer of 0 to \(Self.decimalsRange.upperBound)")
            }
            decimals = count
        }
        if let given = members["icon"] {
            guard let icon = given.string.flatMap(Icon.init(rawValue:)) else {
                throw wrong("icon", "one of \(Icon.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self.icon = icon
        }
        if let given = members["native_field"] {
            guard let number = given.integer, (0...254).contains(number) else {
                throw wrong("native_field", "an integer of 0 to 254")
            }
            nativeField = UInt8(number)
        }
    }

    /// Reads a list of declarations with distinct names.
    ///
    /// - Parameter limit: the most fields.
    package static func list(_ json: JSON, atMost limit: Int = limit) throws(DeclarationFailure) -> [OwnField] {
        guard let elements = json.array, elements.count <= limit else {
            throw DeclarationFailure("a list of at most \(limit) fields")
        }
        var fields: [OwnField] = []
        for element in elements {
            let field = try OwnField(element)
            if fields.contains(where: { $0.name == field.name }) {
                throw DeclarationFailure("a list of fields with distinct names: \(field.name) occurs twice")
            }
            fields.append(field)
        }
        return fields
    }
}

extension RecordedMark {
    package init(_ json: JSON) throws(DeclarationFailure) {
        guard let kind = json["kind"]?.string.flatMap(CoursePointKind.init), let at = json["at_ms"]?.integer, at >= 0,
            let elapsed = json["elapsed_ms"]?.integer, (0...at).contains(elapsed),
            let metres = json["distance_m"]?.number,
            (0...1e9).contains(metres)
        else { throw DeclarationFailure("an object with kind, at_ms, elapsed_ms and distance_m") }
        self.init(
            kind, text: json["text"]?.string.flatMap { SanitizedText($0) }, at: Int64(at),
            elapsedMilliseconds: Int64(elapsed), distanceMetres: metres)
        if let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number {
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
                throw DeclarationFailure("a mark with a latitude and a longitude in degrees")
            }
            coordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    package static func list(_ json: JSON) throws(DeclarationFailure) -> [RecordedMark] {
        guard let elements = json.array, elements.count <= limit else {
            throw DeclarationFailure("a list of at most \(limit) marks")
        }
        var marks: [RecordedMark] = []
        for element in elements { marks.append(try RecordedMark(element)) }
        return marks
    }
}

extension RecordedActivity {
    /// Writes the marks and the declarations of own fields; nothing of those that it has not.
    ///
    /// - Parameter figures: those of the fields, by their places; empty for none.
    package func writeDeclarations(_ figures: [OwnFieldFigures] = [], into line: inout JSONWriter) {
        if !fields.isEmpty {
            line.array("fields") { list in
                for (index, field) in fields.enumerated() {
                    list.object { line in
                        line.members(of: field)
                        if index < figures.count { line.members(of: figures[index], decimals: field.decimals + 1) }
                    }
                }
            }
        }
        if !marks.isEmpty {
            line.key("marks")
            line.marks(marks)
        }
    }
}
