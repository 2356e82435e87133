import Client
import Domain
import Glibc
import HTTPServer
import JSONCoding
import Linux
import SQLite
import Tiles
import Wire

/// Answers the requests of browsers: the pages, and the API for those with a token.
///
/// Source: docs/decisions/page.md.
final class WebServer {
    /// The sockets and directories that it needs.
    struct Places: Equatable {
        var stateSocket: String
        var controlSocket: String
        var networkSocket: String
        var linkSocket: String
        /// A private directory for files that are in use.
        var temporary: String
        /// The directory of pictures of places; nil without a directory of maps.
        var photos: String?
        var program: String
        /// Options of `pacectl`, for all its commands.
        var programOptions: [String]
        /// Options of its commands that use places or the timetable.
        var mapOptions: [String]
        /// Options of its commands that use paced-net.
        var netOptions: [String]

        /// Whether the drop-in lets this process command. While paced does not run, nothing speaks against it.
        var mayCommand: Bool { Glibc.access(controlSocket, W_OK) == 0 || errno != EACCES }
        /// Whether paced-link can be asked. The page does not ask without it: a browser reports each request that fails.
        var hasLink: Bool { Glibc.access(linkSocket, W_OK) == 0 }
    }

    /// `sensor.pair` and `sensor.scan` take up to 60 s.
    private static let callTimeout = Duration.seconds(90)
    /// Bytes.
    private static let photoLimit = 4 << 20

    private let loop: EventLoop
    private let rules: RequestRules
    private var pages: PageFiles
    private let access: AccessService
    private let places: Places
    private let tiles: CurrentTiles?
    /// What was logged last about the map.
    private var tilesFault = ""
    private let log: (LogLevel, String) -> Void
    private let runner: ProgramRunner
    private var streams = SharedPlaces(16)
    private var callPlaces = SharedPlaces(16)
    private var calls: [Int: LineExchange] = [:]
    private var nextCall = 0
    private var requests = 0
    private var refusals = 0
    /// The number of open connections.
    var connectionCount: () -> Int = { 0 }

    init(
        loop: EventLoop, _ rules: RequestRules, _ pages: PageFiles, _ access: AccessService, _ places: Places,
        tiles: CurrentTiles?, log: @escaping (LogLevel, String) -> Void
    ) {
        self.loop = loop
        self.rules = rules
        self.pages = pages
        self.access = access
        self.places = places
        self.tiles = tiles
        self.log = log
        runner = ProgramRunner(places.program, loop: loop, directory: places.temporary)
    }

    /// Decides about a request when its head is there. The client is the ID of its token.
    func decide(_ request: HTTPRequest) -> (verdict: HTTPVerdict, client: Int?) {
        requests += 1
        let token = request.bearerToken.flatMap { access.token($0) }
        let verdict = verdict(on: request, token)
        if case .respond(let response) = verdict, response.status >= 400 { refusals += 1 }
        return (verdict, token?.id)
    }

    private func verdict(on request: HTTPRequest, _ token: AccessToken?) -> HTTPVerdict {
        if let refusal = rules.refusal(of: request) { return .respond(refusal) }
        if request.isPage { return .respond(pages.response(to: request)) }
        let wanted: APIRequest
        do throws(APIRequest.Failure) {
            wanted = try APIRequest(request)
        } catch {
            return .respond(Self.response(to: error))
        }
        let allowance = rules.allowance(of: request)
        if allowance == .no || allowance == .live && !wanted.isLive {
            return .respond(Self.plainRefusal(allowance))
        }
        if case .signIn = wanted {
            return .receive(limit: 1024) { [unowned self] body, reply in reply.send(signIn(body)) }
        }
        guard let token else { return .respond(.unauthorized) }
        return verdict(on: wanted, token, allowance)
    }

    private func verdict(
        on wanted: APIRequest, _ token: AccessToken, _ allowance: WebConfiguration.Plain
    ) -> HTTPVerdict {
        // The token may have been revoked while the body came, which takes up to ten minutes.
        func receive(limit: Int, _ complete: @escaping ([UInt8], HTTPReply) -> Void) -> HTTPVerdict {
            .receive(limit: limit) { [access] body, reply in
                access.isValid(token) ? complete(body, reply) : reply.send(.unauthorized)
            }
        }
        switch wanted {
        case .signIn: return .respond(.unauthorized)
        case .session: return .respond(session(token, allowance))
        case .signOut:
            let failure = access.revoke(token.id).failure
            return .respond(failure.map { .error(500, "failed", $0) } ?? HTTPResponse(204))
        case .stream: return receive(limit: 4096) { [unowned self] in stream($0, token, allowance, $1) }
        case .call:
            return receive(limit: JSONRPC.lineLimit) { [unowned self] in call($0, token, allowance, $1) }
        case .metrics: return receive(limit: 0) { [unowned self] in metrics(token, $1) }
        case .map: return .respond(map())
        case .tile(let tile): return .respond(image(of: tile))
        case .photo(let name): return .respond(photo(name))
        case .read(let request): return receive(limit: 0) { [unowned self] in run(request, token, $1) }
        case .change(let request):
            guard token.scope == .control else { return .respond(Self.needsControl) }
            return receive(limit: request.takesWords ? ProgramRequest.wordsLimit : 0) { [unowned self] in
                change(request, $0, token, $1)
            }
        case .upload(let upload):
            guard token.scope == .control else { return .respond(Self.needsControl) }
            do throws(SystemError) {
                let directory = try UploadDirectory(in: places.temporary, name: upload.name)
                return .store(limit: Upload.sizeLimit, try directory.makeFile()) { [unowned self] reply in
                    store(upload, directory, token, reply)
                }
            } catch {
                return .respond(.error(500, "failed", "the file cannot be stored: \(error)"))
            }
        }
    }

    // MARK: Refusals

    private static var needsControl: HTTPResponse {
        .error(403, "forbidden", "this browser may only watch: sign it in with 'pacectl web code --control'")
    }

    private static func plainRefusal(_ allowance: WebConfiguration.Plain) -> HTTPResponse {
        switch allowance {
        case .live:
            .error(
                403, "plain-http",
                "over plain HTTP only the live page works: use HTTPS, or set AllowPlain=all in paced-web.conf")
        case .no, .all:
            .error(
                403, "plain-http",
                "a token is refused over plain HTTP: set Certificate= in paced-web.conf, or AllowPlain= there")
        }
    }

    private static func response(to failure: APIRequest.Failure) -> HTTPResponse {
        switch failure {
        case .notFound: .error(404, "not-found", "there is no such path; docs/web.md lists them")
        case .wrongMethod(let allowed):
            .error(405, "wrong-method", "the path has the methods \(allowed)", headers: [("Allow", allowed)])
        case .wrongValue(let text): .error(400, "bad-request", text)
        }
    }

    private static func response(to failure: LineExchange.Failure) -> HTTPResponse {
        switch failure {
        case .connecting(let error) where [EACCES, EPERM].contains(error.code):
            .error(
                403, "no-control",
                "paced-web may not command: add SupplementaryGroups=paced-control in a drop-in (man paced-web)")
        case .connecting, .ended: .error(503, "unreachable", "the service does not run: start paced, or paced-net")
        case .timeout: .error(504, "failed", "the service does not respond")
        }
    }

    // MARK: Tokens

    private func signIn(_ body: [UInt8]) -> HTTPResponse {
        guard let json = try? JSON(parsing: body), let code = json["code"]?.string else {
            return .error(400, "bad-request", "the body must be an object with code")
        }
        let name = json["name"]?.string.flatMap { SanitizedText($0) } ?? SanitizedText("browser")
        guard let name else { return .error(400, "bad-request", "name must be a text") }
        do throws(AccessList.Refusal) {
            let made = try access.signIn(code, name: name)
            var result = JSONWriter(capacity: 128)
            result.object { result in
                result.member("token", made.secret.text)
                result.member("scope", made.token.scope.rawValue)
            }
            return .json(result)
        } catch {
            switch error {
            case .wrongCode:
                return .error(
                    401, "unauthorized",
                    "the code is wrong, used or older than two minutes: ask 'pacectl web code' again")
            case .tooManyTokens:
                return .error(
                    503, "full",
                    "too many browsers are signed in: 'pacectl web tokens' lists them, and 'pacectl web revoke' ends some"
                )
            }
        }
    }

    private func session(_ token: AccessToken, _ allowance: WebConfiguration.Plain) -> HTTPResponse {
        var result = JSONWriter(capacity: 128)
        result.object { result in
            result.member("scope", token.scope.rawValue)
            result.member("can_command", places.mayCommand)
            result.member("link", places.hasLink)
            result.member("live_only", allowance == .live)
            result.member("release", Release.version)
        }
        return .json(result)
    }

    // MARK: Streams

    /// Opens a new connection to state.sock for the client. paced treats the client like any subscriber: it drops and
    /// counts lines that a slow client does not read.
    private func stream(
        _ watch: [UInt8], _ token: AccessToken, _ allowance: WebConfiguration.Plain, _ reply: HTTPReply
    ) {
        if allowance == .live, let json = try? JSON(parsing: watch), json["since"] != nil,
            json["this_run"]?.bool != true
        {
            return reply.send(
                .error(
                    403, "plain-http", "over plain HTTP only events of the run in progress are replayed: add this_run"))
        }
        guard streams.take(for: token) else { return reply.send(.busy) }
        reply.ended = { [unowned self] in streams.leave(token) }
        do throws(SystemError) {
            let socket = try UnixSocket.connect(to: places.stateSocket)
            let line = Self.line(watch)
            if !line.isEmpty { _ = socket.send(line[...]) }
            reply.send(
                HTTPResponse(
                    200, headers: [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")],
                    .pipe(descriptor: socket.release())))
        } catch {
            reply.send(Self.response(to: .ended))
        }
    }

    /// A body as one line of a socket. Text with line breaks is one JSON value all the same.
    private static func line(_ body: [UInt8]) -> [UInt8] {
        let text = body.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        return text.allSatisfy { $0 == UInt8(ascii: " ") } ? [] : text + [UInt8(ascii: "\n")]
    }

    // MARK: Calls

    private func call(
        _ body: [UInt8], _ token: AccessToken, _ allowance: WebConfiguration.Plain, _ reply: HTTPReply
    ) {
        let policy: CallPolicy
        do throws(APIRequest.Failure) {
            policy = try CallPolicy(body)
        } catch {
            return reply.send(Self.response(to: error))
        }
        if allowance == .live, !policy.isLive { return reply.send(Self.plainRefusal(.live)) }
        if policy.needsControl {
            guard token.scope == .control else { return reply.send(Self.needsControl) }
            log(.info, "\(policy.isKnown ? policy.method : "an unknown method") by token \(token.id)")
        }
        let path =
            switch policy.socket {
            case .control: places.controlSocket
            case .network: places.networkSocket
            case .link: places.linkSocket
            }
        ask(Self.line(body).dropLast(), at: path, timeout: Self.callTimeout, token, reply) { result in
            switch result {
            case .success(let line): .json(written: line)
            case .failure(let failure): Self.response(to: failure)
            }
        }
    }

    /// Sends a line to a socket, and makes the response from the wanted line of the answer.
    private func ask(
        _ line: ArraySlice<UInt8>, at path: String, timeout: Duration, _ token: AccessToken, _ reply: HTTPReply,
        isWanted: @escaping (ArraySlice<UInt8>) -> Bool = { _ in true },
        _ response: @escaping (Result<[UInt8], LineExchange.Failure>) -> HTTPResponse
    ) {
        guard callPlaces.take(for: token) else { return reply.send(.busy) }
        reply.ended = { [unowned self] in callPlaces.leave(token) }
        let number = nextCall
        nextCall += 1
        do throws(LineExchange.Failure) {
            calls[number] = try LineExchange(
                Array(line), at: path, loop: loop, timeout: timeout, lineLimit: JSONRPC.lineLimit, isWanted: isWanted
            ) { [unowned self] result in
                calls[number] = nil
                reply.send(response(result))
            }
            reply.cancelled = { [unowned self] in calls[number] = nil }
        } catch {
            reply.send(response(.failure(error)))
        }
    }

    private func metrics(_ token: AccessToken, _ reply: HTTPReply) {
        func response(_ state: JSON?, _ link: JSON?) -> HTTPResponse {
            let server = Metrics.Server(
                streams: streams.count, connections: connectionCount(), tokens: access.tokenCount, requests: requests,
                refusals: refusals)
            return HTTPResponse(
                200, headers: [("Content-Type", Metrics.type), ("Cache-Control", "no-store")],
                .bytes(Array(Metrics.text(state, link: link, server).utf8)))
        }
        let isState: (ArraySlice<UInt8>) -> Bool = { $0.starts(with: Array(#"{"class":"STATE""#.utf8)) }
        askLink { [unowned self] link in
            ask([], at: places.stateSocket, timeout: .seconds(5), token, reply, isWanted: isState) { result in
                response((try? result.get()).flatMap { try? JSON(parsing: $0) }, link)
            }
        }
    }

    /// Asks paced-link for its status; nil if it does not run.
    private func askLink(_ completed: @escaping (JSON?) -> Void) {
        let number = nextCall
        nextCall += 1
        do throws(LineExchange.Failure) {
            calls[number] = try LineExchange(
                requestLine("link.status"), at: places.linkSocket, loop: loop, timeout: .seconds(1),
                lineLimit: JSONRPC.lineLimit
            ) { [unowned self] result in
                calls[number] = nil
                completed((try? result.get()).flatMap { try? JSON(parsing: $0) }?["result"])
            }
        } catch {
            completed(nil)
        }
    }

    // MARK: Tiles

    /// The map that is there now; a page that is open goes on with the tiles of another version until it is loaded again.
    private func map() -> HTTPResponse {
        do throws(SQLiteError) {
            if let (file, version) = try tiles?.refreshed() { return .json(file.description(version: version)) }
            tilesFault = ""
        } catch {
            let fault = "\(error)"
            if fault != tilesFault { log(.warning, "there is no map: \(fault)") }
            tilesFault = fault
        }
        var none = JSONWriter(capacity: 32)
        none.object { $0.member("available", false) }
        return .json(none)
    }

    /// 204 for a tile that the file lacks: a map has holes, and the browser reports no error for them.
    private func image(of tile: TileFile.Tile) -> HTTPResponse {
        // The page names the version of the map in the address.
        var headers = [("Cache-Control", "private, max-age=86400")]
        guard let content = tiles?.content(of: tile) else { return HTTPResponse(204, headers: headers) }
        headers.append(("Content-Type", content.type))
        if let encoding = content.encoding { headers.append(("Content-Encoding", encoding)) }
        return HTTPResponse(200, headers: headers, .bytes(content.bytes))
    }

    /// A picture that an extract of places names, if somebody has put it beside them.
    private func photo(_ name: PhotoName) -> HTTPResponse {
        var status = stat()
        guard let path = places.photos.map({ $0 + "/" + name.text }),
            let file = try? FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.photoLimit
        else { return .error(404, "not-found", "there is no such picture of at most 4 MiB") }
        let headers = [("Content-Type", name.type), ("Cache-Control", "private, max-age=86400")]
        return HTTPResponse(200, headers: headers, .file(descriptor: file.release(), size: Int(status.st_size)))
    }

    // MARK: Programs

    private func change(
        _ request: ProgramRequest, _ body: [UInt8], _ token: AccessToken, _ reply: HTTPReply
    ) {
        do throws(APIRequest.Failure) {
            let request = request.takesWords ? try request.adding(body) : request
            log(.info, "a change of \(request.arguments[1]) by token \(token.id)")
            run(request, token, reply)
        } catch {
            reply.send(Self.response(to: error))
        }
    }

    private func run(_ request: ProgramRequest, _ token: AccessToken, _ reply: HTTPReply) {
        let isTransit = request.arguments.contains("transit")
        let usesMaps = isTransit || request.arguments.contains("places")
        let arguments =
            places.programOptions + (usesMaps ? places.mapOptions : []) + (isTransit ? places.netOptions : [])
            + request.arguments
        runner.add(
            ProgramRunner.Job(
                arguments: arguments,
                response: { output, size in
                    var headers = [("Content-Type", request.type), ("Cache-Control", "no-store")]
                    if let file = request.file {
                        headers.append(("Content-Disposition", "attachment; filename=\"\(file)\""))
                    }
                    return HTTPResponse(200, headers: headers, .file(descriptor: output.release(), size: size))
                }, token: token, isValid: { [access] in access.isValid(token) }, reply: reply))
    }

    /// Hands a received file to `pacectl`, under the name that it had.
    private func store(_ upload: Upload, _ directory: UploadDirectory, _ token: AccessToken, _ reply: HTTPReply) {
        runner.add(
            ProgramRunner.Job(
                arguments: places.programOptions + upload.arguments(file: directory.path), timeout: .seconds(600),
                response: { output, size in
                    let text = (try? output.read(atMost: min(size, 4096), at: 0)) ?? []
                    var result = JSONWriter(capacity: 256)
                    result.object { $0.member("message", directory.message(String(decoding: text, as: UTF8.self))) }
                    return .json(result)
                }, token: token, isValid: { [access] in access.isValid(token) }, reply: reply,
                message: directory.message))
    }
}

extension HTTPResponse {
    static var unauthorized: HTTPResponse {
        .error(
            401, "unauthorized", "sign in with a code of 'pacectl web code'",
            headers: [("WWW-Authenticate", "Bearer")])
    }

    /// The share of the token is taken, or there is no place for it.
    static var busy: HTTPResponse {
        .error(503, "busy", "too many requests wait: try again")
    }

    /// JSON that is written already.
    fileprivate static func json(written line: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], .bytes(line + [0x0A]))
    }
}
