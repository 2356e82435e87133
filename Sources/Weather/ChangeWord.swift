/// A word that begins a change of the conditions, in a forecast and in the trend of a METAR. Stations glue it to what
/// follows, or misspell it by one character: `TEMPO2614/2616`, `TEMP0 2614/2616`, `BECM2620/2622`.
enum ChangeWord: String, CaseIterable {
    case becoming = "BECMG"
    case temporary = "TEMPO"
    case intermittent = "INTER"
    case probable = "PROB"
    case from = "FM"

    /// Parses the word at the cursor, behind which the rest of its group may stand.
    init?(_ reader: inout GroupReader) {
        let all = Self.allCases
        // The spelling with the most readable rest: of "TEMP2614/2616" that is "TEMP", not "TEMP2" for "TEMPO".
        for isLenient in [false, true] {
            for word in all {
                let length = word.rawValue.utf8.count
                for count in [length, length + 1, length - 1] where count <= reader.rest.count {
                    let (text, rest) = (reader.rest.prefix(count), reader.rest.dropFirst(count))
                    guard word.fits(rest, isLenient), word.isSpelled(by: text, before: rest) else { continue }
                    reader.skip(count)
                    self = word
                    return
                }
            }
        }
        guard let word = all.first(where: { reader.skip($0.rawValue) }) else { return nil }
        self = word
    }

    /// Whether a word ends in a period, as that of a change does whose first word is missing or unknown: `2618/2620`,
    /// `TEPMOO2618/2620`. One of its characters may be wrong.
    static func isPeriod(_ word: ArraySlice<UInt8>) -> Bool {
        let period = word.drop { !isDigit($0) }
        return isHours(period) || isPeriod(period, wrong: 1)
    }

    /// Whether what follows in the same word is what follows this word in a report.
    private func fits(_ rest: ArraySlice<UInt8>, _ isLenient: Bool) -> Bool {
        if rest.isEmpty { return true }
        switch self {
        case .becoming, .temporary, .intermittent:
            return Self.isHours(rest) || Self.isPeriod(rest, wrong: isLenient ? 1 : 0)
        case .probable: return rest.count >= 2 && rest.prefix(2).allSatisfy(Self.isDigit)
        case .from: return Self.isHours(rest) || rest.count == 4 && rest.allSatisfy(Self.isDigit)
        }
    }

    /// Whether a text is this word, or a misprint of it. One of `FM`, which has two letters only, needs the time behind.
    private func isSpelled(by text: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Bool {
        if text.elementsEqual(rawValue.utf8) { return true }
        if self == .from {
            // "M0400" is a visibility.
            guard rest.count == 6 || rest.count == 4 && text.count > 1, text.allSatisfy(Self.isLetter) else {
                return false
            }
        }
        let start = zip(text, rawValue.utf8).prefix { $0 == $1 }.count
        let (ours, theirs) = (Array(text.dropFirst(start)), Array(rawValue.utf8.dropFirst(start)))
        let end = zip(ours.reversed(), theirs.reversed()).prefix { $0 == $1 }.count
        let (more, less) = (max(ours.count, theirs.count) - end, min(ours.count, theirs.count) - end)
        // Two that are exchanged.
        return more <= 1 || more == 2 && less == 2 && ours[0] == theirs[1] && ours[1] == theirs[0]
    }

    /// `2614/2616`
    private static func isPeriod(_ text: ArraySlice<UInt8>, wrong limit: Int) -> Bool {
        let halves = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ (4 - limit...4 + limit).contains($0.count) }) else { return false }
        let wrong = halves.reduce(0) { $0 + max($1.count { !isDigit($0) }, abs($1.count - 4)) }
        return wrong <= limit && text.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "/") }
    }

    /// `261416`, which also is the time after `FM`.
    private static func isHours(_ text: ArraySlice<UInt8>) -> Bool {
        var reader = GroupReader(text)
        return DayTime(minutes: &reader) != nil && reader.isAtEnd
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
