package import Domain
import JSONCoding
package import Linux

/// A response on disk.
package struct CachedResponse: Equatable, Sendable {
    package var url: String
    /// When the host sent it, or confirmed that it has not changed.
    package var fetchedAt: UTC
    /// Until when the host calls it fresh.
    package var expires: UTC?
    package var etag: String?
    package var lastModified: String?
    package var body: [UInt8]

    package init(
        url: String, fetchedAt: UTC, expires: UTC? = nil, etag: String? = nil, lastModified: String? = nil,
        body: [UInt8]
    ) {
        self.url = url
        self.fetchedAt = fetchedAt
        self.expires = expires
        self.etag = etag
        self.lastModified = lastModified
        self.body = body
    }
}

/// The responses of hosts in a directory, one file each: a line with JSON, then the body.
///
/// Each call blocks on the disk.
package struct ResponseCache: Sendable {
    /// The most files. The oldest is removed for a new one.
    package static let fileLimit = 32
    /// The most bytes of a file.
    package static let sizeLimit = 2 * 1024 * 1024
    private static let suffix = ".response"

    private let directory: String

    /// - Parameter directory: a private directory (``Directory/init(private:anyOwner:)``).
    package init(in directory: String) {
        self.directory = directory
    }

    /// Nil if there is none, or its file cannot be used.
    package func response(to url: String) -> CachedResponse? {
        guard let bytes = try? file(for: url).read(limit: Self.sizeLimit),
            let response = CachedResponse(stored: bytes), response.url == url
        else { return nil }
        return response
    }

    package func store(_ response: CachedResponse) throws(DirectoryError) {
        let bytes = response.stored
        guard bytes.count <= Self.sizeLimit else { return }
        let file = file(for: response.url)
        try removeOldest(keeping: file)
        try file.replace(with: bytes)
    }

    private func file(for url: String) -> AtomicFile {
        AtomicFile(in: directory, name: Self.hash(url) + Self.suffix, mode: 0o600)
    }

    private func removeOldest(keeping file: AtomicFile) throws(DirectoryError) {
        let directory = try Directory(private: directory)
        let others = ((try? names(in: directory.path)) ?? []).filter {
            $0.hasSuffix(Self.suffix) && directory.path(of: $0) != file.path
        }
        let excess = others.count - (Self.fileLimit - 1)
        guard excess > 0 else { return }
        let dated = others.map { name in
            let bytes = try? AtomicFile(in: directory.path, name: name, mode: 0o600).read(limit: Self.sizeLimit)
            return (name: name, fetchedAt: bytes.flatMap { CachedResponse(stored: $0) }?.fetchedAt)
        }
        let oldest = dated.sorted { ($0.fetchedAt?.milliseconds ?? 0) < ($1.fetchedAt?.milliseconds ?? 0) }
        for (name, _) in oldest.prefix(excess) { directory.remove(name) }
    }

    /// FNV-1a, 64 bits. The file has the whole address.
    ///
    /// Source: Fowler, Noll, Vo: http://www.isthe.com/chongo/tech/comp/fnv.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

extension CachedResponse {
    var stored: [UInt8] {
        var writer = JSONWriter(capacity: body.count + 512)
        writer.object { line in
            line.member("url", url)
            line.member("fetched_ms", fetchedAt.milliseconds)
            line.member("expires_ms", expires?.milliseconds)
            line.member("etag", etag)
            line.member("last_modified", lastModified)
        }
        writer.newline()
        return writer.bytes + body
    }

    init?(stored bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let json = try? JSON(parsing: bytes[..<end]),
            let url = json["url"]?.string, let fetchedAt = Self.time(json["fetched_ms"])
        else { return nil }
        self.init(
            url: url, fetchedAt: fetchedAt, expires: Self.time(json["expires_ms"]), etag: json["etag"]?.string,
            lastModified: json["last_modified"]?.string, body: Array(bytes[(end + 1)...]))
    }

    /// A time of 1970 to 9999.
    private static func time(_ json: JSON?) -> UTC? {
        guard let milliseconds = json?.integer, (0...253_402_300_799_999).contains(milliseconds) else { return nil }
        return UTC(milliseconds: Int64(milliseconds))
    }
}
