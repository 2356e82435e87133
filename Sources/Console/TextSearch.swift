// Searches in texts. Those of the standard library bring its parser of regular expressions into the program, 1 MB.

extension StringProtocol {
    /// Where a text begins in this one; nil if it is not there.
    func place(of text: some StringProtocol) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }

    func has(_ text: some StringProtocol) -> Bool { place(of: text) != nil }

    /// This text with another one in each place of a text, which is not empty.
    func substituting(_ text: some StringProtocol, with other: some StringProtocol) -> String {
        var result = ""
        var rest = self[...]
        while let start = rest.place(of: text) {
            result += String(rest[..<start]) + other
            rest = rest[rest.index(start, offsetBy: text.count)...]
        }
        return result + String(rest)
    }
}
