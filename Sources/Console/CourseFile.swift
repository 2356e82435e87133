import Formats
import Import

/// A file with a course: FIT, GPX, TCX, KML or GeoJSON, also compressed by gzip.
struct CourseFile {
    let path: String

    /// The name of the file, safe to print.
    var name: String { InputFile(path: path).name }

    /// Reads the course.
    ///
    /// - Returns: The course. Its ``ImportedCourse/skipped`` counts what the file has beside it.
    /// - Throws: ``Failure`` with the file, the place in it and the next step.
    func read() throws(Failure) -> ImportedCourse {
        do {
            var reader = CourseImport()
            return try InputFile(path: path).read({ try reader.feed($0) }, finish: { try reader.finish() })
        } catch {
            throw error as? Failure ?? .failed("cannot read \(name): \(error)")
        }
    }
}
