package import Domain
import Glibc
import Report

/// The route, the elevation and the heart rate of an activity, drawn in character cells. A figure that the activity lacks
/// is not drawn. It reads the rows twice, and its memory depends on the width only.
package struct RecordingDrawing {
    package private(set) var lines: [String] = []

    private let style: OutputStyle
    private let metric: Bool

    private static let routeRows = 14
    private static let chartRows = 5
    private static let indent = 2

    package init(_ rows: any RecordingRows, metric: Bool, _ style: OutputStyle) throws {
        self.style = style
        self.metric = metric
        let extent = try TrackExtent(rows)
        let end = extent.end
        var frame = extent.frame
        var gap = SampleGap(extent)
        frame.widen(by: 1, atLeast: 10)
        let columns = max(style.columns - Self.indent, 10)
        var route = RouteDrawing(frame, Size(columns: columns, rows: Self.routeRows))
        var elevation = ColumnMeans(count: columns * 2, end: Double(end))
        var heart = elevation
        try rows.each { row in
            switch row {
            case .begin, .end:
                route?.breakLine()
                elevation.breakLine()
                heart.breakLine()
            case .segment:
                route?.breakLine()
                elevation.breakLine()
            case .sample(let sample):
                if gap.isGap(before: sample) {
                    route?.breakLine()
                    elevation.breakLine()
                    heart.breakLine()
                }
                if let coordinate = sample.mapped { route?.add(coordinate) }
                elevation.add(sample.altitude, at: Double(sample.at), moment: sample.at)
                heart.add(sample.heartRate.map(Double.init), at: Double(sample.at), moment: sample.at)
            case .beats, .lap, .autoPause, .autoResume: break
            }
        }
        if let route {
            let extent = [frame.width, frame.height].map { RunFormat.distance(metres: $0, metric: metric) }
            let times = style.characters.shown("×")
            add(
                "Route",
                extent.joined(separator: " \(times) ") + " \(RunFormat.distanceUnit(metric: metric)), S start, E end")
            add(route.raster(), .teal)
        }
        add(elevation, "Elevation", .green) { RunFormat.height(metres: $0, metric: metric) }
        add(heart, "Heart rate", .red) { (DecimalFormat.text($0, decimals: 0) ?? "--") + " bpm" }
        guard elevation.least != nil || heart.least != nil else { return }
        let last = RunFormat.elapsed(milliseconds: end)
        lines.append("  0" + String(repeating: " ", count: max(columns - 1 - last.count, 1)) + last)
    }

    private mutating func add(_ title: String, _ text: String) {
        let line = style.palette.sequence(Style(isBold: true)) + title + style.palette.sequence(.plain)
        let room = style.columns - Self.indent - title.count - 2
        lines += ["", "  " + line + (text.count <= room ? ", " + text : "")]
    }

    private mutating func add(_ raster: DotRaster, _ colour: Style.Colour) {
        for row in raster.rows(in: style.characters) {
            lines.append(
                row.isEmpty
                    ? "" : "  " + style.palette.sequence(Style(colour: colour)) + row + style.palette.sequence(.plain))
        }
    }

    private mutating func add(
        _ means: ColumnMeans, _ title: String, _ colour: Style.Colour, _ text: (Double) -> String
    ) {
        guard let least = means.least, let greatest = means.greatest else { return }
        add(title, text(least) + " to " + text(greatest))
        var raster = DotRaster(Size(columns: means.columns.count / 2, rows: Self.chartRows))
        let scale = greatest > least ? Double(raster.height - 1) / (greatest - least) : 0
        var last: (x: Int, y: Int)?
        for (x, column) in means.columns.enumerated() {
            guard let mean = column.mean else { continue }
            let dot = (x: x, y: raster.height - 1 - Int(((mean - least) * scale).rounded()))
            raster.line(from: column.isJoined ? last ?? dot : dot, to: dot)
            last = dot
        }
        add(raster, colour)
    }
}

/// The route on a raster whose dots are squares of the ground.
private struct RouteDrawing {
    private let frame: RouteFrame
    private let dotsPerMetre: Double
    private var drawn: DotRaster
    private var first: (x: Int, y: Int)?
    private var last: (x: Int, y: Int)?
    private var isBroken = true

    /// Nil if there is no position.
    ///
    /// - Parameter most: the largest size.
    init?(_ frame: RouteFrame, _ most: Size) {
        guard !frame.isEmpty else { return nil }
        self.frame = frame
        dotsPerMetre = min(Double(most.columns * 2 - 1) / frame.width, Double(most.rows * 4 - 1) / frame.height)
        drawn = DotRaster(
            Size(
                columns: Int(frame.width * dotsPerMetre) / 2 + 1, rows: Int(frame.height * dotsPerMetre) / 4 + 1))
    }

    mutating func breakLine() {
        isBroken = true
    }

    mutating func add(_ coordinate: Coordinate) {
        let place = frame.place(of: coordinate)
        let dot = (x: Int((place.x * dotsPerMetre).rounded()), y: Int((place.y * dotsPerMetre).rounded()))
        if isBroken || last == nil {
            drawn.set(dot.x, dot.y)
        } else if let last, last != dot {
            drawn.line(from: last, to: dot)
        }
        if first == nil { first = dot }
        last = dot
        isBroken = false
    }

    /// The drawing with its start and its end.
    func raster() -> DotRaster {
        var raster = drawn
        if let last { raster.mark("E", at: last) }
        if let first { raster.mark("S", at: first) }
        return raster
    }
}

/// How standard output shows drawings: a terminal in its width and colours, and a file in 80 columns without colours.
package struct OutputStyle: Equatable {
    var columns = 80
    var palette = Palette.none
    var characters = CharacterSet.utf8

    package init(columns: Int = 80, palette: Palette = .none, characters: CharacterSet = .utf8) {
        self.columns = columns
        self.palette = palette
        self.characters = characters
    }

    static var ofStandardOutput: OutputStyle {
        var style = OutputStyle(characters: .ofTerminal)
        guard isatty(STDOUT_FILENO) == 1 else { return style }
        style.palette = Palette(terminal: environment("TERM") ?? "dumb")
        var window = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 {
            style.columns = min(Int(window.ws_col), 160)
        }
        return style
    }
}
