/// Layout of the run screen: bands from top to bottom, each with one or more fields side by side.
struct Layout: Equatable {
    struct Band: Equatable {
        var faces: [FieldView]
        /// First row, counted from the top of the layout. The row of titles, if any, comes first.
        var top = 0
        /// Rows of the digits.
        var height = 1
        var hasTitleRow = false

        fileprivate var size: Int { faces[0].size }
        fileprivate var isBar: Bool { faces[0].isBar }
        fileprivate var wantsTitleRow: Bool { faces.contains { $0.title != nil } }
    }

    var bands: [Band]

    /// The minimum width of a column in a band with several.
    private static let columnLimit = 13
    /// The maximum thickness of a bar, in rows.
    private static let barLimit = 3

    /// Consecutive fields of equal size may share a band. Heights are proportional to sizes. Chooses
    /// the number of columns with the best ``Rank``. If not all fields fit, the last ones are left out.
    init(_ faces: [FieldView], in size: Size) {
        let columns = max(size.columns, 1)
        let most = max(min(columns / Self.columnLimit, 4), 1)
        var best: (rank: Rank, bands: [Band])?
        for count in (1...most).reversed() {
            let bands = Self.bands(faces, columns: count)
            guard let fitting = Self.fitting(bands, columns: columns, rows: size.rows) else { continue }
            if let best, best.rank >= fitting.rank { continue }
            best = fitting
        }
        bands = best?.bands ?? []
        spread(over: size.rows)
    }

    private static func bands(_ faces: [FieldView], columns: Int) -> [Band] {
        var bands: [Band] = []
        for face in faces {
            if let last = bands.last, !last.isBar, !face.isBar, last.size == face.size, last.faces.count < columns {
                bands[bands.count - 1].faces.append(face)
            } else {
                bands.append(Band(faces: [face]))
            }
        }
        return bands
    }

    /// Quality of a layout: first all fields shown, then titles and space between bands, then large digits.
    private struct Rank: Comparable {
        var leftOut: Int
        /// Index into ``styles``.
        var style: Int
        var top: Int

        static func < (lhs: Rank, rhs: Rank) -> Bool {
            (rhs.leftOut, rhs.style, lhs.top) < (lhs.leftOut, lhs.style, rhs.top)
        }
    }

    /// Uses of the rows, best first: rows between bands, rows of titles, height of the largest digits.
    private static let styles: [(gap: Int, titles: Bool, tops: ClosedRange<Int>)] = [
        (1, true, 5...100), (0, true, 3...100), (0, false, 3...100), (1, true, 1...1), (0, true, 1...1),
        (0, false, 1...1),
    ]

    /// The best layout that fits.
    private static func fitting(_ bands: [Band], columns: Int, rows: Int) -> (rank: Rank, bands: [Band])? {
        for leftOut in 0..<bands.count {
            let bands = Array(bands.dropLast(leftOut))
            for (index, manner) in styles.enumerated() {
                for top in manner.tops.reversed() where top <= rows {
                    guard let sized = sized(bands, top: top, titles: manner.titles, columns: columns) else { continue }
                    let used = sized.reduce(0) { $0 + $1.height + ($1.hasTitleRow ? 1 : 0) + manner.gap } - manner.gap
                    if used <= rows { return (Rank(leftOut: leftOut, style: index, top: top), sized) }
                }
            }
        }
        return nil
    }

    /// The bands with the largest digits `top` rows high; nil if they are too wide.
    private static func sized(_ bands: [Band], top: Int, titles: Bool, columns: Int) -> [Band]? {
        guard let largest = bands.filter({ !$0.isBar }).map(\.size).max() ?? bands.map(\.size).max() else { return nil }
        var sized = bands
        for index in sized.indices {
            let wanted = max(bands[index].size * top / largest, 1)
            sized[index].hasTitleRow = titles && bands[index].wantsTitleRow
            if bands[index].isBar {
                sized[index].height = min(max(wanted / 3, 1), barLimit)
                continue
            }
            let width = columns / bands[index].faces.count - 2
            var height = wanted
            while height > 1, !bands[index].faces.allSatisfy({ $0.fits(height: height, width: width) }) { height -= 1 }
            if bands[index].size == largest, height < top { return nil }
            sized[index].height = height
        }
        return sized
    }

    /// Distributes spare rows between the bands, at most two each, and the rest above and below.
    private mutating func spread(over rows: Int) {
        let used = bands.reduce(0) { $0 + $1.height + ($1.hasTitleRow ? 1 : 0) }
        let gap = min(max(rows - used, 0) / (bands.count + 1), 2)
        var row = max(rows - used - gap * (bands.count - 1), 0) / 2
        for index in bands.indices {
            bands[index].top = row
            row += bands[index].height + (bands[index].hasTitleRow ? 1 : 0) + gap
        }
    }
}

extension FieldView {
    /// Whether the widest digits with their unit fit. Digits are never two rows high.
    fileprivate func fits(height: Int, width: Int) -> Bool {
        guard height >= BlockDigits.minimumRows else { return height == 1 }
        return BlockDigits(rows: height).width(of: widest) + (unit.isEmpty ? 0 : unit.count + 1) <= width
    }
}
