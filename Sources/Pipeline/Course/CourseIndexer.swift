package import Domain

extension Course {
    /// Computes what is followed of a course: distances, profile, climbs and the index of its segments.
    ///
    /// - Parameter data: at least one vertex, whose coordinates are on the Earth.
    package convenience init(_ data: CourseData, hash: CourseHash) {
        let latitudes = data.vertices.map { Int32(($0.coordinate.latitude * 1e7).rounded()) }
        let longitudes = data.vertices.map { Int32(($0.coordinate.longitude * 1e7).rounded()) }
        var distances: [Double] = []
        distances.reserveCapacity(data.vertices.count)
        var metres = 0.0
        for (index, vertex) in data.vertices.enumerated() {
            if index > 0 { metres += data.vertices[index - 1].coordinate.metres(to: vertex.coordinate) }
            distances.append(metres)
        }
        let profile = CourseProfile(altitudes: data.vertices.map(\.altitude), distances: distances)
        let effort = CourseEffort(profile, distances: distances)
        self.init(
            hash: hash, sport: data.sport, latitudes: latitudes, longitudes: longitudes, distances: distances,
            altitudes: profile.map { profile in distances.map { Float(profile.altitude(at: $0)) } } ?? [],
            ascents: profile.map { profile in distances.map { Float(profile.ascent(at: $0)) } } ?? [],
            levelMetresOnFoot: effort.onFoot, levelMetresOnWheels: effort.onWheels,
            climbs: profile?.climbs ?? [], points: data.points,
            boxes: Self.boxes(latitudes, longitudes))
    }

    private static func boxes(_ latitudes: [Int32], _ longitudes: [Int32]) -> [Box] {
        stride(from: 0, to: max(latitudes.count - 1, 1), by: boxSize).map { first in
            let vertices = first...min(first + boxSize, latitudes.count - 1)
            var box = Box(
                latitudes: latitudes[first]...latitudes[first], longitudes: longitudes[first]...longitudes[first])
            for index in vertices {
                box.latitudes = box.latitudes.extended(to: latitudes[index])
                box.longitudes = box.longitudes.extended(to: longitudes[index])
            }
            return box
        }
    }
}

extension ClosedRange<Int32> {
    fileprivate func extended(to value: Int32) -> ClosedRange<Int32> {
        Swift.min(lowerBound, value)...Swift.max(upperBound, value)
    }
}

/// The metres on level ground that take as long as the course from its start to each vertex; empty without altitudes.
private struct CourseEffort {
    var onFoot: [Float] = []
    var onWheels: [Float] = []

    init(_ profile: CourseProfile?, distances: [Double]) {
        guard let profile else { return }
        var foot = 0.0
        var wheels = 0.0
        for (index, metres) in distances.enumerated() {
            if index > 0 {
                let length = metres - distances[index - 1]
                let rise = profile.altitude(at: metres) - profile.altitude(at: distances[index - 1])
                let grade = length > 0 ? rise / length : 0
                foot += length * Self.footFactor(grade)
                wheels += length * Self.wheelFactor(grade)
            }
            onFoot.append(Float(foot))
            onWheels.append(Float(wheels))
        }
    }

    /// By the energy that a metre costs. Downhill nobody runs as fast as the energy would allow.
    private static func footFactor(_ grade: Double) -> Double {
        max(GradeAdjustment.levelMetres(percent: grade * 100) ?? 1, 0.85)
    }

    /// At 150 to 250 W a rider of 85 kg with bicycle needs 2.2 to 2.4 times as long on 7 %, and 0.6 times on -5 %.
    private static func wheelFactor(_ grade: Double) -> Double {
        let grade = min(max(grade, -0.3), 0.3)
        return grade > 0 ? 1 + 18 * grade : max(1 + 8 * grade, 0.6)
    }
}
