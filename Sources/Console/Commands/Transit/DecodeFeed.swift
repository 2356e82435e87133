import Domain
import JSONCoding
import Transit

/// `pacectl transit decode`: prints a GTFS-Realtime feed as JSON lines.
enum DecodeFeed {
    /// In bytes. Bounds the memory.
    private static let sizeLimit = 64 << 20
    private static let chunkSize = 65_536

    static func run(_ path: String) throws(Failure) {
        let file = InputFile(path: path)
        var writer = JSONWriter(capacity: 2 * chunkSize)
        do {
            var feed = try RealtimeFeedLines(try file.bytes(limit: sizeLimit))
            while try feed.write(into: &writer) {
                guard writer.bytes.count >= chunkSize else { continue }
                try writeOut(writer.bytes)
                writer.clear()
            }
        } catch let error as ParseError {
            // The entities before the wrong byte are right.
            try writeOut(writer.bytes)
            throw .failed("\(file.name) is no GTFS-Realtime feed, or a cut one: \(error)")
        } catch {
            throw error as? Failure ?? .failed("\(error)")
        }
        try writeOut(writer.bytes)
    }
}
