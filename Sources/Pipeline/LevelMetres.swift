/// The metres on level ground that cost as much as the metres of a stretch.
///
/// Metres without a grade count as level.
struct LevelMetres {
    /// What the grades add to the metres; negative for gentle descents.
    private var extra = 0.0
    /// The distance up to which the grades are counted.
    private var until = 0.0
    private var isGraded = false

    /// Counts up to a distance.
    ///
    /// - Parameters:
    ///   - metres: the distance so far.
    ///   - percent: the grade; nil if it is unknown.
    mutating func count(to metres: Double, percent: Double?) {
        let step = max(metres - until, 0)
        until = max(metres, until)
        guard let level = percent.flatMap(GradeAdjustment.levelMetres) else { return }
        isGraded = true
        extra += step * (level - 1)
    }

    /// The seconds per metre of an active time; nil before the first metre, and if no grade was known.
    ///
    /// - Parameter metres: the whole distance.
    func pace(milliseconds: Int64, metres: Double) -> Double? {
        let level = metres + extra
        return isGraded && level > 0 ? Double(milliseconds) / 1000 / level : nil
    }
}
