package import Domain

// The stored bytes of courses and of partners' curves. A course is identified by the hash of these bytes, so that
// equal courses have equal bytes: the encoder has no choice.
//
//     version (1) · flags: 1 altitudes, 2 times · sport · number of vertices · number of course points
//     vertices: latitude and longitude, 1e-7° · [altitude, cm] · [active time, ms]
//     course points: vertex · type · flags: 1 derived, 2 name · [name]
//
// Numbers are variable-length integers of seven bits a byte, the lowest first. All but the first of a kind are the
// difference to the one before; signed ones are zigzag-coded. 0 is an unknown altitude or time: the others are 1 more.

/// Why stored or received bytes are not a course.
package struct CourseFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension CourseData {
    private static let version: UInt8 = 1
    /// Metres.
    package static let altitudes = -1e5...1e5
    /// Milliseconds: a year.
    package static let times: ClosedRange<Int64> = 0...(366 * 86_400_000)

    /// The types of course points, by the numbers in the stored bytes. Types are added at the end.
    package static let storedKinds: [CoursePointKind] = [
        .generic, .summit, .valley, .water, .food, .danger, .left, .right, .straight, .firstAid, .fourthCategory,
        .thirdCategory, .secondCategory, .firstCategory, .horsCategory, .sprint, .leftFork, .rightFork, .middleFork,
        .slightLeft, .sharpLeft, .slightRight, .sharpRight, .uTurn, .segmentStart, .segmentEnd, .campsite, .aidStation,
        .restArea, .distanceMarker, .service, .energyGel, .sportsDrink, .mileMarker, .checkpoint, .shelter,
        .meetingSpot, .overlook, .toilet, .shower, .gear, .sharpCurve, .steepIncline, .tunnel, .bridge, .obstacle,
        .crossing, .store, .transition, .navaid, .transport, .alert, .info,
    ]

    /// The bytes of the course. Coordinates are rounded to 1e-7°, altitudes to 1 cm.
    ///
    /// - Throws: ``CourseFailure`` with the place of a value that no course may have.
    package func encoded() throws(CourseFailure) -> [UInt8] {
        try check()
        let hasAltitudes = vertices.contains { $0.altitude != nil }
        let hasTimes = vertices.contains { $0.elapsedMilliseconds != nil }
        var writer = ByteWriter(capacity: vertices.count * 8 + points.count * 24 + 16)
        writer.bytes.append(Self.version)
        writer.bytes.append((hasAltitudes ? 1 : 0) | (hasTimes ? 2 : 0))
        writer.text(sport?.token ?? "")
        writer.number(UInt64(vertices.count))
        writer.number(UInt64(points.count))
        var before: (latitude: Int64, longitude: Int64, altitude: Int64, time: Int64) = (0, 0, 0, 0)
        for vertex in vertices {
            let latitude = Int64((vertex.coordinate.latitude * 1e7).rounded())
            let longitude = Int64((vertex.coordinate.longitude * 1e7).rounded())
            writer.signed(latitude - before.latitude)
            writer.signed(longitude - before.longitude)
            (before.latitude, before.longitude) = (latitude, longitude)
            if hasAltitudes {
                writer.optional(vertex.altitude.map { Int64(($0 * 100).rounded()) }, after: &before.altitude)
            }
            if hasTimes { writer.optional(vertex.elapsedMilliseconds, after: &before.time) }
        }
        var vertex = 0
        for point in points {
            writer.number(UInt64(point.vertex - vertex))
            vertex = point.vertex
            writer.number(UInt64(Self.storedKinds.firstIndex(of: point.kind) ?? 0))
            writer.bytes.append((point.isDerived ? 1 : 0) | (point.name == nil ? 0 : 2))
            if let name = point.name { writer.text(name.text) }
        }
        return writer.bytes
    }

    /// Reads ``encoded()``.
    package init(decoding bytes: [UInt8]) throws(CourseFailure) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.version else { throw CourseFailure("the bytes have an unknown version") }
        let flags = try reader.byte()
        guard flags < 4 else { throw CourseFailure("the bytes have unknown flags") }
        let word = try reader.text(atMost: 32)
        self.init(sport: word.isEmpty ? nil : Sport(token: word) ?? .other)
        let count = Int(try reader.number(in: 2...Int64(Self.vertexLimit)))
        let pointCount = Int(try reader.number(in: 0...Int64(Self.pointLimit)))
        // A vertex has two bytes at least.
        guard reader.rest >= 2 * count + 3 * pointCount else { throw CourseFailure.cut }
        vertices.reserveCapacity(count)
        var before: (latitude: Int64, longitude: Int64, altitude: Int64, time: Int64) = (0, 0, 0, 0)
        for _ in 0..<count {
            before.latitude = try reader.signed(after: before.latitude, in: -900_000_000...900_000_000)
            before.longitude = try reader.signed(after: before.longitude, in: -1_800_000_000...1_800_000_000)
            var vertex = CourseVertex(
                Coordinate(latitude: Double(before.latitude) * 1e-7, longitude: Double(before.longitude) * 1e-7))
            if flags & 1 != 0, let altitude = try reader.optional(after: &before.altitude, in: -10_000_000...10_000_000)
            {
                vertex.altitude = Double(altitude) / 100
            }
            if flags & 2 != 0 { vertex.elapsedMilliseconds = try reader.optional(after: &before.time, in: Self.times) }
            vertices.append(vertex)
        }
        var vertex: Int64 = 0
        for _ in 0..<pointCount {
            vertex += try reader.number(in: 0...Int64(count))
            guard vertex < count else { throw CourseFailure("a course point has no vertex") }
            let kind = Int(try reader.number(in: 0...Int64(Int32.max)))
            let flags = try reader.byte()
            guard flags < 4 else { throw CourseFailure("a course point has unknown flags") }
            let name = flags & 2 != 0 ? SanitizedText(try reader.text(atMost: 4 * SanitizedText.scalarLimit)) : nil
            points.append(
                CoursePoint(
                    vertex: Int(vertex), kind < Self.storedKinds.count ? Self.storedKinds[kind] : .generic, name: name,
                    isDerived: flags & 1 != 0))
        }
        guard reader.rest == 0 else { throw CourseFailure("bytes follow the course") }
        try check()
    }

    /// Checks the limits of a course but its length.
    private func check() throws(CourseFailure) {
        guard vertices.count >= 2 else { throw CourseFailure("a course has at least 2 vertices") }
        guard vertices.count <= Self.vertexLimit else {
            throw CourseFailure("a course has at most \(Self.vertexLimit) vertices")
        }
        guard points.count <= Self.pointLimit else {
            throw CourseFailure("a course has at most \(Self.pointLimit) course points")
        }
        var time: Int64 = 0
        for (index, vertex) in vertices.enumerated() {
            guard (-90...90).contains(vertex.coordinate.latitude), (-180...180).contains(vertex.coordinate.longitude)
            else { throw CourseFailure("vertex \(index + 1): the position is not on the Earth") }
            if let altitude = vertex.altitude, !Self.altitudes.contains(altitude) {
                throw CourseFailure("vertex \(index + 1): the altitude is not plausible")
            }
            guard let elapsed = vertex.elapsedMilliseconds else { continue }
            guard Self.times.contains(elapsed), elapsed >= time else {
                throw CourseFailure("vertex \(index + 1): the time is before that of the vertex before")
            }
            time = elapsed
        }
        var vertex = 0
        for (index, point) in points.enumerated() {
            guard (vertex..<vertices.count).contains(point.vertex) else {
                throw CourseFailure("course point \(index + 1): its vertex does not exist, or is before the one before")
            }
            vertex = point.vertex
        }
    }
}

extension PartnerCurve {
    private static let version: UInt8 = 1

    /// The bytes of a curve. Distances are rounded to 1 mm.
    package static func encoded(
        course: CourseHash?, _ points: [(elapsedMilliseconds: Int64, metres: Double)]
    ) throws(CourseFailure) -> [UInt8] {
        guard (2...limit).contains(points.count) else { throw CourseFailure("a curve has 2 to \(limit) points") }
        var writer = ByteWriter(capacity: points.count * 4 + 48)
        writer.bytes.append(version)
        writer.text(course?.description ?? "")
        writer.number(UInt64(points.count))
        var before: (elapsed: Int64, millimetres: Int64) = (0, 0)
        for (index, point) in points.enumerated() {
            let millimetres = Int64((max(min(point.metres, 1e9), 0) * 1000).rounded())
            guard point.elapsedMilliseconds > before.elapsed || index == 0 && point.elapsedMilliseconds == 0,
                point.elapsedMilliseconds <= Int64(Int32.max), millimetres >= before.millimetres
            else { throw CourseFailure("point \(index + 1) of the curve is not after the one before") }
            writer.number(UInt64(point.elapsedMilliseconds - before.elapsed))
            writer.number(UInt64(millimetres - before.millimetres))
            before = (point.elapsedMilliseconds, millimetres)
        }
        return writer.bytes
    }

    /// Reads the bytes of a curve.
    package convenience init(decoding bytes: [UInt8]) throws(CourseFailure) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.version else { throw CourseFailure("the bytes have an unknown version") }
        let word = try reader.text(atMost: 32)
        let course = CourseHash(word)
        guard course != nil || word.isEmpty else { throw CourseFailure("the bytes name no course") }
        let count = Int(try reader.number(in: 2...Int64(Self.limit)))
        guard reader.rest >= 2 * count else { throw CourseFailure.cut }
        var (elapsed, millimetres): (Int64, Int64) = (0, 0)
        var times: [Int32] = []
        var metres: [Float] = []
        times.reserveCapacity(count)
        metres.reserveCapacity(count)
        for index in 0..<count {
            elapsed += try reader.number(in: (index == 0 ? 0 : 1)...Int64(Int32.max))
            millimetres += try reader.number(in: 0...1_000_000_000_000)
            guard elapsed <= Int64(Int32.max), millimetres <= 1_000_000_000_000 else {
                throw CourseFailure("a point of the curve is out of range")
            }
            times.append(Int32(elapsed))
            metres.append(Float(Double(millimetres) / 1000))
        }
        guard reader.rest == 0 else { throw CourseFailure("bytes follow the curve") }
        guard times[0] == 0, metres[0] == 0 else { throw CourseFailure("the curve does not begin at 0") }
        self.init(hash: CourseHash(of: bytes), course: course, elapsedMilliseconds: times, metres: metres)
    }
}

extension CourseFailure {
    fileprivate static let cut = CourseFailure("the bytes are cut")
}

private struct ByteWriter {
    var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func number(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func signed(_ value: Int64) {
        number(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func optional(_ value: Int64?, after before: inout Int64) {
        guard let value else { return bytes.append(0) }
        let difference = value - before
        before = value
        number(UInt64(bitPattern: difference << 1 ^ difference >> 63) + 1)
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes += text.utf8
    }
}

private struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var rest: Int { bytes.count - place }

    mutating func byte() throws(CourseFailure) -> UInt8 {
        guard place < bytes.count else { throw CourseFailure.cut }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws(CourseFailure) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 56, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw CourseFailure("a number is too long")
    }

    mutating func number(in range: ClosedRange<Int64>) throws(CourseFailure) -> Int64 {
        let value = Int64(try number())
        guard range.contains(value) else { throw CourseFailure("a number is out of range") }
        return value
    }

    mutating func signed(after before: Int64, in range: ClosedRange<Int64>) throws(CourseFailure) -> Int64 {
        let value = before + Self.zigzag(try number())
        guard range.contains(value) else { throw CourseFailure("a number is out of range") }
        return value
    }

    mutating func optional(after before: inout Int64, in range: ClosedRange<Int64>) throws(CourseFailure) -> Int64? {
        let coded = try number()
        if coded == 0 { return nil }
        before += Self.zigzag(coded - 1)
        guard range.contains(before) else { throw CourseFailure("a number is out of range") }
        return before
    }

    mutating func text(atMost limit: Int) throws(CourseFailure) -> String {
        let count = Int(try number(in: 0...Int64(limit)))
        guard count <= rest else { throw CourseFailure.cut }
        defer { place += count }
        return String(decoding: bytes[place..<place + count], as: UTF8.self)
    }

    private static func zigzag(_ value: UInt64) -> Int64 {
        Int64(value >> 1) ^ -Int64(value & 1)
    }
}
