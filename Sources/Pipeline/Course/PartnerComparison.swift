package import Domain

/// How far a run has followed its course.
package struct FollowedDistance {
    var course: CourseHash
    /// The progress where the run came onto the course, and the present one, in metres.
    var first: Double
    var progress: Double
    /// Active time since the run came onto the course.
    var milliseconds: Int64

    package init(course: CourseHash, first: Double, progress: Double, milliseconds: Int64) {
        self.course = course
        self.first = first
        self.progress = progress
        self.milliseconds = milliseconds
    }
}

extension Partner {
    /// Compares a run with the partner. A partner on the course, and a pace on a course, is compared from where the run came
    /// onto it.
    ///
    /// - Parameters:
    ///   - milliseconds: active time of the run.
    ///   - metres: distance of the run.
    ///   - followed: nil if the run has not reached its course, or has none.
    package func status(milliseconds: Int64, metres: Double, followed: FollowedDistance?) -> PartnerStatus? {
        switch self {
        case .pace(let pace):
            guard pace > 0 else { return nil }
            let metres = followed.map { $0.progress - $0.first } ?? metres
            let seconds = Double(followed?.milliseconds ?? milliseconds) / 1000
            return PartnerStatus(
                pace: pace, secondsAhead: metres * pace - seconds, metresAhead: metres - seconds / pace)
        case .recorded(let partner):
            guard let curve = partner.curve, let last = curve.metres.last else { return nil }
            var metres = metres
            var elapsed = Double(milliseconds) / 1000
            if let course = curve.course {
                guard let followed, followed.course == course else { return nil }
                metres = followed.progress
                elapsed = curve.seconds(at: followed.first) + Double(followed.milliseconds) / 1000
            }
            return PartnerStatus(
                name: partner.name, secondsAhead: metres <= Double(last) ? curve.seconds(at: metres) - elapsed : nil,
                metresAhead: metres - curve.metres(at: elapsed))
        }
    }
}

extension PartnerCurve {
    /// When the partner has covered a distance.
    fileprivate func seconds(at metres: Double) -> Double {
        var (low, high) = (0, self.metres.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if Double(self.metres[middle]) < metres { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let (from, to) = (Double(self.metres[low - 1]), Double(self.metres[low]))
        let part = to > from ? min(max((metres - from) / (to - from), 0), 1) : 1
        let began = Double(elapsedMilliseconds[low - 1])
        return (began + (Double(elapsedMilliseconds[low]) - began) * part) / 1000
    }

    /// What the partner has covered after a time.
    fileprivate func metres(at seconds: Double) -> Double {
        let milliseconds = seconds * 1000
        var (low, high) = (0, elapsedMilliseconds.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if Double(elapsedMilliseconds[middle]) < milliseconds { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let (from, to) = (Double(elapsedMilliseconds[low - 1]), Double(elapsedMilliseconds[low]))
        let part = to > from ? min(max((milliseconds - from) / (to - from), 0), 1) : 1
        let began = Double(metres[low - 1])
        return began + (Double(metres[low]) - began) * part
    }
}
