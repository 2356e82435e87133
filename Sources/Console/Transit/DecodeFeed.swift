import Domain
import JSONCoding
import Transit

/// `pacectl transit decode`: prints a GTFS-Realtime feed as JSON lines.
struct DecodeFeed {
    /// In bytes. Bounds the memory.
    private static let sizeLimit = 64 << 20
    private static let chunkSize = 65_536

    static func run(_ path: String) throws(Failure) {
        let file = InputFile(path: path)
        var bytes: [UInt8] = []
        var writer = JSONWriter(capacity: 2 * chunkSize)
        do {
            try file.read(
                { chunk in
                    guard bytes.count + chunk.count <= sizeLimit else {
                        throw Failure.failed("\(file.name) has more than 64 MiB")
                    }
                    for index in chunk.indices { bytes.append(chunk[index]) }
                }, finish: {})
            var feed = try RealtimeFeedLines(bytes)
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
