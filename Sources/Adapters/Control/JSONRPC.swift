import Domain
package import Outputs

/// JSON-RPC 2.0 over lines: requests, notifications and batches in, responses out.
///
/// Which methods there are is the caller's business. A line is answered by at most one line.
///
/// Source: JSON-RPC 2.0 Specification, https://www.jsonrpc.org/specification.
package enum JSONRPC {
    /// The longest line in either direction, in bytes, its newline not counted.
    package static let lineLimit = 64 * 1024

    /// What became of a method.
    package enum Completion: Equatable, Sendable {
        /// Its result, one value, is written.
        case written
        /// Its result comes later.
        case later(PendingResponse.Token)
    }

    /// Carries out one method.
    package typealias Call = (_ method: String, _ parameters: JSON?, _ result: inout JSONWriter) throws(RPCError)
        -> Completion

    /// The most bytes of a response without its id and its result: of an error, then.
    private static let errorRoom = 1024

    /// Answers one line; nothing is written for notifications.
    ///
    /// - Returns: the answer, where a part of it comes later; nothing is written of it then.
    @discardableResult
    package static func respond(
        _ line: some Sequence<UInt8>, into output: inout JSONWriter, call: Call
    ) -> PendingResponse? {
        let json: JSON
        do throws(ParseError) {
            json = try JSON(parsing: line)
        } catch {
            refuse(.parseError(error), into: &output)
            return nil
        }
        guard case .array(let requests) = json else {
            return respondToOne([json], isBatch: false, into: &output, call: call)
        }
        if requests.isEmpty {
            refuse(.invalidRequest(), into: &output)
            return nil
        }
        return respondToOne(requests, isBatch: true, into: &output, call: call)
    }

    /// Answers a line that is no request at all.
    package static func refuse(_ failure: RPCError, into output: inout JSONWriter) {
        output.response(to: .null) {
            $0.key("error")
            $0.failure(failure)
        }
        output.newline()
    }

    private static func respondToOne(
        _ requests: [JSON], isBatch: Bool, into output: inout JSONWriter, call: Call
    ) -> PendingResponse? {
        // Before any is carried out, there must be room to say of each what went wrong with it.
        var spare = lineLimit - requests.reduce(0) { $0 + room(for: $1) }
        if spare < 0 {
            refuse(.invalidRequest("the answer would be longer than \(lineLimit) bytes"), into: &output)
            return nil
        }
        let parts = requests.compactMap { respond(to: $0, spare: &spare, call: call) }
        let answer = PendingResponse(parts, isBatch: isBatch, spare: spare)
        guard answer.isWhole else { return answer }
        answer.write(into: &output)
        return nil
    }

    /// Carries out a request; nil for a notification.
    ///
    /// - Parameter spare: the bytes that results may still take.
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

    /// One response: the result that `body` writes, or the failure that it throws.
    ///
    /// - Parameter spare: the bytes that results may still take.
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
                failure = .internalError("it was carried out, but its result does not fit into this answer's line")
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

    /// The most bytes of the response to a request without its result. A character of an id is written as at most six.
    private static func room(for request: JSON) -> Int {
        errorRoom + (request["id"]?.string?.utf8.count ?? 0) * 6
    }
}

/// A request, or a notification: one that has no id.
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

    /// The id of what may be no request otherwise; nil when there is none that is valid.
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
    /// What sort of value this is, as words for people.
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
            // The shortest text that reads as the same number.
            case .real(let id): line.value(written: id.description.utf8)
            default: line.null()
            }
        }
    }
}
