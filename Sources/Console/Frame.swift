/// What a terminal shows, and how it is brought to show something else.
struct Frame: Equatable {
    var size: Size
    var rows: [Canvas.Row]

    /// What to send to a terminal that shows `previous`, or anything at all; empty where nothing has changed.
    func sequence(after previous: Frame?) -> String {
        let known = previous?.size == size ? previous?.rows : nil
        var text = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        for (index, row) in rows.enumerated() where known?[index] != row {
            text += "\u{1B}[\(index + 1);1H" + row.text
            // At the right edge the cursor stands on the last character, which would be erased.
            if row.width < size.columns { text += "\u{1B}[K" }
        }
        // Terminals that know synchronised output (DEC private mode 2026) show all of it in one go.
        return text.isEmpty ? "" : "\u{1B}[?2026h" + text + "\u{1B}[?2026l"
    }
}
