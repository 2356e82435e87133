import Domain

/// The text of a page. Only ``add(_:)`` appends text unescaped: the page's own.
struct HTMLText {
    var language = ReportLanguage.english
    private(set) var bytes: [UInt8] = []

    /// Appends the program's own text, which is markup.
    mutating func add(_ markup: String) {
        bytes.append(contentsOf: markup.utf8)
    }

    mutating func add(bytes more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// Appends external text, escaped for content and for an attribute's value in double quotes.
    mutating func add(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": add("&amp;")
            case "<": add("&lt;")
            case ">": add("&gt;")
            case "\"": add("&quot;")
            case "'": add("&#39;")
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": add("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }

    /// Appends an element with a sentence of the report in its language.
    mutating func say(_ name: String, _ attributes: String = "", _ sentence: Sentence) {
        element(name, attributes, language.text(sentence))
    }

    /// Appends an element with a text that may be one of the report's words, or has figures.
    @_disfavoredOverload mutating func say(_ name: String, _ attributes: String = "", _ text: String) {
        element(name, attributes, language.text(text))
    }

    /// Appends an element whose content is escaped.
    mutating func element(_ name: String, _ attributes: String = "", _ text: String) {
        add("<\(name)\(attributes.isEmpty ? "" : " " + attributes)>")
        add(escaped: text)
        add("</\(name)>")
    }
}

/// The parts that pages share.
extension HTMLText {
    /// Begins a page up to its body.
    ///
    /// - Parameter style: styles of this page besides page.css.
    mutating func begin(title: String, style: String = "") {
        add(
            """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
            <meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
            """)
        element("title", "", title)
        add("<style>")
        add(bytes: PackageResources.page_css)
        add(style)
        add("</style></head>")
    }

    /// Adds the section of the totals.
    mutating func totals(_ items: [(name: String, value: String, unit: String)]) {
        add("<section>")
        say("h2", "", "Totals")
        add("<dl>")
        for item in items {
            add("<div>")
            say("dt", "", item.name)
            add("<dd>")
            add(escaped: language.figures(item.value))
            if !item.unit.isEmpty { element("small", "", " " + language.text(item.unit)) }
            add("</dd></div>")
        }
        add("</dl></section>")
    }

    /// The rows of a table that are printed, as in page.css.
    private static let printed = 15

    /// Adds a section with a table. A column without a value is left out.
    ///
    /// - Parameters:
    ///   - attributes: those of the section.
    ///   - bars: the length of a bar in each row, 0 to 1; nil for no bars.
    mutating func table(
        _ title: String, _ heads: [String], _ rows: [[String]], _ attributes: String = "", note: Sentence? = nil,
        bars: [Double]? = nil
    ) {
        let columns = heads.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        add("<section\(attributes.isEmpty ? "" : " " + attributes)><h2>")
        add(escaped: language.text(title))
        add("</h2><div class=\"scroll\"")
        if rows.count > 60 || columns.count > 4 {
            add(" tabindex=\"0\" role=\"region\" aria-label=\"\(language.text(title))\"")
        }
        add("><table><thead><tr>")
        for column in columns { say("th", "scope=\"col\"", heads[column]) }
        if bars != nil { add("<td class=\"bar\"></td>") }
        add("</tr></thead><tbody>")
        for (index, row) in rows.enumerated() {
            add("<tr>")
            for column in columns {
                say(column == 0 ? "th" : "td", column == 0 ? "scope=\"row\"" : "", row[column])
            }
            if let bar = bars?[index] {
                let percent = min(Int((bar * 100).rounded()), 100)
                add("<td class=\"bar\">\(bar > 0 ? "<i style=\"width:\(percent)%\"></i>" : "")</td>")
            }
            add("</tr>")
        }
        add("</tbody></table></div>")
        if let note { say("p", "class=\"notes\"", note) }
        if rows.count > Self.printed {
            say("p", "class=\"notes paper\"", "\(Self.printed) of \(rows.count) rows fit on the paper.")
        }
        add("</section>")
    }

    /// Adds the section of the notes.
    mutating func notes(_ notes: [Sentence]) {
        add("<section class=\"notes\">")
        say("h2", "", "About these figures")
        add("<ul>")
        for note in notes { say("li", "", note) }
        say("li", "", "Made by paced \(Release.version).")
        add("</ul></section>")
    }
}

/// Round numbers for scales: 1, 2 or 5 times a power of ten.
enum RoundNumber {
    /// The least one that is not below `value`, which is above 0.
    static func above(_ value: Double) -> Double {
        guard value.isFinite, value > 0 else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        for factor in [1.0, 2, 5] where factor * power >= value { return factor * power }
        return 10 * power
    }
}
