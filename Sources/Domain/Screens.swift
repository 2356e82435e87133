/// A data field on a page of the run screen.
package struct ScreenField: Equatable, Sendable {
    package enum Colour: String, CaseIterable, Sendable {
        case red, orange, yellow, green, mint, teal, cyan, blue, indigo, purple, pink, brown, white, gray, black
        case primary, secondary
    }

    /// How the heart-rate zone is drawn.
    package enum Style: String, CaseIterable, Sendable {
        case bar, ring
    }

    /// What it shows.
    package enum Value: Hashable, Sendable {
        case data(DataField)
        /// A field of another program, which may not be announced now.
        case own(OwnFieldName)

        /// The word of the setting: the name of a data field, or `own:NAME`.
        package init?(_ word: String) {
            if let field = DataField(rawValue: word) {
                self = .data(field)
            } else if let name = OwnFieldName(prefixed: word) {
                self = .own(name)
            } else {
                return nil
            }
        }

        package var word: String {
            switch self {
            case .data(let field): field.rawValue
            case .own(let name): OwnFieldName.prefix + name.description
            }
        }

        /// Nil for an own field.
        package var data: DataField? {
            if case .data(let field) = self { field } else { nil }
        }

        package func suits(_ sport: Sport) -> Bool { data?.sports.contains(sport) ?? true }
    }

    package var field: Value
    /// The user's title; nil for the field's own.
    package var title: String?
    package var visible = true
    package var titleVisible = true
    /// The size of the digits relative to the page's other fields, one of ``sizes``.
    package var size = 24
    package var colour = Colour.primary
    /// A ring only of ``DataField/zone``. Clients without rings draw a bar.
    package var style = Style.bar

    package static let sizes = 12...100
    /// The longest title, in Unicode scalars.
    package static let titleLimit = 24

    package init(
        _ field: DataField, title: String? = nil, visible: Bool = true, titleVisible: Bool = true, size: Int = 24,
        colour: Colour = .primary, style: Style = .bar
    ) {
        self.init(showing: .data(field))
        self.title = title
        self.visible = visible
        self.titleVisible = titleVisible
        self.size = size
        self.colour = colour
        self.style = style
    }

    /// A field with the default members.
    package init(showing field: Value) {
        self.field = field
    }
}

/// The pages of the run screen for each sport: a setting, so that all clients of a device show the same.
package struct Screens: Equatable, Sendable {
    /// The fields of a page, in the order on the screen; each data field at most once.
    package typealias Page = [ScreenField]

    package static let pageLimit = 6
    package static let fieldLimit = 12

    /// The sports that differ from ``defaultPages(for:)``.
    private var changed: [Sport: [Page]] = [:]

    package init() {}

    package subscript(sport: Sport) -> [Page] {
        get { changed[sport] ?? Self.defaultPages(for: sport) }
        set { changed[sport] = newValue == Self.defaultPages(for: sport) ? nil : newValue }
    }

    /// Whether the sport has its default pages.
    package func isDefault(for sport: Sport) -> Bool {
        changed[sport] == nil
    }

    /// The pages of a new device. The first one of a run is RunFree's.
    package static func defaultPages(for sport: Sport) -> [Page] {
        let isByPace = sport.isByPace
        let zone = ScreenField(.zone, titleVisible: false)
        let first: Page =
            isByPace
            ? [ScreenField(.time, size: 54)] + fields(.distance, .pace, .heartRate) + [zone]
            : [ScreenField(.speed, size: 54)] + fields(.distance, .time, .heartRate) + [zone]
        let lap: Page =
            [ScreenField(.lapTime, size: 54)]
            + fields(.lapDistance, isByPace ? .lapPace : .lapSpeed, .lapHeartRate, .laps)
        let averages: Page =
            [ScreenField(isByPace ? .averagePace : .averageSpeed, size: 54)]
            + fields(.movingTime, isByPace ? .maxPace : .maxSpeed, .averageHeartRate, .timeOfDay)
        let heart: Page =
            [ScreenField(.heartRate, size: 54)] + fields(.timeInZone, .averageHeartRate, .maxHeartRate) + [zone]
        let height: Page =
            [ScreenField(.altitude, size: 54)] + fields(.distance, isByPace ? .pace : .speed, .movingTime)
        let power: Page = [ScreenField(.power3s, size: 54)] + fields(.averagePower, .normalizedPower, .cadence)
        switch sport {
        case .run, .walk, .other: return [first, lap, averages, heart]
        case .hike: return [first, lap, averages, heart, height]
        case .ride: return [first, lap, averages, heart, height, power]
        }
    }

    private static func fields(_ fields: DataField...) -> Page {
        fields.map { ScreenField($0) }
    }
}
