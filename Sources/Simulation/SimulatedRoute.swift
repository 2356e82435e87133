import CMath
import Domain

/// A closed route on real paths: over a hill to a lake, around it and back, repeated endlessly.
struct SimulatedRoute: Sendable {
    /// A vertex of the route, and the start of its next segment.
    private struct Vertex {
        /// Degrees north and east.
        var latitude, longitude: Double
        /// Metres above mean sea level.
        var elevation: Double
        /// Metres along the route from its start.
        var distance: Double
    }

    /// A position on the route.
    struct Place: Equatable {
        var coordinate: Coordinate
        /// Metres above mean sea level.
        var elevation: Double
        /// The direction of the route in degrees from true north, 0 up to 360.
        var heading: Double
        /// The slope: metres up per metre along the route, negative downhill.
        var grade: Double
    }

    /// The vertices in order. The last one is the first one, one round later.
    private let vertices: [Vertex]

    /// The length of one round in metres.
    var length: Double { vertices[vertices.count - 1].distance }

    init() {
        var (north, east, up) = Self.origin
        var distance = 0.0
        var vertices: [Vertex] = []
        vertices.reserveCapacity(Self.steps.count / 3 + 1)
        func vertex() -> Vertex {
            Vertex(
                latitude: Double(north) / 1e6, longitude: Double(east) / 1e6, elevation: Double(up) / 10,
                distance: distance)
        }
        vertices.append(vertex())
        for index in stride(from: 0, to: Self.steps.count, by: 3) {
            let middle = (Double(north) + Double(Self.steps[index]) / 2) / 1e6
            let metres = MetresPerDegree(latitude: middle)
            distance += hypot(
                Double(Self.steps[index]) / 1e6 * metres.north, Double(Self.steps[index + 1]) / 1e6 * metres.east)
            north += Int(Self.steps[index])
            east += Int(Self.steps[index + 1])
            up += Int(Self.steps[index + 2])
            vertices.append(vertex())
        }
        self.vertices = vertices
    }

    /// The position at a distance from the start. Beyond ``length`` the route repeats.
    ///
    /// - Parameter distance: metres, 0 or more.
    func place(at distance: Double) -> Place {
        let rest = distance.truncatingRemainder(dividingBy: length)
        // Finds the last vertex at or before `rest`, but never the closing one.
        var low = 0
        var high = vertices.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if vertices[middle].distance <= rest { low = middle } else { high = middle }
        }
        let from = vertices[low]
        let to = vertices[high]
        let stretch = to.distance - from.distance
        let fraction = (rest - from.distance) / stretch
        let metres = MetresPerDegree(latitude: (from.latitude + to.latitude) / 2)
        let heading = atan2(
            (to.longitude - from.longitude) * metres.east, (to.latitude - from.latitude) * metres.north)
        return Place(
            coordinate: Coordinate(
                latitude: from.latitude + fraction * (to.latitude - from.latitude),
                longitude: from.longitude + fraction * (to.longitude - from.longitude)),
            elevation: from.elevation + fraction * (to.elevation - from.elevation),
            heading: Self.turned(heading * 180 / .pi),
            grade: (to.elevation - from.elevation) / stretch)
    }

    /// Normalizes a direction in degrees to 0 up to 360.
    static func turned(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        // A tiny negative angle rounds up to 360.
        return turned == 360 ? 0 : turned
    }
}

/// The length of a degree on the WGS-84 ellipsoid.
///
/// It is separate from the pipeline's geodesic on purpose, which is tested against distances computed with this.
struct MetresPerDegree {
    /// Metres per degree of latitude and of longitude.
    let north, east: Double

    init(latitude: Double) {
        let semimajor = 6_378_137.0
        let eccentricitySquared = 0.006_694_379_990_14
        let sine = sin(latitude * .pi / 180)
        let squared = 1 - eccentricitySquared * sine * sine
        north = semimajor * (1 - eccentricitySquared) / (squared * squared.squareRoot()) * .pi / 180
        east = semimajor / squared.squareRoot() * cos(latitude * .pi / 180) * .pi / 180
    }
}

// Written by Tools/make-demo-route.py; change that instead.
//
// The path is part of a run recorded round Stokkavatnet in Stavanger, Norway, published as
// tests/files/activity-small-fenix2-run.fit of python-fitparse (https://github.com/dtcooper/python-fitparse, commit
// d88bb6997138c38d0c578aeaaf4108df0711d1f6).
// Copyright (c) 2011-2025 David Cooper and (c) 2017-2025 Carey Metcalfe, MIT License: LICENSES/python-fitparse-MIT.txt.

extension SimulatedRoute {
    /// Where the path begins: microdegrees north, microdegrees east, decimetres above the sea.
    static let origin = (north: 58_958_814, east: 5_729_834, up: 594)

    /// The path, three numbers a step, in the units of ``origin``; the last step leads back to it.
    static let steps: [Int16] = [
        -145, 387, 12, -149, -41, 12, -138, -111, 13, -128, -90, 5, -132, -87, 7, -140, -62, 12, -134, 34, 9, -144,
        -37, 10, -152, -59, 11, -143, -4, 9, -155, -45, 7, -145, -49, 10, -139, -106, 10, -70, -229, 10, -91, -204,
        16, 8, -276, 23, 99, -211, 26, 50, -256, 9, 2, -265, -11, -10, -271, -31, -117, -186, -35, -74, -230, -16,
        -73, -225, -12, -9, -271, -10, -48, -250, -14, -27, -276, -24, -24, -276, -26, -77, -217, -18, -117, -172,
        -5, -82, -215, -8, -53, -247, -18, 82, -216, -29, 128, -146, -27, 125, -159, -15, 135, 81, -3, 121, 196, 10,
        99, 190, 10, 125, 126, 7, 134, 33, 1, 136, 89, -3, 145, 69, -5, 150, 75, -8, 134, 65, -4, 160, -25, -5, 146,
        -81, -11, 140, -87, -9, 149, -39, -4, 145, -41, -6, 128, -97, -10, 139, -59, -10, 131, -130, -12, 72, -236,
        -15, -42, -264, -18, -20, -281, -13, -1, -294, -6, -21, -300, -5, 9, -288, 0, 32, -255, 5, 32, -296, 10, 24,
        -295, 8, 12, -270, 1, 48, -286, -7, -77, -247, -7, -155, -43, -3, -138, -150, -5, -33, -278, -4, -35, -288,
        -2, 13, -277, 1, -11, -277, 2, -31, -360, 5, 22, -289, 3, 46, -281, 2, 53, -280, 1, 56, -248, 1, 22, -277,
        0, 36, -275, -5, -26, -298, -3, -21, -303, -1, -33, -295, -1, 28, -259, -5, -36, -263, -3, 3, -266, -3, 104,
        -176, -3, 121, -181, -1, 98, -184, -1, 73, -234, 0, 115, -153, 0, 110, -195, 1, 67, -259, 0, -48, -284, 1,
        -45, -260, 0, -67, -232, 0, -9, -295, -1, 113, -278, 1, 106, -202, 2, 131, -116, 0, 144, -161, 1, 97, -204,
        0, 107, -165, 0, 139, -193, 0, 125, -153, 0, 103, -216, -1, 74, -295, -4, 31, -272, -2, 26, -267, 1, 8,
        -279, 3, 12, -260, 1, -35, -277, 0, -59, -272, -1, -83, -220, -1, -103, -245, -1, -134, -173, -2, -120,
        -166, -3, -110, -158, -2, -104, -210, 0, -110, -240, 3, -110, -226, 3, -101, -217, 0, -104, -223, -1, -100,
        -192, -1, -94, -213, 0, -99, -179, 1, -92, -234, 0, -80, -240, 2, -61, -269, 1, -39, -264, 1, -28, -288, 1,
        -30, -270, 0, -37, -290, -1, -29, -284, -2, -73, -246, -2, -119, -153, -1, -151, -102, -1, -142, -82, 1,
        -134, -76, -1, -131, -87, -2, -153, -109, 0, -117, -141, 0, -82, -247, 1, -65, -286, 3, -101, -253, 2, -120,
        -246, -1, -85, -219, -1, -87, -263, -1, -27, -267, 1, -12, -267, 1, -90, -266, 1, -151, -113, 1, -151, -3,
        2, -148, 60, 2, -153, 47, 1, -152, 68, -2, -133, 86, -1, -151, 147, -1, -112, 154, -2, -112, 203, 0, -105,
        191, 1, -128, 217, 3, -106, 161, 2, -119, 176, 2, -79, 214, 2, -65, 256, 2, -23, 316, 1, -26, 321, 0, -36,
        318, 0, -50, 263, 0, -43, 302, -1, -6, 268, -2, 0, 279, -3, -18, 271, 0, -36, 312, 0, -34, 286, 0, -82, 232,
        0, -34, 308, 1, -20, 289, 0, -4, 281, 1, -80, 275, 0, -19, 311, -1, 3, 330, -1, 11, 310, -1, 10, 292, -1,
        -23, 302, 2, -117, 245, 2, -67, 238, 0, -69, 236, 0, -81, 248, -2, -63, 292, -2, -42, 278, -1, -76, 233, 1,
        -111, 251, 3, -104, 235, -1, -73, 238, 0, -96, 258, 0, -71, 283, 1, -74, 230, -1, -82, 213, -1, -120, 247,
        2, -69, 226, -1, -61, 246, -3, 9, 265, -4, -6, 351, 0, 90, 217, 1, 111, 179, 3, 130, 157, 5, 121, 161, 6,
        112, 169, 4, 97, 206, 2, 56, 322, 0, 25, 287, 0, 12, 289, -2, -27, 284, -1, -42, 271, -2, -59, 414, -5, -5,
        314, -5, 67, 277, -5, 78, 230, -2, 107, 167, 2, 116, 196, 6, 119, 195, 6, 117, 184, 8, 112, 192, 7, 133,
        190, 9, 119, 141, 5, 112, 154, 1, 126, 164, -2, 132, 139, -5, 138, 148, -6, 151, 107, -7, 145, 64, -5, 153,
        44, -7, 156, 45, -5, 163, 42, -1, 168, 22, 1, 119, -150, -1, 66, -245, -4, 106, -191, -4, 128, -165, -2,
        131, -210, -1, 99, -191, -3, 101, -212, -1, 95, -193, 1, 100, -183, 2, 157, -99, 2, 156, -52, 2, 151, -57,
        2, 151, -29, 1, 154, -120, 0, 110, -230, 1, 92, -232, 2, 59, -235, 2, 27, -288, 0, 11, -316, -1, 36, -288,
        0, 132, -309, -2, 129, -202, 1, 122, -163, 1, 117, -150, -1, 146, -159, 0, 123, -114, -1, 134, -132, -1,
        129, -189, -1, 91, -228, -1, 38, -683, 0, -20, -304, -2, -39, -257, 0, -39, -304, 0, -32, -273, 1, 67, -266,
        3, 117, -137, 2, 159, -54, 1, 139, -118, -1, 133, -160, 0, 109, -158, 0, 126, -200, 0, 130, -164, -1, 110,
        -152, -1, 125, -148, 0, 57, 241, 0, -80, 212, 0, -80, 236, 0, -128, 108, -2, -126, 113, -1, -128, 138, -1,
        -112, 161, 0, -132, 128, 2, -108, 167, 1, -93, 223, 0, -85, 225, -3, -88, 213, -1, -43, 275, 1, 56, 251, 2,
        14, 297, 2, -67, 259, 0, -110, 195, -1, -115, 153, 0, -73, 234, 0, -98, 184, 1, -121, 181, 1, -104, 176, 3,
        -3, 266, 3, 36, 263, 3, -28, 259, 5, 33, 295, 1, 21, 303, 1, 26, 298, 3, -36, 275, 5, -22, 277, 0, -56, 248,
        -1, -53, 280, -1, -46, 281, -2, -22, 289, -3, 31, 360, -5, 11, 277, -2, -13, 277, -1, 35, 288, 2, 33, 278,
        4, 138, 150, 5, 155, 43, 3, 77, 247, 7, -48, 286, 7, -12, 270, -1, -24, 295, -8, -32, 296, -10, -32, 255,
        -5, -9, 288, 0, 21, 300, 5, 1, 294, 6, 20, 281, 13, 42, 264, 18, -72, 236, 15, -131, 130, 12, -139, 59, 10,
        -128, 97, 10, -145, 41, 6, -149, 39, 4, -140, 87, 9, -146, 81, 11, -160, 25, 5, -134, -65, 4, -150, -75, 8,
        -145, -69, 5, -136, -89, 3, -134, -33, -1, -125, -126, -7, -99, -190, -10, -121, -196, -10, -135, -81, 3,
        -125, 159, 15, -128, 146, 27, -82, 216, 29, 53, 247, 18, 82, 215, 8, 117, 172, 5, 77, 217, 18, 24, 276, 26,
        27, 276, 24, 48, 250, 14, 9, 271, 10, 73, 225, 12, 74, 230, 16, 117, 186, 35, 10, 271, 31, -2, 265, 11, -50,
        256, -9, -99, 211, -26, -8, 276, -23, 91, 204, -16, 70, 229, -10, 139, 106, -10, 145, 49, -10, 155, 45, -7,
        143, 4, -9, 152, 59, -11, 144, 37, -10, 134, -34, -9, 140, 62, -12, 132, 87, -7, 128, 90, -5, 138, 111, -13,
        149, 41, -12, 145, -387, -12,
    ]
}
