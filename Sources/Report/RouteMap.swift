import Domain

/// The route as lines that are coloured by speed, with its start, its end and a mark at each kilometre or mile.
///
/// Source: MoonRunner's detail map. The region is that of the positions with 10 % padding. Red is the slow, yellow the
/// median and green the fast speed, and colours between are linear. Slow and fast are the 5th and the 95th percentile, so
/// that one wrong position does not take the colours from all others.
struct RouteMap {
    /// The width of the drawing in its own units.
    static let width = 10_000.0
    /// The largest number of points; above it every second one is dropped.
    private static let mostPoints = 5000
    /// The number of points before and after a line that its speed is taken over.
    private static let smoothing = 6
    /// The number of the fastest colour; 0 is the slowest.
    static let fastest = 16

    let frame: RouteFrame
    let height: Double
    private let unitsPerMetre: Double
    private var points: [Point] = []
    private(set) var marks: [Mark] = []
    private(set) var checkPoints: [CheckPoint] = []
    private var tolerance = 12.0
    private var isBroken = true
    private var metres = 0.0
    private var latest: Point?

    struct Point {
        var x: Double
        var y: Double
        var metres: Double
        var seconds: Double
        /// Whether no line leads to the point.
        var isFirst: Bool
    }

    /// A whole kilometre or mile, or several.
    struct Mark {
        var number: Int
        var x: Double
        var y: Double
    }

    /// Where the distance exceeds that of a badge.
    struct CheckPoint {
        var badge: Badge
        var x: Double
        var y: Double
    }

    /// Nil without a position.
    init?(_ frame: RouteFrame) {
        guard !frame.isEmpty else { return nil }
        extent = (frame.width, frame.height)
        var frame = frame
        frame.widen(by: 1.1, atLeast: 60)
        // Neither a thread nor a tower.
        frame.widen(by: 1, atLeast: max(frame.width * 0.45, frame.height))
        self.frame = frame
        unitsPerMetre = Self.width / frame.width
        height = (frame.height * unitsPerMetre).rounded()
    }

    func place(of coordinate: Coordinate) -> (x: Double, y: Double) {
        let place = frame.place(of: coordinate)
        return ((place.x * unitsPerMetre).rounded(), (place.y * unitsPerMetre).rounded())
    }

    mutating func breakLine() {
        isBroken = true
    }

    /// - Parameter step: the distance between two marks in metres.
    mutating func add(_ sample: RecordingSample, mark step: Double, counting unit: Int) {
        guard let coordinate = sample.mapped else { return }
        let place = place(of: coordinate)
        if let distance = sample.distanceMetres, distance.isFinite {
            metres = max(metres, distance)
        } else if let latest, !isBroken {
            let (x, y) = (place.x - latest.x, place.y - latest.y)
            metres += (x * x + y * y).squareRoot() / unitsPerMetre
        }
        let passed = Int(metres / step)
        if passed * unit > marks.last?.number ?? 0, metres - Double(passed) * step < step / 4 {
            marks.append(Mark(number: passed * unit, x: place.x, y: place.y))
        }
        let point = Point(
            x: place.x, y: place.y, metres: metres, seconds: Double(sample.elapsedMilliseconds) / 1000,
            isFirst: isBroken)
        if isBroken {
            finish()
            points.append(point)
        } else if let last = points.last, max(abs(point.x - last.x), abs(point.y - last.y)) >= tolerance {
            points.append(point)
        }
        latest = point
        isBroken = false
        if points.count > Self.mostPoints { thin() }
    }

    /// Marks the place of the sample that earns a badge; none if it has no position.
    mutating func mark(_ badge: Badge, at sample: RecordingSample) {
        guard let coordinate = sample.mapped else { return }
        let place = place(of: coordinate)
        checkPoints.append(CheckPoint(badge: badge, x: place.x, y: place.y))
    }

    /// Adds the newest position, which may be too near to its predecessor.
    mutating func finish() {
        guard let latest, let last = points.last, (latest.x, latest.y) != (last.x, last.y) else { return }
        points.append(latest)
        points[points.count - 1].isFirst = false
    }

    private mutating func thin() {
        tolerance *= 2
        var kept: [Point] = []
        for (index, point) in points.enumerated() {
            let endsLine = index + 1 == points.count || points[index + 1].isFirst
            if index.isMultiple(of: 2) || point.isFirst || endsLine { kept.append(point) }
        }
        if kept.count > Self.mostPoints * 3 / 4 {
            // Many short lines: half of the points are left, without lines.
            kept = kept.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            for index in kept.indices { kept[index].isFirst = true }
        }
        points = kept
    }

    var start: Point? { points.first }
    var end: Point? { points.last }

    // MARK: The frame

    /// The size of the route without the padding, in metres.
    let extent: (width: Double, height: Double)

    /// The place of a label, in percent of the drawing.
    func style(_ x: Double, _ y: Double) -> String {
        let left = DecimalFormat.text(x / Self.width * 100, decimals: 2) ?? "0"
        let top = DecimalFormat.text(y / height * 100, decimals: 2) ?? "0"
        return "left:\(left)%;top:\(top)%"
    }

    /// The width of a scale bar in percent of the drawing, and its text.
    func scaleBar(metric: Bool) -> (percent: String, text: String) {
        let isFar = frame.width > (metric ? 4000 : 4 * RunFormat.metresPerMile)
        let unit = metric ? (isFar ? 1000 : 1) : isFar ? RunFormat.metresPerMile : RunFormat.metresPerFoot
        let count = RoundNumber.above(frame.width / unit / 10)
        let name = isFar ? RunFormat.distanceUnit(metric: metric) : RunFormat.heightUnit(metric: metric)
        let digits = DecimalFormat.text(count, decimals: count < 1 ? 1 : 0) ?? ""
        return (DecimalFormat.text(count * unit / frame.width * 100, decimals: 2) ?? "0", digits + " " + name)
    }

    // MARK: Colours

    /// The speed on the way to a point, in metres per second; nil for the first one of a line.
    private func speed(to index: Int) -> Double? {
        guard !points[index].isFirst else { return nil }
        var (from, to) = (index - 1, index)
        for _ in 0..<Self.smoothing {
            if !points[from].isFirst { from -= 1 }
            if to + 1 < points.count, !points[to + 1].isFirst { to += 1 }
        }
        let time = points[to].seconds - points[from].seconds
        return time > 0 ? (points[to].metres - points[from].metres) / time : nil
    }

    /// The slow, the median and the fast speed in metres per second; nil if no line has one.
    func speeds() -> (slow: Double, median: Double, fast: Double)? {
        let sorted = points.indices.compactMap(speed).sorted()
        guard let least = sorted.first else { return nil }
        func part(_ share: Double) -> Double { sorted[Int(share * Double(sorted.count - 1))] }
        return sorted.count < 3 ? (least, least, least) : (part(0.05), part(0.5), part(0.95))
    }

    /// The number of a speed's colour, 0 to ``fastest``; equal speeds are yellow.
    static func colour(of speed: Double, _ speeds: (slow: Double, median: Double, fast: Double)) -> Int {
        let (below, above) = (speeds.median - speeds.slow, speeds.fast - speeds.median)
        let ratio: Double
        if speed < speeds.median {
            ratio = below > 0 ? max((speed - speeds.slow) / below, 0) - 1 : 0
        } else {
            ratio = above > 0 ? min((speed - speeds.median) / above, 1) : 0
        }
        return Int(((ratio + 1) / 2 * Double(fastest)).rounded())
    }

    /// Red, green and blue of a colour, 0 to 255.
    static func components(of colour: Int) -> [Int] {
        let (slow, middle, fast) = ([255.0, 20, 44], [255.0, 215, 0], [0.0, 146, 78])
        let ratio = Double(colour) / Double(fastest) * 2 - 1
        return (0..<3).map { part in
            let end = ratio < 0 ? slow[part] : fast[part]
            return Int((middle[part] + (end - middle[part]) * abs(ratio)).rounded())
        }
    }

    /// Adds a path for each stretch of one colour.
    func addPaths(to text: inout HTMLText) {
        guard let speeds = speeds() else {
            if let start { text.add("<path class=\"c8\" d=\"M\(Int(start.x)) \(Int(start.y))h0\"/>") }
            return
        }
        var colour: Int?
        for index in points.indices {
            let (point, before) = (points[index], points[max(index - 1, 0)])
            let isLone = point.isFirst && (index + 1 == points.count || points[index + 1].isFirst)
            if point.isFirst, !isLone { continue }
            let new = speed(to: index).map { Self.colour(of: $0, speeds) } ?? Self.fastest / 2
            if new != colour || before.isFirst || isLone {
                if colour != nil { text.add("\"/>") }
                text.add("<path class=\"c\(new)\" d=\"M\(Int(before.x)) \(Int(before.y))l")
                if isLone { text.add("0 0") }
                colour = new
            } else {
                text.add(" ")
            }
            if !isLone { text.add("\(Int(point.x - before.x)) \(Int(point.y - before.y))") }
        }
        if colour != nil { text.add("\"/>") }
    }
}
