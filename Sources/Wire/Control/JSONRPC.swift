import Domain
package import JSONCoding

/// JSON-RPC 2.0 with one message per line: receives requests, notifications and batches, and writes responses.
///
/// The caller defines the methods. Each line gets at most one line in response.
///
/// Source: JSON-RPC 2.0 Specification, https://www.jsonrpc.org/specification.
package enum JSONRPC {
    /// The maximum length of a line in either direction in bytes, without its newline.
    package static let lineLimit = 64 * 1024

    /// The outcome of a call.
    package enum Completion: Equatable, Sendable {
        /// The result, one value, is written.
        case written
        /// The result is deferred.
        case later(PendingResponse.Token)
    }

    /// Executes one method.
    package typealias Call = (_ method: String, _ parameters: JSON?, _ result: inout JSONWriter) throws(RPCError)
        -> Completion

    /// The most bytes of a response without its id and its result, and so of an error.
    private static let errorSize = 1024

    /// Handles one line. Nothing is written for notifications.
    ///
    /// - Returns: The response if a part of it is deferred; nothing of it is written then. Otherwise nil.
    @discardableResult
    package static func respond(
        _ line: some Sequence<UInt8>, into output: inout JSONWriter, call: Call
    ) -> PendingResponse? {
        let json: JSON
        do throws(ParseError) {
            json = try JSON(parsing: line)
        } catch {
            writeError(.parseError(error), into: &output)
            return nil
        }
        guard case .array(let requests) = json else {
            return respondToOne([json], isBatch: false, into: &output, call: call)
        }
        if requests.isEmpty {
            writeError(.invalidRequest(), into: &output)
            return nil
        }
        return respondToOne(requests, isBatch: true, into: &output, call: call)
    }

    /// Writes an error in response to a line that is no request.
    package static func writeError(_ failure: RPCError, into output: inout JSONWriter) {
        output.response(to: .null) {
            $0.key("error")
            $0.failure(failure)
        }
        output.newline()
    }

    private static func respondToOne(
        _ requests: [JSON], isBatch: Bool, into output: inout JSONWriter, call: Call
    ) -> PendingResponse? {
        // Before any request is executed, there must be room for an error response to each.
        var spare = lineLimit - requests.reduce(0) { $0 + maximumSize(for: $1) }
        if spare < 0 {
            writeError(.invalidRequest("the response would exceed \(lineLimit) bytes"), into: &output)
            return nil
        }
        let parts = requests.compactMap { respond(to: $0, spare: &spare, call: call) }
        let answer = PendingResponse(parts, isBatch: isBatch, spare: spare)
        guard answer.isWhole else { return answer }
        answer.write(into: &output)
        return nil
    }

    /// Executes a request and returns its response. Nil for a notification.
    ///
    /// - Parameter spare: the bytes left for results.
    private static func respond(to json: JSON, spare: inout Int, call: Call) -> PendingResponse.Part? {
        let request: Request
        do throws(RPCError) {
            request = try Request(json)
        } catch {
            return .written(
                response(to: Request.id(of: json) ?? .null, spare: &spare) { _ throws(RPCError) in throw error })
        }
        var token: PendingResponse.Token?
        let response = response(to: request.id ?? .null, spare: &spare) { line throws(RPCError) in
            if case .later(let later) = try call(request.method, request.parameters, &line) { token = later }
        }
        guard let id = request.id else { return nil }
        return token.map { .awaited($0, id: id) } ?? .written(response)
    }

    /// One response: the result that `body` writes, or the error that it throws.
    ///
    /// - Parameter spare: the bytes left for results.
    static func response(
        to id: JSON, spare: inout Int, _ body: (inout JSONWriter) throws(RPCError) -> Void
    ) -> [UInt8] {
        var result = JSONWriter(capacity: 256)
        var failure: RPCError?
        do throws(RPCError) {
            try body(&result)
            if result.bytes.count <= spare {
                spare -= result.bytes.count
            } else {
                failure = .internalError("the request was executed, but its result exceeds the limit of a response")
            }
        } catch {
            failure = error
        }
        var output = JSONWriter(capacity: 256)
        output.response(to: id) {
            if let failure {
                $0.key("error")
                $0.failure(failure)
            } else {
                $0.key("result")
                $0.value(written: result.bytes)
            }
        }
        return output.bytes
    }

    /// The most bytes of the response to a request without its result. A byte of an id becomes at most six.
    private static func maximumSize(for request: JSON) -> Int {
        errorSize + (request["id"]?.string?.utf8.count ?? 0) * 6
    }
}

/// A request, or a notification if it has no id.
private struct Request {
    var method: String
    var parameters: JSON?
    var id: JSON?

    init(_ json: JSON) throws(RPCError) {
        guard case .object(let members) = json, members["jsonrpc"]?.string == "2.0",
            let method = members["method"]?.string
        else { throw .invalidRequest() }
        if let id = members["id"], Self.id(of: json) == nil {
            throw .invalidRequest("id must be a string, a number or null, not \(id.kind)")
        }
        switch members["params"] {
        case nil, .array, .object: break
        case .some(let other): throw .invalidRequest("params must be an object, not \(other.kind)")
        }
        self.method = method
        parameters = members["params"]
        id = members["id"]
    }

    /// The id of a request that may be invalid otherwise. Nil if there is no valid id.
    static func id(of json: JSON) -> JSON? {
        switch json["id"] {
        case .null: .null
        case .string(let id): .string(id)
        case .integer(let id): .integer(id)
        case .real(let id): .real(id)
        default: nil
        }
    }
}

extension JSON {
    /// The type of the value, as text for people.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .real: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func response(to id: JSON, _ body: (inout JSONWriter) -> Void) {
        object { line in
            line.member("jsonrpc", "2.0")
            body(&line)
            line.key("id")
            switch id {
            case .string(let id): line.value(id)
            case .integer(let id): line.value(id)
            // The shortest text that parses as the same number.
            case .real(let id): line.value(written: id.description.utf8)
            default: line.null()
            }
        }
    }
}
