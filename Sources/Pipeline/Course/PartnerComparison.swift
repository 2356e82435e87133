import Domain

extension Partner {
    /// Compares a run with the partner. A partner on the course is compared from where the run came onto it.
    ///
    /// - Parameters:
    ///   - milliseconds: active time of the run.
    ///   - metres: distance of the run.
    ///   - following: the course in use, and the run's first and present progress on it; nil if it is not on one.
    func status(
        milliseconds: Int64, metres: Double, following: (course: CourseHash, first: Double, progress: Double)?
    ) -> PartnerStatus? {
        let seconds = Double(milliseconds) / 1000
        switch self {
        case .pace(let pace):
            guard pace > 0 else { return nil }
            let metres = following.map { $0.progress - $0.first } ?? metres
            return PartnerStatus(
                pace: pace, secondsAhead: metres * pace - seconds, metresAhead: metres - seconds / pace)
        case .recorded(let partner):
            guard let curve = partner.curve, let last = curve.metres.last else { return nil }
            var metres = metres
            var started = 0.0
            if let course = curve.course {
                guard let following, following.course == course else { return nil }
                metres = following.progress
                started = curve.seconds(at: following.first)
            }
            let elapsed = started + seconds
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
