package import Domain

/// A page about the activities of several weeks or months: one HTML file that needs no network, with tables only.
package struct PeriodPage {
    /// A table of texts. A column without a text is left out.
    package struct Table {
        package var title: String
        package var heads: [String]
        package var rows: [[String]]
        /// The length of a bar in each row, 0 to 1; nil for no bars.
        package var bars: [Double]?
        /// Whether the table takes the whole width of the page.
        package var isWide: Bool

        package init(
            _ title: String, _ heads: [String], _ rows: [[String]], bars: [Double]? = nil, isWide: Bool = false
        ) {
            self.title = title
            self.heads = heads
            self.rows = rows
            self.bars = bars
            self.isWide = isWide
        }
    }

    package var title: String
    package var subtitle: String
    /// Each with its name, its value and its unit.
    package var totals: [(name: String, value: String, unit: String)] = []
    /// Tables without a row are left out.
    package var tables: [Table] = []
    package var notes: [Sentence] = []

    package init(title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
    }

    /// The page's bytes, in UTF-8.
    package var html: [UInt8] {
        var page = HTMLText()
        page.begin(title: title + ", " + subtitle)
        page.add("<body><main><header>")
        page.element("h1", "", title)
        page.element("p", "", subtitle)
        page.add("</header>")
        page.totals(totals)
        page.add("<div class=\"tables\">")
        for table in tables where !table.rows.isEmpty {
            page.table(
                table.title, table.heads, table.rows, table.isWide ? "class=\"wide\"" : "", bars: table.bars)
        }
        page.add("</div>")
        page.notes(notes)
        page.add("</main></body></html>\n")
        return page.bytes
    }
}
