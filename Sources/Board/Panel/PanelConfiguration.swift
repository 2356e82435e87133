import Domain
package import Linux

/// Section `[Panel]` of the configuration file: the keys and the lights of a board without a screen.
///
///     [Panel]
///     Toggle=KEY_PLAYPAUSE
///     Stop=KEY_PLAYPAUSE
///     Lap=KEY_NEXTSONG
///     ReadyLED=ACT
///     RecordingLED=ACT
///
/// A missing or empty key is not used.
package struct PanelConfiguration: Equatable, Sendable {
    /// Keys that begin a run, hold it and go on with it.
    package var toggle: Set<KeyCode> = []
    /// Keys that close the lap.
    package var lap: Set<KeyCode> = []
    /// Keys that mark the present place.
    package var mark: Set<KeyCode> = []
    /// Keys that end the run when they are held. One that is in ``toggle``, ``lap`` or ``mark`` too does that when it is pressed for less long.
    package var stop: Set<KeyCode> = []
    /// Names of devices and paths below /dev that are listened to; empty is every device that has one of the keys.
    package var devices: [String] = []
    /// The sound device for alerts: its name, or a path below /dev; nil for none.
    package var beeper: String?
    /// Names in /sys/class/leds for each thing that lights can tell.
    package var lights: [PanelLight: [String]] = [:]

    package init() {}

    /// The section that is meant.
    package static let section = "Panel"

    /// The keys of the section, each with its text for the manual page and the example file.
    package static let keys: [(name: String, text: String)] =
        [
            ("Toggle", "Keys that start, pause and resume a run."), ("Lap", "Keys that close the lap."),
            ("Mark", "Keys that mark the present place of a run."),
            (
                "Stop",
                """
                Keys that stop the run when held for two seconds. A key may be in Toggle and here: a short press toggles, a long \
                press stops.
                """
            ),
            (
                "Devices",
                """
                The input devices: names, or paths in /dev/input, separated by commas. Default: all devices that have one of the \
                keys.
                """
            ),
            (
                "Beeper",
                """
                The input device that beeps at alerts, steps of a workout, badges, turns and climbs of a course, off the course, and before dark, such as pwm-beeper: \
                a name, or a path in /dev/input. The user of the panel needs to write to it: group input.
                """
            ),
        ] + PanelLight.allCases.map { ($0.key, $0.text) }

    /// The most keys, devices or LEDs that one assignment can name.
    package static let countLimit = 16

    /// The error in an assignment.
    package struct Wrong: Error, Equatable, Sendable {
        package var what: String
    }

    /// Takes over one assignment of the section; what was assigned to the same key before is forgotten.
    ///
    /// - Throws: ``Wrong``; a bad assignment changes nothing.
    package mutating func apply(_ assignment: ConfigurationFile.Assignment) throws(Wrong) {
        switch assignment.key {
        case "Toggle": toggle = try Self.keys(assignment, butNot: [(lap, "Lap"), (mark, "Mark")])
        case "Lap": lap = try Self.keys(assignment, butNot: [(toggle, "Toggle"), (mark, "Mark")])
        case "Mark": mark = try Self.keys(assignment, butNot: [(toggle, "Toggle"), (lap, "Lap")])
        case "Stop": stop = try Self.keys(assignment)
        case "Beeper":
            let names = try Self.devices(assignment)
            guard names.count <= 1 else { throw Wrong(what: "Beeper takes one device") }
            beeper = names.first
        case "Devices": devices = try Self.devices(assignment)
        default:
            guard let light = PanelLight.allCases.first(where: { $0.key == assignment.key }) else {
                throw Wrong(what: "unknown key \(Self.shown(assignment.key)) in [Panel]")
            }
            let names = try Self.lights(assignment)
            lights[light] = names.isEmpty ? nil : names
        }
    }

    private static func keys(
        _ assignment: ConfigurationFile.Assignment, butNot others: [(keys: Set<KeyCode>, name: String)] = []
    ) throws(Wrong) -> Set<KeyCode> {
        var keys: Set<KeyCode> = []
        for word in try words(assignment, separator: " ", what: "keys") {
            guard let key = KeyCode(name: word) else {
                throw Wrong(
                    what: "\(assignment.key) needs names of keys such as KEY_PLAYPAUSE, not \(shown(word))")
            }
            if let other = others.first(where: { $0.keys.contains(key) }) {
                throw Wrong(what: "\(word) is also in \(other.name); assign it to one of them")
            }
            keys.insert(key)
        }
        return keys
    }

    /// Names of devices have spaces, so there are commas between them.
    private static func devices(_ assignment: ConfigurationFile.Assignment) throws(Wrong) -> [String] {
        let devices = try words(assignment, separator: ",", what: "devices")
        if let path = devices.first(where: { $0.contains("/") && (!$0.hasPrefix("/dev/") || $0.containsText("/../")) })
        {
            throw Wrong(
                what: "\(assignment.key) needs names or paths that begin with /dev/, separated by commas, not "
                    + shown(path))
        }
        return devices
    }

    private static func lights(_ assignment: ConfigurationFile.Assignment) throws(Wrong) -> [String] {
        let names = try words(assignment, separator: " ", what: "LEDs")
        if let name = names.first(where: { $0.contains("/") || $0.hasPrefix(".") }) {
            throw Wrong(what: "\(assignment.key) needs names of LEDs in /sys/class/leds, not \(shown(name))")
        }
        return names
    }

    private static func words(
        _ assignment: ConfigurationFile.Assignment, separator: Character, what: String
    ) throws(Wrong) -> [String] {
        let words = assignment.value.split(separator: separator).map { word in
            String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        guard words.count <= countLimit else {
            throw Wrong(what: "\(assignment.key) has more than \(countLimit) \(what)")
        }
        return words
    }

    private static func shown(_ word: String) -> String {
        SanitizedText(word)?.text ?? "\"\""
    }
}

/// The conditions that LEDs show.
package enum PanelLight: String, CaseIterable, Sendable {
    case searching, ready, recording, fault, alert

    /// Its key in the configuration file.
    package var key: String {
        switch self {
        case .searching: "SearchingLED"
        case .ready: "ReadyLED"
        case .recording: "RecordingLED"
        case .fault: "FaultLED"
        case .alert: "AlertLED"
        }
    }

    /// The text of the key for the manual page and the example file.
    var text: String {
        switch self {
        case .searching: "LEDs that blink each two seconds while heart rate or position is missing."
        case .ready: "LEDs that are on when heart rate and position are known and no run is in progress."
        case .recording: "LEDs that are on during a run and blink each second while it is paused."
        case .fault: "LEDs that blink five times a second while there is a fault or paced cannot be reached."
        case .alert:
            "LEDs that blink four times a second for two seconds at an alert, a step of a workout, a badge or an event of the course."
        }
    }
}
