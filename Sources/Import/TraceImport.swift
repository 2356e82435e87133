import Domain
package import Formats

/// Reads the lines that a KML file draws.
///
/// - Parameter bytes: the whole file.
/// - Throws: ``FileError`` with the place, for a file of another kind, a position that is not on the Earth, and more
///   than the limits of ``KMLTrace``.
package func readTrace(_ bytes: [UInt8]) throws(FileError) -> KMLTrace {
    guard case .xml = try FileKind(Array(bytes.prefix(FileKind.headSize))) else { throw FileError("not a KML file") }
    var reader = try XMLReader { (root) throws(FileError) in
        guard root == "kml" else {
            throw FileError("not a KML file: its first element is <\(SanitizedText(root)?.text ?? "")>")
        }
        return KMLTraceParser()
    }
    var trace = KMLTrace()
    do {
        try reader.feed(bytes.span) { _ in }
        try reader.finish { parser in trace = (parser as? KMLTraceParser)?.trace ?? trace }
    } catch {
        throw error as? FileError ?? FileError("\(error)")
    }
    return trace
}
