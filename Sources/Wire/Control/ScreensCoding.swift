package import Domain
package import JSONCoding

// The setting `screens`, as the wire, paced.conf and the journal have it.
extension JSONWriter {
    /// Writes the pages of all sports, or of those that differ from the default. Default members are left out; a field without any other
    /// member is its name.
    package mutating func value(_ screens: Screens, leavingOutDefaults: Bool) {
        object { line in
            for sport in Sport.allCases where !leavingOutDefaults || !screens.isDefault(for: sport) {
                line.key(sport.rawValue)
                line.array {
                    for page in screens[sport] {
                        $0.object { $0.array("fields") { for field in page { $0.value(field) } } }
                    }
                }
            }
        }
    }

    private mutating func value(_ field: ScreenField) {
        if field == ScreenField(showing: field.field) { return value(field.field.word) }
        object { line in
            line.member("field", field.field.word)
            line.member("title", field.title)
            if !field.visible { line.member("visible", false) }
            if !field.titleVisible { line.member("title_visible", false) }
            if field.size != ScreenField(showing: field.field).size { line.member("size", field.size) }
            if field.colour != .primary { line.member("colour", field.colour.rawValue) }
            if field.style != .bar { line.member("style", field.style.rawValue) }
        }
    }
}

extension Screens {
    /// The most bytes of the setting with all sports, so that it fits into a line with any other setting.
    package static let byteLimit = 16 * 1024

    /// Parses the setting. A sport that is left out has its default pages.
    ///
    /// - Throws: ``RPCError`` -32004 that names the place of the first error.
    package init(_ json: JSON) throws(RPCError) {
        self.init()
        guard case .object(let sports) = json else {
            throw .invalidScreens("screens must be an object with any of \(Self.sports)")
        }
        for name in sports.keys.sorted() {
            guard let sport = Sport(rawValue: name) else {
                throw .invalidScreens("screens has an unknown sport \(Self.named(name)); the sports are \(Self.sports)")
            }
            let place = "screens." + name
            guard let elements = sports[name]?.array, (1...Self.pageLimit).contains(elements.count) else {
                throw .invalidScreens("\(place) must be a list of 1 to \(Self.pageLimit) pages")
            }
            var pages: [Page] = []
            for (index, element) in elements.enumerated() {
                pages.append(try Self.page(element, sport, "\(place)[\(index)]"))
            }
            self[sport] = pages
        }
        var writer = JSONWriter()
        writer.value(self, leavingOutDefaults: false)
        guard writer.bytes.count <= Self.byteLimit else {
            throw .invalidScreens(
                "screens must be at most \(Self.byteLimit) bytes of JSON; give fewer titles or fields")
        }
    }

    private static func page(_ json: JSON, _ sport: Sport, _ place: String) throws(RPCError) -> Page {
        guard case .object(let members) = json, let elements = members["fields"]?.array else {
            throw .invalidScreens("\(place) must be an object with a list 'fields'")
        }
        if let other = members.keys.sorted().first(where: { $0 != "fields" }) {
            throw .invalidScreens("\(place) has an unknown member \(named(other)); the only one is fields")
        }
        guard elements.count <= fieldLimit else {
            throw .invalidScreens("\(place).fields must have at most \(fieldLimit) fields")
        }
        var page: Page = []
        for (index, element) in elements.enumerated() {
            let place = "\(place).fields[\(index)]"
            let field = try ScreenField(element, sport, place)
            if page.contains(where: { $0.field == field.field }) {
                throw .invalidScreens("\(place) occurs twice on the page: \(field.field.word)")
            }
            page.append(field)
        }
        return page
    }

    private static let sports = Sport.allCases.map(\.rawValue).joined(separator: ", ")

    fileprivate static func named(_ member: String) -> String {
        SanitizedText(member)?.text ?? "''"
    }
}

extension ScreenField {
    fileprivate init(_ json: JSON, _ sport: Sport, _ place: String) throws(RPCError) {
        let members: [String: JSON]
        switch json {
        case .string: members = ["field": json]
        case .object(let object): members = object
        default: throw .invalidScreens("\(place) must be the name of a field, or an object")
        }
        guard let field = members["field"]?.string.flatMap({ Value($0) }), field.suits(sport) else {
            let known = DataField.allCases.filter { $0.sports.contains(sport) }.map(\.rawValue)
            throw .invalidScreens(
                "\(place).field must be one of \(known.joined(separator: ", ")), or own: and the name of a field")
        }
        self.init(showing: field)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            func wrong(_ wanted: String) -> RPCError { .invalidScreens("\(place).\(name) must be \(wanted)") }
            switch name {
            case "field": break
            case "title":
                guard let text = value.string, SanitizedText(text)?.text == text,
                    text.unicodeScalars.count <= Self.titleLimit
                else { throw wrong("a string of 1 to \(Self.titleLimit) characters without control characters") }
                title = text
            case "visible":
                guard let flag = value.bool else { throw wrong("true or false") }
                visible = flag
            case "title_visible":
                guard let flag = value.bool else { throw wrong("true or false") }
                titleVisible = flag
            case "size":
                guard let number = value.integer, Self.sizes.contains(number) else {
                    throw wrong("an integer from \(Self.sizes.lowerBound) to \(Self.sizes.upperBound)")
                }
                size = number
            case "colour":
                guard let known = value.string.flatMap(Colour.init(rawValue:)) else {
                    throw wrong("one of " + Colour.allCases.map(\.rawValue).joined(separator: ", "))
                }
                colour = known
            case "style":
                guard field == .data(.zone), let known = value.string.flatMap(Style.init(rawValue:)) else {
                    throw wrong("bar or ring, of the field zone only")
                }
                style = known
            default:
                throw .invalidScreens(
                    "\(place) has an unknown member \(Screens.named(name)); "
                        + "the members are field, title, visible, title_visible, size, colour, style")
            }
        }
    }
}

extension RPCError {
    fileprivate static func invalidScreens(_ detail: String) -> RPCError {
        .invalidValue(SettingKey.screens.rawValue, detail)
    }
}
