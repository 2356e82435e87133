/// Makes one distance of a counter that a device starts again, at a session or a lap: the sum of its rising stretches.
///
/// A single lower value between higher ones is an error of the file, and counts for nothing.
struct DistanceCounter {
    /// The highest value of the present stretch, and what the stretches before it add.
    private var highest = 0.0
    private var base = 0.0
    /// A value below ``highest``, which the next one confirms.
    private var fallen: Double?

    /// - Parameter metres: the next value of the file.
    /// - Returns: metres since the start of the recording; they do not fall.
    mutating func read(_ metres: Double) -> Double {
        if let start = fallen {
            fallen = nil
            if metres < highest {
                base += highest - start
                highest = start
            }
        } else if metres < highest {
            fallen = metres
            return base + highest
        }
        highest = max(highest, metres)
        return base + highest
    }
}
