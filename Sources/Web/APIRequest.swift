package import Domain
package import HTTPServer
package import Tiles

/// A request of the API, by method and path.
///
/// Source: docs/web.md.
package enum APIRequest: Equatable {
    /// Exchange a code for a token.
    case signIn
    /// What the token may do.
    case session
    /// Revoke the own token.
    case signOut
    /// The lines of state.sock.
    case stream
    /// A request of JSON-RPC.
    case call
    case metrics
    /// Whether there is a map behind the routes, and which.
    case map
    case tile(TileFile.Tile)
    /// A picture of a place that is on the board.
    case photo(PhotoName)
    /// What `pacectl` reads.
    case read(ProgramRequest)
    /// What `pacectl` changes.
    case change(ProgramRequest)
    /// Hand a file to `pacectl`.
    case upload(Upload)

    package enum Failure: Error, Equatable {
        case notFound
        /// The methods that the path has.
        case wrongMethod(allowed: String)
        /// A sentence.
        case wrongValue(String)
    }

    package init(_ request: HTTPRequest) throws(Failure) {
        switch (request.path, request.method) {
        case ("/api/token", "POST"): self = .signIn
        case ("/api/token", "GET"): self = .session
        case ("/api/token", "DELETE"): self = .signOut
        case ("/api/token", _): throw .wrongMethod(allowed: "GET, POST, DELETE")
        case ("/api/stream", "POST"), ("/api/stream", "GET"): self = .stream
        case ("/api/stream", _): throw .wrongMethod(allowed: "GET, POST")
        case ("/api", "POST"): self = .call
        case ("/api", _): throw .wrongMethod(allowed: "POST")
        case ("/metrics", "GET"): self = .metrics
        case ("/api/tiles", "GET"): self = .map
        case ("/api/places/photo", "GET"):
            guard let name = request.query["name"].flatMap({ PhotoName($0) }) else {
                throw .wrongValue("name must be the name of a file of type jpg, png or webp")
            }
            self = .photo(name)
        case ("/api/activities", "POST"): self = .upload(try Upload(.activity, request.query))
        case ("/api/courses", "POST"): self = .upload(try Upload(.course, request.query))
        case (let path, let method):
            guard path.hasPrefix("/api/") else { throw .notFound }
            if path.hasPrefix(Self.tiles), method == "GET" {
                self = .tile(try Self.tile(path.dropFirst(Self.tiles.utf8.count)))
                return
            }
            if method == "POST", let change = try ProgramRequest(changing: path, query: request.query) {
                self = .change(change)
                return
            }
            guard let read = try ProgramRequest(path: path, query: request.query) else {
                throw try ProgramRequest(changing: path, query: request.query) == nil
                    ? .notFound : .wrongMethod(allowed: "POST")
            }
            guard method == "GET" else { throw .wrongMethod(allowed: "GET") }
            self = .read(read)
        }
    }

    private static let tiles = "/api/tiles/"

    /// - Parameter text: `zoom/x/y`.
    private static func tile(_ text: Substring) throws(Failure) -> TileFile.Tile {
        let parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let zoom = parts[0], let x = parts[1], let y = parts[2],
            let tile = TileFile.Tile(zoom: zoom, x: x, y: y)
        else { throw .wrongValue("a tile is zoom/x/y, with a zoom from 0 to \(TileFile.Tile.deepest)") }
        return tile
    }

    /// Whether the live page needs it: AllowPlain=live allows it.
    package var isLive: Bool {
        switch self {
        case .signIn, .session, .signOut, .stream, .call, .map, .tile: true
        case .read(let request): request.isLive
        case .metrics, .photo, .upload, .change: false
        }
    }
}

/// A file that a browser hands over.
package struct Upload: Equatable {
    enum Kind: Equatable {
        case activity, course
    }

    /// The largest file, as of `upload.begin`.
    static let sizeLimit = 64 << 20

    var kind: Kind
    /// The name of the file, without directories.
    package internal(set) var name: String
    var sport: Sport?
    /// Import an activity that is there already; load a course.
    var isMarked = false

    init(_ kind: Kind, _ query: [String: String]) throws(APIRequest.Failure) {
        self.kind = kind
        let mark = kind == .activity ? "again" : "load"
        let known = ["file", "sport", mark]
        if let unknown = query.keys.filter({ !known.contains($0) }).min() {
            throw .wrongValue(
                "unknown argument \(SanitizedText(unknown)?.text ?? ""): the arguments are \(known.joined(separator: ", "))"
            )
        }
        let typed = query["file"] ?? ""
        let name = typed.split(separator: "/").last.map(String.init) ?? ""
        guard (1...200).contains(name.utf8.count), !name.hasPrefix("."),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .wrongValue("file must be the name of the file, at most 200 bytes") }
        self.name = name
        if let word = query["sport"], !word.isEmpty {
            guard let sport = Sport(rawValue: word) else {
                throw .wrongValue("sport must be one of \(Sport.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self.sport = sport
        }
        isMarked = query[mark] == "1"
    }

    /// The arguments of `pacectl`.
    package func arguments(file: String) -> [String] {
        switch kind {
        case .activity:
            ["import"] + (sport.map { ["--sport", $0.rawValue] } ?? []) + (isMarked ? ["--again"] : []) + ["--", file]
        case .course: ["course", "import"] + (isMarked ? ["--load"] : []) + ["--", file]
        }
    }
}
