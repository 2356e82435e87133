import Domain
package import Outputs

/// JSON-RPC 2.0 over lines: requests, notifications and batches in, responses out.
///
/// Which methods there are is the caller's business. A line is answered by at most one line.
///
/// Source: JSON-RPC 2.0 Specification, https://www.jsonrpc.org/specification.
package enum RemoteProcedure {
    /// The longest line in either direction, in bytes, its newline not counted.
    package static let lineLimit = 64 * 1024

    /// Carries out one method and writes its result, one value.
    package typealias Call = (_ method: String, _ parameters: JSON?, _ result: inout LineWriter) throws(ControlFailure)
        -> Void

    /// The most bytes of a response without its id and its result: of an error, then.
    private static let errorRoom = 1024

    /// Answers one line; nothing is written for notifications.
    package static func answer(_ line: some Sequence<UInt8>, into output: inout LineWriter, call: Call) {
        let json: JSON
        do throws(ParseError) {
            json = try JSON(parsing: line)
        } catch {
            return refuse(.parseError(error), into: &output)
        }
        guard case .array(let requests) = json else {
            return answer([json], isBatch: false, into: &output, call: call)
        }
        if requests.isEmpty { return refuse(.invalidRequest(), into: &output) }
        answer(requests, isBatch: true, into: &output, call: call)
    }

    /// Answers a line that is no request at all.
    package static func refuse(_ failure: ControlFailure, into output: inout LineWriter) {
        output.response(to: .null) {
            $0.key("error")
            $0.failure(failure)
        }
        output.newline()
    }

    private static func answer(_ requests: [JSON], isBatch: Bool, into output: inout LineWriter, call: Call) {
        // Before any is carried out, there must be room to say of each what went wrong with it.
        var spare = lineLimit - requests.reduce(0) { $0 + room(for: $1) }
        if spare < 0 {
            return refuse(.invalidRequest("the answer would be longer than \(lineLimit) bytes"), into: &output)
        }
        var answers = LineWriter(capacity: 512)
        for request in requests { respond(to: request, spare: &spare, into: &answers, call: call) }
        if answers.bytes.isEmpty { return }
        if isBatch {
            output.array { $0.value(written: answers.bytes) }
        } else {
            output.value(written: answers.bytes)
        }
        output.newline()
    }

    /// - Parameter spare: the bytes that results may still take.
    private static func respond(to json: JSON, spare: inout Int, into output: inout LineWriter, call: Call) {
        let request: Request
        do throws(ControlFailure) {
            request = try Request(json)
        } catch {
            let id = Request.id(of: json) ?? .null
            return output.response(to: id) {
                $0.key("error")
                $0.failure(error)
            }
        }
        var result = LineWriter(capacity: 256)
        var failure: ControlFailure?
        do throws(ControlFailure) {
            try call(request.method, request.parameters, &result)
            if result.bytes.count <= spare {
                spare -= result.bytes.count
            } else {
                failure = .internalError("it was carried out, but its result does not fit into this answer's line")
            }
        } catch {
            failure = error
        }
        guard let id = request.id else { return }
        output.response(to: id) {
            if let failure {
                $0.key("error")
                $0.failure(failure)
            } else {
                $0.key("result")
                $0.value(written: result.bytes)
            }
        }
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

    init(_ json: JSON) throws(ControlFailure) {
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

extension LineWriter {
    fileprivate mutating func response(to id: JSON, _ body: (inout LineWriter) -> Void) {
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
