import CCurl
import Domain
import Glibc
package import Linux

/// Sends requests without waiting: libcurl's transfers on the event loop. It follows no redirection and has no
/// cookies. Names are resolved on a thread of libcurl's.
///
/// Source: libcurl-multi(3), "multi_socket".
@safe
package final class HTTPClient {
    package typealias Completion = (Result<HTTPResponse, HTTPError>) -> Void

    private static let connectTimeout = Duration.seconds(10)

    private let loop: EventLoop
    private let userAgent: String
    private let authorities: String?
    private let multi: UnsafeMutableRawPointer
    private var timer: TimerSource?
    private var sockets: [Int32: DescriptorSource] = [:]
    /// By the address of libcurl's handle.
    private var transfers: [UInt: Transfer] = [:]

    /// - Parameters:
    ///   - userAgent: the value of the header User-Agent.
    ///   - authorities: a file of certificates of authorities in PEM format, in place of the system's.
    package init(loop: EventLoop, userAgent: String, authorities: String? = nil) throws(SystemError) {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = unsafe ccurl_multi()
        else {
            throw SystemError("curl_multi_init", code: ENOMEM)
        }
        self.loop = loop
        self.userAgent = userAgent
        self.authorities = authorities
        unsafe self.multi = multi
        timer = try loop.timer { [unowned self] in act(on: CURL_SOCKET_BAD, 0) }
        unsafe ccurl_set_callbacks(
            multi, { _, socket, what, context, _ in unsafe HTTPClient.from(context!).watch(socket, what) },
            { _, milliseconds, context in unsafe HTTPClient.from(context!).arm(milliseconds) },
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        for transfer in transfers.values { unsafe transfer.remove(from: multi) }
        unsafe curl_multi_cleanup(multi)
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTPClient {
        unsafe Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue()
    }

    /// Sends a request. `completed` is called later, in the loop, exactly once.
    package func send(_ request: OutgoingRequest, completed: @escaping Completion) {
        let transfer = Transfer(request, completed)
        let handle = unsafe request.url.withCString { url in
            unsafe userAgent.withCString { agent in
                unsafe Self.withCString(authorities) { authorities in
                    var options = unsafe ccurl_request()
                    unsafe options.url = url
                    unsafe options.user_agent = agent
                    unsafe options.authorities = authorities
                    unsafe options.headers = transfer.headerList
                    unsafe options.timeout_ms = Int(request.timeout.wholeMilliseconds)
                    unsafe options.connect_timeout_ms = Int(
                        min(request.timeout, Self.connectTimeout).wholeMilliseconds)
                    unsafe options.header = { unsafe Transfer.from($3!).receive(header: $0!, $1 * $2) }
                    unsafe options.body = { unsafe Transfer.from($3!).receive(body: $0!, $1 * $2) }
                    unsafe options.context = Unmanaged.passUnretained(transfer).toOpaque()
                    guard case .bytes(let body) = request.content else { return unsafe ccurl_transfer(&options) }
                    return unsafe body.withUnsafeBytes { bytes in
                        // An empty array may have no address, but a request without one is a GET request.
                        unsafe options.post = bytes.baseAddress ?? UnsafeRawPointer(url)
                        unsafe options.post_size = bytes.count
                        return unsafe ccurl_transfer(&options)
                    }
                }
            }
        }
        guard let handle = unsafe handle else { return completed(.failure(.other("no memory"))) }
        unsafe transfer.handle = handle
        guard transfer.add(request) else {
            unsafe curl_easy_cleanup(handle)
            return completed(.failure(.other("cannot read the file that is to be sent")))
        }
        transfers[UInt(bitPattern: handle)] = transfer
        // It only arms the timer: nothing is called back.
        unsafe curl_multi_add_handle(multi, handle)
    }

    private static func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }

    // MARK: libcurl's callbacks

    private func watch(_ socket: Int32, _ what: Int32) -> Int32 {
        let readiness: Readiness
        switch what {
        case CURL_POLL_REMOVE:
            sockets[socket] = nil
            return 0
        case CURL_POLL_IN: readiness = .reading
        case CURL_POLL_OUT: readiness = .writing
        case CURL_POLL_INOUT: readiness = [.reading, .writing]
        default: readiness = []
        }
        if let source = sockets[socket] {
            source.watch(for: readiness)
        } else {
            sockets[socket] = try? loop.watch(number: socket, for: readiness) { [unowned self] ready in
                var events: Int32 = 0
                if ready.contains(.reading) { events |= CURL_CSELECT_IN }
                if ready.contains(.writing) { events |= CURL_CSELECT_OUT }
                if ready.contains(.failed) || ready.contains(.hungUp) { events |= CURL_CSELECT_ERR }
                act(on: socket, events)
            }
        }
        return sockets[socket] == nil ? -1 : 0
    }

    private func arm(_ milliseconds: Int) -> Int32 {
        timer?.arm(at: milliseconds < 0 ? nil : Clock.now() + .milliseconds(milliseconds))
        return 0
    }

    private func act(on socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, events, &running)
        var result = CURLE_OK
        while let handle = unsafe ccurl_ended(multi, &result) {
            guard let transfer = transfers.removeValue(forKey: UInt(bitPattern: handle)) else { continue }
            let outcome = transfer.outcome(result)
            unsafe transfer.remove(from: multi)
            // It may send the next request.
            transfer.completed(outcome)
        }
    }
}

/// A request whose response arrives.
@safe
private final class Transfer {
    let completed: HTTPClient.Completion
    /// libcurl's handle.
    var handle: UnsafeMutableRawPointer?
    private(set) var headerList: UnsafeMutablePointer<curl_slist>?

    private var form: OpaquePointer?
    private var file: UnsafeMutablePointer<FILE>?
    private let bodyLimit: Int
    private let isUnique: Bool
    private var headers: [String: String] = [:]
    private var headerSize = 0
    private var body: [UInt8] = []
    private var isTooLong = false

    /// The most bytes of all header lines.
    private static let headerLimit = 32 * 1024

    init(_ request: OutgoingRequest, _ completed: @escaping HTTPClient.Completion) {
        self.completed = completed
        bodyLimit = request.bodyLimit
        isUnique = request.isUnique
        for line in request.headers { unsafe headerList = curl_slist_append(headerList, line) }
    }

    deinit {
        unsafe curl_slist_free_all(headerList)
        unsafe curl_mime_free(form)
        if let file = unsafe file { unsafe fclose(file) }
    }

    /// Adds what the request sends, but for bytes.
    ///
    /// - Returns: false if it has a file that cannot be read.
    func add(_ request: OutgoingRequest) -> Bool {
        if let method = request.method { unsafe ccurl_set_method(handle, method) }
        if request.isUnique { unsafe ccurl_set_fresh(handle) }
        switch request.content {
        case nil, .bytes: return true
        case .file(let path):
            var status = stat()
            guard let opened = unsafe fopen(path, "re"), unsafe fstat(fileno(opened), &status) == 0 else {
                return false
            }
            unsafe file = opened
            unsafe ccurl_set_file(handle, opened, Int64(status.st_size))
            return true
        case .form(let parts):
            unsafe form = curl_mime_init(handle)
            var isComplete = true
            for part in parts {
                let added = unsafe curl_mime_addpart(form)
                switch part {
                case .text(let name, let value):
                    unsafe curl_mime_name(added, name)
                    unsafe curl_mime_data(added, value, value.utf8.count)
                case .file(let name, let path, let fileName, let type):
                    unsafe curl_mime_name(added, name)
                    isComplete = unsafe curl_mime_filedata(added, path) == CURLE_OK && isComplete
                    unsafe curl_mime_filename(added, fileName)
                    unsafe curl_mime_type(added, type)
                }
            }
            unsafe ccurl_set_form(handle, form)
            return isComplete
        }
    }

    /// Ends the transfer, and releases its handle.
    func remove(from multi: UnsafeMutableRawPointer) {
        unsafe curl_multi_remove_handle(multi, handle)
        unsafe curl_easy_cleanup(handle)
    }

    static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
        unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// - Returns: how many bytes were accepted; another number than `count` ends the transfer.
    func receive(header bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        headerSize += count
        guard headerSize <= Self.headerLimit else {
            isTooLong = true
            return 0
        }
        let line = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // An interim response was before it, such as 103.
            headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            headers[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        }
        return count
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(
            start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
    }

    func receive(body bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
        guard body.count + count <= bodyLimit else {
            isTooLong = true
            return 0
        }
        unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    func outcome(_ result: CURLcode) -> Result<HTTPResponse, HTTPError> {
        let outcome = response(result)
        guard isUnique, case .failure(let error) = outcome, unsafe ccurl_sent(handle) == 0 else { return outcome }
        return .failure(.unsent(error))
    }

    private func response(_ result: CURLcode) -> Result<HTTPResponse, HTTPError> {
        if isTooLong { return .failure(.tooLong) }
        switch result {
        case CURLE_OK:
            return .success(
                HTTPResponse(
                    status: unsafe ccurl_status(handle), headers: headers, body: body,
                    redirection: unsafe ccurl_redirection(handle).map { unsafe String(cString: $0) }))
        case CURLE_COULDNT_RESOLVE_HOST: return .failure(.unresolved)
        case CURLE_COULDNT_CONNECT: return .failure(.unreachable)
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
        case CURLE_PEER_FAILED_VERIFICATION:
            return .failure(unsafe ccurl_is_not_yet_valid(handle) != 0 ? .certificateNotYetValid : .certificate)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR: return .failure(.incomplete)
        default: return .failure(.other(unsafe String(cString: curl_easy_strerror(result))))
        }
    }
}
