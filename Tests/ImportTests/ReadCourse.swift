import Domain
import Formats
import Foundation
import Import

/// Reads courses from bytes.
enum ReadCourse {
    static func read(_ bytes: [UInt8], pieces: Int = .max) throws -> ImportedCourse {
        var reader = CourseImport()
        let size = min(pieces, max(bytes.count, 1))
        for start in stride(from: 0, to: bytes.count, by: size) {
            try reader.feed(bytes[start..<min(start + size, bytes.count)].span)
        }
        return try reader.finish()
    }

    static func read(_ text: String) throws -> ImportedCourse {
        try read(Array(text.utf8), pieces: 100)
    }

    static func error(_ bytes: [UInt8]) -> String? {
        do {
            _ = try read(bytes)
            return nil
        } catch {
            return (error as? FileError)?.description
        }
    }

    /// Metres from the start at each vertex.
    static func distances(of data: CourseData) -> [Double] {
        var distances = [0.0]
        for (one, next) in zip(data.vertices.map(\.coordinate), data.vertices.dropFirst().map(\.coordinate)) {
            let north = (next.latitude - one.latitude) * Coordinate.metresPerDegree
            var degrees = next.longitude - one.longitude
            if degrees.magnitude > 180 { degrees -= degrees > 0 ? 360 : -360 }
            let east = degrees * Coordinate.metresPerDegree * cos((one.latitude + next.latitude) / 360 * .pi)
            distances.append((distances.last ?? 0) + hypot(east, north))
        }
        return distances
    }

    static func metres(of data: CourseData) -> Double {
        distances(of: data).last ?? 0
    }

    /// What is wrong with a course that was read; nil if it is valid.
    static func fault(of data: CourseData) -> String? {
        guard (2...CourseData.vertexLimit).contains(data.vertices.count) else { return "count" }
        guard data.points.count <= CourseData.pointLimit else { return "points" }
        guard metres(of: data) <= CourseData.lengthLimit * 1.001 else { return "length" }
        for (one, next) in zip(data.vertices, data.vertices.dropFirst()) {
            if one.coordinate == next.coordinate { return "equal vertices" }
            if (one.elapsedMilliseconds == nil) != (next.elapsedMilliseconds == nil) { return "some times" }
            if let before = one.elapsedMilliseconds, before > next.elapsedMilliseconds ?? 0 { return "times" }
        }
        for vertex in data.vertices {
            if vertex.coordinate.latitude.magnitude > 90 || vertex.coordinate.longitude.magnitude > 180 {
                return "position"
            }
        }
        for (one, next) in zip(data.points, data.points.dropFirst()) where one.vertex > next.vertex { return "order" }
        return data.points.allSatisfy { data.vertices.indices.contains($0.vertex) } ? nil : "vertex of a point"
    }

    static func gpx(_ body: String) -> String {
        #"<?xml version="1.0"?><gpx version="1.1" creator="A Planner">"# + body + "</gpx>"
    }

    static func points(_ name: String, _ places: [(Double, Double)]) -> String {
        places.map { "<\(name) lat=\"\($0.0)\" lon=\"\($0.1)\"/>\n" }.joined()
    }
}
