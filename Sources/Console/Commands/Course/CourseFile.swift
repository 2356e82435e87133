import Domain
package import Formats
import Import

/// A file with a course: FIT, GPX, TCX, KML or GeoJSON, also compressed by gzip.
package struct CourseFile {
    let path: String
    var tiles = ElevationTiles()

    package init(path: String, tiles: ElevationTiles = ElevationTiles()) {
        self.path = path
        self.tiles = tiles
    }

    /// The name of the file, safe to print.
    var name: String { InputFile(path: path).name }

    /// Reads the course. One without altitudes gets those of the elevation tiles, if they cover all of it.
    ///
    /// - Returns: The course. Its ``ImportedCourse/skipped`` counts what the file has beside it.
    /// - Throws: ``Failure`` with the file, the place in it and the next step.
    package func read() throws(Failure) -> ImportedCourse {
        do {
            var reader = CourseImport()
            var course = try InputFile(path: path).read({ try reader.feed($0) }, finish: { try reader.finish() })
            if course.data.vertices.allSatisfy({ $0.altitude == nil }),
                let altitudes = try tiles.altitudes(of: course.data.vertices)
            {
                for (index, altitude) in altitudes.enumerated() { course.data.vertices[index].altitude = altitude }
            }
            return course
        } catch {
            throw error as? Failure ?? .failed("cannot read \(name): \(error)")
        }
    }
}
