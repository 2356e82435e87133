/// Finds where a rising curve rises least, or most, over windows of fixed widths.
///
/// The curve is a line through points whose x and y never fall. Over the windows of one width the rise is linear between
/// those that begin or end at a point, so only these are compared. Each width has one pointer, which only moves forward:
/// the work for a point is constant.
struct WindowSearch {
    enum Goal {
        case leastRise, greatestRise
    }

    /// A window by its beginning.
    struct Window: Equatable {
        var x: Double
        var y: Double
        var rise: Double
    }

    private struct Point {
        var x: Double
        var y: Double
    }

    let widths: [Double]
    private let goal: Goal
    /// The best window of each width so far; nil where no stretch is as wide.
    private(set) var best: [Window?]
    /// The points of the present stretch that a window may still begin at.
    private var points: [Point] = []
    /// For each width, the first point whose window has not ended yet.
    private var next: [Int]

    /// A stretch keeps at most this many points, so that no recording takes much memory: a wider window is not found.
    static let limit = 1 << 18
    /// A window replaces one whose rise differs by more than this part, so that equal ones keep the first.
    private static let tolerance = 1e-12

    init(_ widths: [Double], _ goal: Goal) {
        self.widths = widths
        self.goal = goal
        best = Array(repeating: nil, count: widths.count)
        next = Array(repeating: 0, count: widths.count)
    }

    /// Whether the present stretch has no point.
    var isEmpty: Bool { points.isEmpty }

    /// Begins a new stretch: no window reaches over it.
    mutating func interrupt() {
        points.removeAll(keepingCapacity: true)
        for index in next.indices { next[index] = 0 }
    }

    /// Adds a point. Its x and y must not be less than those of the point before.
    mutating func add(x: Double, y: Double) {
        let point = Point(x: x, y: y)
        guard let last = points.last else { return points.append(point) }
        points.append(point)
        for index in widths.indices {
            let width = widths[index]
            while next[index] < points.count - 1, points[next[index]].x + width <= x {
                let start = points[next[index]]
                let end = Self.y(at: start.x + width, from: last, to: point)
                consider(Window(x: start.x, y: start.y, rise: end - start.y), index)
                next[index] += 1
            }
            guard next[index] > 0 else { continue }
            let begin = x - width
            let start = Self.y(at: begin, from: points[next[index] - 1], to: points[next[index]])
            consider(Window(x: begin, y: start, rise: y - start), index)
        }
        if points.count > Self.limit { forget() }
    }

    private mutating func consider(_ window: Window, _ index: Int) {
        if let known = best[index] {
            let gain = goal == .leastRise ? known.rise - window.rise : window.rise - known.rise
            guard gain > abs(known.rise) * Self.tolerance else { return }
        }
        best[index] = window
    }

    /// Removes the points that no pointer needs, at least half of them.
    private mutating func forget() {
        let count = max((next.min() ?? 0) - 1, Self.limit / 2)
        points.removeFirst(count)
        for index in next.indices { next[index] = max(next[index] - count, 0) }
    }

    private static func y(at x: Double, from first: Point, to second: Point) -> Double {
        let width = second.x - first.x
        guard width > 0 else { return first.y }
        return first.y + (second.y - first.y) * min(max((x - first.x) / width, 0), 1)
    }
}
