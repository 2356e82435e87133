/// "Did you mean": the known word that is nearest to a mistyped one.
enum Suggestion {
    /// A part of an error line; empty if no known word is near.
    static func text(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    }

    /// The known word with the fewest mistakes: at most one in three characters, and at most two.
    static func nearest(to word: String, among known: [String]) -> String? {
        let limit = min(word.count / 3, 2)
        let found = known.map { (name: $0, distance: distance($0, word)) }.min { $0.distance < $1.distance }
        return found.flatMap { $0.distance <= max(limit, 1) && $0.distance < word.count ? $0.name : nil }
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
