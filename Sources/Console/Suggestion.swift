/// "Did you mean": the known word that is nearest to a mistyped one.
enum Suggestion {
    /// A part of an error line; empty if no known word is near.
    static func text(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    }

    /// The known word with the fewest mistakes: at most one in three characters, and at most two. Else the only one
    /// that the word abbreviates, as `max_hr` does `max_heart_rate`.
    static func nearest(to word: String, among known: [String]) -> String? {
        let typed = plain(word)
        let limit = min(typed.count / 3, 2)
        let found = known.map { (name: $0, distance: distance(plain($0), typed)) }.min { $0.distance < $1.distance }
        if let found, found.distance <= max(limit, 1), found.distance < typed.count { return found.name }
        let longer = known.filter { typed.count > 2 && abbreviates(typed, plain($0)) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// Users type capitals, and - for _.
    private static func plain(_ word: String) -> String {
        String(word.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    /// Whether the word has some of the characters of the other one, the first among them, in their order.
    private static func abbreviates(_ word: String, _ other: String) -> Bool {
        var rest = word[...]
        for character in other where character == rest.first { rest.removeFirst() }
        return rest.isEmpty && word.first == other.first
    }

    /// The number of inserted, missing, wrong or swapped characters (optimal string alignment distance).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
