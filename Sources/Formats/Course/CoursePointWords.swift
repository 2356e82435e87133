import Domain

extension CoursePointKind {
    /// The number of the FIT profile's `course_point`. The number 26 has no meaning.
    var fitNumber: Int64 {
        let index = Self.allCases.firstIndex(of: self) ?? 0
        return Int64(index < 26 ? index : index + 1)
    }

    /// Nil for a number without meaning.
    init?(fitNumber number: Int64) {
        let index = number < 26 ? number : number - 1
        guard number != 26, (0..<Int64(Self.allCases.count)).contains(index) else { return nil }
        self = Self.allCases[Int(index)]
    }

    /// The kind that the words of a file mean: those of the FIT profile and of Garmin's TCX, and English instructions,
    /// such as `Turn sharp left onto Main Street`. Nil for other words.
    ///
    /// - Parameter isName: whether the text is a name, in which a word such as `bridge` means nothing.
    init?(words text: String, isName: Bool = false) {
        let words = Self.words(text)
        guard !words.isEmpty else { return nil }
        let joined = words.joined(separator: " ")
        if let kind = Self.exact[joined] {
            self = kind
        } else if let turn = Self.turn(words, joined) {
            self = turn
        } else if !isName, let kind = words.lazy.compactMap({ Self.single[$0] }).first {
            self = kind
        } else {
            return nil
        }
    }

    /// Whether a text is only the word of a kind.
    fileprivate static func isWord(_ text: String) -> Bool {
        exact[words(text).joined(separator: " ")] != nil
    }

    /// At most 32 words of ASCII letters and digits, in small letters.
    private static func words(_ text: String) -> [String] {
        var words: [[UInt8]] = [[]]
        for byte in text.utf8.prefix(256) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                words[words.count - 1].append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): words[words.count - 1].append(byte | 0x20)
            default: if words[words.count - 1] != [] { words.append([]) }
            }
        }
        return words.prefix(32).filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The turn of an instruction: that of its first side, with the word before it.
    private static func turn(_ words: [String], _ joined: String) -> CoursePointKind? {
        if joined.containsText("u turn") || words.contains("uturn") || joined.containsText("turn around") {
            return .uTurn
        }
        guard let place = words.firstIndex(where: { $0 == "left" || $0 == "right" }), isInstruction(words, place) else {
            return words.first == "straight" || words.first == "continue" || joined.containsText("go straight")
                ? .straight : nil
        }
        let isLeft = words[place] == "left"
        if words[..<place].contains("sharp") || words.dropFirst(place + 1).first == "sharp" {
            return isLeft ? .sharpLeft : .sharpRight
        }
        if words[..<place].contains(where: { ["slight", "slightly", "bear", "veer"].contains($0) }) {
            return isLeft ? .slightLeft : .slightRight
        }
        let isFork = words[..<place].contains("keep") || words.contains("fork")
        if isFork { return isLeft ? .leftFork : .rightFork }
        return isLeft ? .left : .right
    }

    /// Whether a side is that of a turn: it is the first word, or follows a word of an instruction.
    private static func isInstruction(_ words: [String], _ place: Int) -> Bool {
        place == 0 || words.count <= 2
            || words[..<place].contains {
                [
                    "turn", "sharp", "slight", "slightly", "bear", "veer", "keep", "go", "fork", "hard", "take", "make",
                    "stay", "hairpin",
                ].contains($0)
            }
    }

    /// Whole texts: the words of the FIT profile, of TCX, of Garmin's symbols and of other route planners.
    private static let exact: [String: CoursePointKind] = {
        var table: [String: CoursePointKind] = [
            "4th category": .fourthCategory, "3rd category": .thirdCategory, "2nd category": .secondCategory,
            "1st category": .firstCategory, "hc": .horsCategory, "general distance": .distanceMarker,
            "tl": .left, "tr": .right, "tsll": .slightLeft, "tslr": .slightRight, "tshl": .sharpLeft,
            "tshr": .sharpRight, "kl": .leftFork, "kr": .rightFork, "tu": .uTurn, "tlu": .uTurn, "tru": .uTurn,
            "c": .straight, "drinking water": .water, "water source": .water, "rest area": .restArea,
            "scenic area": .overlook, "skull and crossbones": .danger, "picnic area": .restArea,
            "convenience store": .store, "shopping center": .store, "information": .info, "medical facility": .firstAid,
            "fast food": .food, "bike shop": .gear,
        ]
        for kind in allCases where kind != .generic { table[words(kind.rawValue).joined(separator: " ")] = kind }
        table["generic"] = .generic
        return table
    }()

    /// A word that decides if no turn is meant.
    private static let single: [String: CoursePointKind] = [
        "summit": .summit, "peak": .summit, "valley": .valley, "water": .water, "fountain": .water, "food": .food,
        "restaurant": .food, "cafe": .food, "danger": .danger, "warning": .danger, "caution": .danger,
        "hazard": .danger, "sprint": .sprint, "campground": .campsite, "campsite": .campsite, "camping": .campsite,
        "toilet": .toilet, "toilets": .toilet, "restroom": .toilet, "restrooms": .toilet, "shower": .shower,
        "showers": .shower, "shelter": .shelter, "checkpoint": .checkpoint, "control": .checkpoint,
        "overlook": .overlook, "viewpoint": .overlook, "tunnel": .tunnel, "bridge": .bridge, "hospital": .firstAid,
        "pharmacy": .firstAid, "supermarket": .store, "store": .store, "parking": .service,
    ]
}

extension SanitizedText {
    /// The name of a point: the text, or the longer note if the text only names the kind or is the note cut off.
    init?(name: String?, note: String?) {
        let name = name.map { String($0.trimmed) } ?? ""
        let note = note.map { String($0.trimmed) } ?? ""
        let isShort = name.isEmpty || CoursePointKind.isWord(name)
        // TCX allows ten characters.
        let isCut = note.count > name.count && (note.hasPrefix(name) || (9...10).contains(name.count))
        self.init(!note.isEmpty && (isShort || isCut) ? note : name)
    }
}
