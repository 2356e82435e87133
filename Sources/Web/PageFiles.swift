import Domain
import Glibc
import Gzip
import HTTPServer
import Linux

/// The pages and their parts: the files of a directory and of its directories, by their paths at the start.
struct PageFiles {
    private let directory: String
    /// The type of each file, by its path in addresses.
    private let types: [String: String]
    /// The packed files, by their paths, each with the tag of its content.
    private var packed: [String: (tag: String, bytes: [UInt8])] = [:]

    private static let fileLimit = 500
    /// The largest file that is packed.
    private static let packedLimit = 256 * 1024

    /// - Throws: if the directory or its first page is missing.
    init(in directory: String) throws(SystemError) {
        self.directory = directory
        var types: [String: String] = [:]
        for name in try names(in: directory) {
            if let type = Self.type(of: name) {
                types["/" + name] = type
            } else if let inner = try? names(in: directory + "/" + name) {
                for file in inner { types["/\(name)/\(file)"] = Self.type(of: file) }
            }
        }
        types["/"] = types["/index.html"]
        guard types["/"] != nil, types.count <= Self.fileLimit else { throw SystemError("open", code: ENOENT) }
        self.types = types
    }

    private static func type(of name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return switch name[dot...] {
        case ".html": "text/html; charset=utf-8"
        case ".js": "text/javascript; charset=utf-8"
        case ".css": "text/css; charset=utf-8"
        case ".json": "application/json"
        case ".svg": "image/svg+xml"
        case ".png": "image/png"
        case ".webmanifest": "application/manifest+json"
        case ".txt": "text/plain; charset=utf-8"
        default: nil
        }
    }

    /// The file of a request, packed if the browser unpacks it; 304 if the browser has it.
    mutating func response(to request: HTTPRequest) -> HTTPResponse {
        guard let type = types[request.path] else {
            return .error(404, "not-found", "there is no such page")
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return .error(405, "wrong-method", "a page is only read", headers: [("Allow", "GET, HEAD")])
        }
        let path = directory + (request.path == "/" ? "/index.html" : request.path)
        var status = stat()
        guard let file = try? FileDescriptor.open(path, O_RDONLY), fstat(file.number, &status) == 0 else {
            return .error(404, "not-found", "the page cannot be read: install paced-web again")
        }
        let tag = "\"\(status.st_mtim.tv_sec)-\(status.st_mtim.tv_nsec)-\(status.st_size)\""
        // The browser asks each time: after an update no old part is used with a new one.
        let headers = [
            ("Content-Type", type), ("Cache-Control", "no-cache"), ("ETag", tag), ("Vary", "Accept-Encoding"),
        ]
        if request.headers["If-None-Match"] == tag { return HTTPResponse(304, headers: headers) }
        if request.acceptsGzip, type != "image/png", let bytes = packed(path, file, tag) {
            return HTTPResponse(200, headers: headers + [("Content-Encoding", "gzip")], .bytes(bytes))
        }
        return HTTPResponse(200, headers: headers, .file(descriptor: file.release(), size: Int(status.st_size)))
    }

    /// The packed content of a file. It is packed once, and again when the file has changed.
    private mutating func packed(_ path: String, _ file: borrowing FileDescriptor, _ tag: String) -> [UInt8]? {
        if let known = packed[path], known.tag == tag { return known.bytes }
        guard let content = try? file.read(atMost: Self.packedLimit + 1, at: 0), content.count <= Self.packedLimit,
            let bytes = Gzip.pack(content)
        else { return nil }
        packed[path] = (tag, bytes)
        return bytes
    }
}

extension HTTPRequest {
    /// Whether the header Accept-Encoding names gzip without forbidding it.
    fileprivate var acceptsGzip: Bool {
        (headers["Accept-Encoding"] ?? "").split(separator: "," as Character).contains { coding in
            let parts = coding.split(whereSeparator: { $0 == ";" || $0 == " " })
            return parts.first == "gzip" && !parts.contains("q=0")
        }
    }
}

extension PageFiles {
    /// The headers of all responses: no part of a page runs or shows anything of another site.
    static let headers = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
        manifest-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'self'
        """
}
