import Domain
import Formats
import Testing

/// The tables of the page are made from those of the programs: `make pages` writes `web/tables.js`.
@Suite struct PageTablesTests {
    @Test func tablesOfThePageAreMadeFromTheTables() throws {
        let text = """
            // Made by `make pages` from the tables of the programs.

            export const sports = \(Self.list(Sport.allCases));
            export const exportFormats = \(Self.list(ExportFormat.allCases));
            export const courseFormats = \(Self.list(CourseFormat.allCases));

            /** Data fields with the same format, source, unit and sports, in the order of the protocol. */
            export const fieldRows = [
            \(Self.rows)];

            """
        try GeneratedPage.expect(text, in: "web/tables.js")
    }

    private static func list(_ cases: some Sequence<some RawRepresentable<String>>) -> String {
        "[" + cases.map { "'\($0.rawValue)'" }.joined(separator: ", ") + "]"
    }

    private static var rows: String {
        var rows: [(head: String, names: [String], tail: String)] = []
        for field in DataField.allCases {
            let head = "'\(field.format.rawValue)', '\(field.source.rawValue)', '\(field.unit.rawValue)'"
            let tail = field.sports == Sport.allCases ? "" : ", " + list(field.sports)
            if rows.last?.head == head, rows.last?.tail == tail {
                rows[rows.count - 1].names.append(field.rawValue)
            } else {
                rows.append((head, [field.rawValue], tail))
            }
        }
        return rows.map { "  [\($0.head), '\($0.names.joined(separator: " "))'\($0.tail)],\n" }.joined()
    }
}
