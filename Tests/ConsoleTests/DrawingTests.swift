import Console
import Domain
import Report
import TestKit
import Testing

struct DrawingTests {
    @Test func dotsAreBraillePatterns() {
        var raster = DotRaster(Size(columns: 4, rows: 1))
        raster.set(0, 0)
        raster.set(3, 3)
        raster.set(8, 0)
        raster.set(-1, 0)
        #expect(raster.rows(in: .utf8) == ["\u{2801}\u{2880}"])
        #expect(raster.rows(in: .ascii) == ["'."])
    }

    @Test func linesReachBothEnds() {
        var raster = DotRaster(Size(columns: 3, rows: 1))
        raster.line(from: (5, 3), to: (0, 0))
        #expect(raster.rows(in: .utf8) == ["⠑⠢⢄"])
        raster.mark("S", at: (0, 0))
        #expect(raster.rows(in: .ascii) == ["S:."])
    }

    @Test func drawingShowsEachFigureThatTheActivityHas() throws {
        let run = try SyntheticRecording.run(seed: 1)
        let lines = try RecordingDrawing(RowList(run.rows), metric: true, OutputStyle()).lines
        let titles = lines.filter { $0.contains(#/^  [A-Z][a-z]/#) }.map { String($0.prefix { $0 != "," }) }
        #expect(titles == ["  Route", "  Elevation", "  Heart rate"])
        #expect(lines.last?.hasPrefix("  0 ") == true && lines.last?.hasSuffix(" 11:12") == true)
        #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 80 })
        #expect(lines.joined().contains("S") && lines.joined().contains("E"))
    }

    @Test(arguments: [1, 12, 40, 159])
    func noLineIsWiderThanTheTerminal(columns: Int) throws {
        let run = try SyntheticRecording.run(seed: 2)
        for characters in [CharacterSet.utf8, .ascii] {
            let style = OutputStyle(columns: columns, characters: characters)
            let lines = try RecordingDrawing(RowList(run.rows), metric: false, style).lines
            #expect(lines.allSatisfy { TerminalText.width(of: $0) <= max(columns, 12) })
            #expect(characters == .utf8 || lines.joined().utf8.allSatisfy { $0 < 128 })
        }
    }

    @Test func indoorActivityHasNoRoute() throws {
        var rows = try SyntheticRecording.run(seed: 3).rows
        for index in rows.indices { rows[index].removePosition() }
        let text = try RecordingDrawing(RowList(rows), metric: true, OutputStyle()).lines.joined()
        #expect(!text.contains("Route") && !text.contains("Elevation") && text.contains("Heart rate"))
    }

    @Test func emptyActivityHasNoDrawing() throws {
        #expect(try RecordingDrawing(RowList([]), metric: true, OutputStyle()).lines.isEmpty)
    }

    @Test func onePositionIsAMark() throws {
        var run = SyntheticRecording(seed: 5)
        run.begin(.command)
        run.run(seconds: 1)
        let lines = try RecordingDrawing(RowList(run.rows), metric: true, OutputStyle()).lines
        #expect(lines.contains { $0.contains("S") && !$0.contains("start") })
    }

    @Test func linesHaveNoDotsInAGap() {
        var means = ColumnMeans(count: 10, end: 100)
        for second in 0..<100 where !(30..<60).contains(second) {
            if second == 60 { means.breakLine() }
            means.add(Double(second), at: Double(second), moment: Int64(second) * 1000)
        }
        #expect(
            means.columns.map { $0.mean != nil } == [true, true, true, false, false, false, true, true, true, true])
        #expect(means.columns.map(\.isJoined) == [false, true, true, false, false, false, false, true, true, true])
    }

    @Test func missingValuesAreAGapAfterTenSeconds() {
        for (missing, isJoined) in [(9, true), (12, false)] {
            var means = ColumnMeans(count: 100, end: 100)
            for second in 0..<100 {
                let isMissing = (50..<50 + missing).contains(second)
                means.add(isMissing ? nil : 1, at: Double(second), moment: Int64(second) * 1000)
            }
            #expect(means.columns[50 + missing].isJoined == isJoined)
        }
    }

    @Test func routeAcrossTheAntimeridianIsNarrow() {
        var frame = RouteFrame()
        for longitude in [179.999, -179.999, 180, -180] {
            frame.add(Coordinate(latitude: 60, longitude: longitude))
        }
        #expect(abs(frame.width - 111.195) < 0.01 && frame.height == 0)
        #expect(abs(frame.place(of: Coordinate(latitude: 60, longitude: -179.999)).x - 111.195) < 0.01)
        frame.widen(by: 1.1, atLeast: 10)
        #expect(abs(frame.width - 122.31) < 0.01 && abs(frame.height - 10) < 0.01)
    }
}
