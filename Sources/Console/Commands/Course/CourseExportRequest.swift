import Domain
import Formats
import Glibc
import Linux
import Storage

/// The format of an exported course, and where to write it.
package struct CourseExportRequest: Equatable {
    var format: CourseFormat
    /// Nil for standard output.
    var output: String?
    var isForced: Bool
    /// Leaves out what names this board and the course.
    var isAnonymous: Bool

    /// - Throws: ``Failure`` with status 2 without a format.
    init(_ arguments: Arguments) throws(Failure) {
        output = arguments.file
        isForced = arguments.has(Options.force)
        isAnonymous = arguments.has(Options.anonymous)
        let suffix = output?.split(separator: ".").last.map { $0.lowercased() }
        guard let format = arguments[Options.courseFormat] ?? suffix.flatMap(CourseFormat.init) else {
            let formats = CourseFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("course export needs --format (\(formats)), or a file whose name ends in one of these")
        }
        self.format = format
    }
}

extension Invocation {
    /// Writes a course to a file or to standard output.
    ///
    /// - Returns: the text to print.
    func export(_ reference: CourseReference, _ request: CourseExportRequest) throws(Failure) -> String {
        if request.output == nil, request.format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw .usage("a FIT file is binary and not written to a terminal: name a file with -o")
        }
        let state = StateDirectory(stateDirectory)
        let (summary, data) = try courseData(reference, in: state)
        let now = Clock.systemTime()
        let origin = ExportMetadata.ofThisDevice(
            in: state.path, started: now, written: now >= Release.date ? now : nil)
        let bytes =
            request.isAnonymous
            ? request.format.bytes(data, name: summary.name, origin: origin.anonymous)
            : request.format.bytes(data, name: summary.name, uuid: summary.uuid, origin: origin)
        guard let path = request.output else {
            try writeOut(bytes)
            return ""
        }
        do {
            try OutputFile(path, replaces: request.isForced).write { write in try write(bytes.span) }
        } catch {
            throw error as? Failure ?? .failed("cannot write \(SanitizedText.line(path, limit: 256) ?? ""): \(error)")
        }
        return ""
    }
}
