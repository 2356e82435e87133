package import Domain

/// A course that was read from a file.
package struct ImportedCourse: Equatable, Sendable {
    /// The name in the file, if it has one.
    package var name: SanitizedText?
    /// Its uuid, if paced wrote the file.
    package var uuid: UUID?
    /// A valid course: 2 to ``CourseData/vertexLimit`` vertices, each on the Earth and other than the one before, at most
    /// ``CourseData/pointLimit`` points, whose vertices do not fall, and at most ``CourseData/lengthLimit`` metres.
    package var data: CourseData
    /// The elements of the file that are not in the course.
    package var skipped: SkippedElements

    package init(name: SanitizedText?, data: CourseData, skipped: SkippedElements) {
        self.name = name
        self.data = data
        self.skipped = skipped
    }
}
