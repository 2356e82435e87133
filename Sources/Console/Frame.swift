/// Content of a terminal screen, and the escape sequences that draw it.
struct Frame: Equatable {
    var size: Size
    var rows: [Canvas.Row]

    /// The text that turns `previous`, or an unknown screen, into this frame; empty if nothing has changed.
    func sequence(after previous: Frame?) -> String {
        let known = previous?.size == size ? previous?.rows : nil
        var text = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        for (index, row) in rows.enumerated() where known?[index] != row {
            text += "\u{1B}[\(index + 1);1H" + row.text
            // After a full row the cursor stays on its last character, and erasing would remove that.
            if row.width < size.columns { text += "\u{1B}[K" }
        }
        // Terminals with synchronised output (DEC private mode 2026) show the whole update at once.
        return text.isEmpty ? "" : "\u{1B}[?2026h" + text + "\u{1B}[?2026l"
    }
}
