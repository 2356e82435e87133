import Console
import JSONCoding
import Testing

struct ScanTableTests {
    private var table = ScanTable()

    private mutating func take(_ text: String) throws {
        table.receive(try JSON(parsing: text.utf8))
    }

    @Test mutating func tableShowsOneSensor() throws {
        try take(
            #"[{"address":"A0:9E:1A:00:00:01","address_type":"public","name":"Polar H10 9AD13824","rssi_dbm":-52,"kinds":["heart-rate","power","x"],"services":["180d","180f","feee"]}]"#
        )
        #expect(
            table.lines(width: 100) == [
                "NAME                ADDRESS            TYPE    SIGNAL   MEASURES",
                "Polar H10 9AD13824  A0:9E:1A:00:00:01  public  -52 dBm  heart rate, power, x",
            ])
        #expect(table.conclusion == #"One sensor. 'pacectl sensors add "Polar H10 9AD13824"' selects one."#)
    }

    @Test mutating func rowsKeepTheirPlaceAndEarlierValues() throws {
        try take(
            #"[{"address":"A","address_type":"public","name":"N","rssi_dbm":-80,"kinds":["radar"],"services":["180d"]}]"#
        )
        try take(
            #"[{"address":"B","address_type":"random","rssi_dbm":-40,"services":[]},{"address":"A","address_type":"public","rssi_dbm":-60,"services":[]},{"address":"A","address_type":"random","services":[]}]"#
        )
        #expect(table.rows.map(\.address) == ["A", "B", "A"])
        #expect(table.rows[0].name == "N")
        #expect(table.rows[0].signal == -60)
        #expect(table.rows[0].kinds == ["radar"])
        #expect(table.lines(width: 80)[2] == "–     B        random  -40 dBm  ")
        #expect(table.conclusion.hasPrefix("3 sensors. 'pacectl sensors add N'"))
    }

    @Test mutating func sensorWithoutANameIsProposedByAddress() throws {
        try take(#"[{"address":"A0:9E:1A:00:00:01","address_type":"public","services":[]}]"#)
        #expect(table.conclusion.contains("'pacectl sensors add A0:9E:1A:00:00:01/public'"))
    }

    @Test func emptyScanSuggestsARemedy() {
        #expect(table.lines(width: 80) == [])
        #expect(table.conclusion.contains("put it on"))
    }

    @Test mutating func hostileNamesAreHarmlessInTheTableAndAShell() throws {
        try take(
            #"[{"address":"A0:9E:1A:00:00:01","address_type":"public","name":"\u001b[2J\"$(reboot)`日本語日本語日本語日本語日本語","rssi_dbm":1e9,"kinds":["\u0007"]},{"address":7},[],null]"#
        )
        let lines = table.lines(width: 60)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 60 })
        #expect(lines[1].contains("日本語日本"))
        #expect((lines + [table.conclusion]).allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        #expect(!table.conclusion.contains("$("))
        #expect(!table.conclusion.contains("`"))
    }

    @Test(arguments: ["null", "{}", "7", "[1,2]"])
    mutating func malformedListGivesNoRows(_ text: String) throws {
        try take(text)
        #expect(table.rows.isEmpty)
    }
}
