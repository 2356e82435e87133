package import Domain
package import JSONCoding

/// Which clients of the page may send a request. On a Unix socket its file's permissions decide.
package enum RPCAccess: Sendable {
    /// It changes nothing, and the live page needs it: the run in progress, and no earlier one.
    case live
    /// It changes nothing.
    case read
    /// It commands the run in progress.
    case run
    /// It changes something else, or asks another machine.
    case change
}

/// An error of the application that a method can have.
enum RPCErrorName: String, CaseIterable, Sendable {
    case refused, busy, notFound, invalid, failed

    var code: Int {
        switch self {
        case .refused: -32001
        case .busy: -32002
        case .notFound: -32003
        case .invalid: -32004
        case .failed: -32005
        }
    }

    var message: String {
        switch self {
        case .refused: "not in this state"
        case .busy: "busy"
        case .notFound: "not found"
        case .invalid: "invalid value"
        case .failed: "server failed"
        }
    }
}

/// A method of JSON-RPC: one row of a socket's table. The check of its parameters, its request, its line in the log, who may send
/// it, and its entry in the OpenRPC document follow from the row.
package struct RPCMethod<Request: Sendable>: Sendable {
    package let name: String
    package let access: RPCAccess
    private let summary: String
    private let parameters: [RPCParameterEntry]
    private let result: (name: String, schema: JSONSchema)
    private let errors: [RPCErrorName]
    private let log: RPCLog?
    private let read: @Sendable (RPCParameters) throws -> Request

    /// - Parameters:
    ///   - errors: those of the application that it can have.
    ///   - log: what it changes; nil to log nothing.
    ///   - read: makes the request of its parameters; throws ``RPCError``.
    init(
        _ name: String, _ summary: String, _ parameters: [RPCParameterEntry], _ resultName: String,
        _ result: JSONSchema, _ errors: [RPCErrorName], _ access: RPCAccess,
        log: RPCLog? = nil,
        read: @escaping @Sendable (RPCParameters) throws -> Request
    ) {
        self.name = name
        self.access = access
        self.summary = summary
        self.parameters = parameters
        self.result = (resultName, result)
        self.errors = errors
        self.log = log
        self.read = read
    }

    func call(_ json: JSON?) throws(RPCError) -> RPCCall<Request> {
        let parameters = try RPCParameters(json, names: parameters.map(\.name))
        return RPCCall(request: try RPCError.only { try read(parameters) }, logText: log?.text(parameters))
    }

    /// The first parameter that has a uuid where a number is wanted; nil if there is none. Digits in a text are a number.
    func lookup(_ json: JSON?) throws(RPCError) -> RecordLookup? {
        for parameter in parameters {
            guard let kind = parameter.record, let value = json?[parameter.name], let text = value.record.string else {
                continue
            }
            guard let prefix = UUIDPrefix(text) else {
                throw .invalidValue(
                    parameter.name,
                    "\(parameter.name) must be the number or the uuid of an \(kind.rawValue), or a beginning of the uuid "
                        + "of \(UUIDPrefix.lengths.lowerBound) characters or more with a letter or a hyphen")
            }
            return RecordLookup(kind: kind, prefix: prefix, method: name, parameter: parameter.name, parameters: json)
        }
        return nil
    }

    func write(to writer: inout JSONWriter) {
        writer.object { line in
            line.member("name", name)
            line.member("summary", summary)
            line.member("paramStructure", "by-name")
            line.array("params") { line in
                for parameter in parameters {
                    line.object { line in
                        line.member("name", parameter.name)
                        line.member("summary", parameter.summary)
                        if parameter.isRequired { line.member("required", true) }
                        line.key("schema")
                        line.value(written: parameter.schema.text.utf8)
                    }
                }
            }
            line.object("result") { line in
                line.member("name", result.name)
                line.key("schema")
                line.value(written: result.schema.text.utf8)
            }
            line.array("errors") { line in
                for error in errors { line.value(written: JSONSchema.component("errors/\(error)").text.utf8) }
            }
        }
    }
}

/// What a request changes, as a command for the log.
struct RPCLog: ExpressibleByStringLiteral, Sendable {
    /// Makes the text of valid parameters.
    let text: @Sendable (RPCParameters) -> String

    init(_ text: @escaping @Sendable (RPCParameters) -> String) {
        self.text = text
    }

    init(stringLiteral text: String) {
        self.text = { _ in text }
    }

    /// A text with the parameter `id` after it.
    static func numbered(_ text: String) -> RPCLog {
        RPCLog { "\(text) \($0.members["id"]?.record.integer ?? 0)" }
    }
}

/// A request with its line in the log.
package struct RPCCall<Request: Sendable>: Sendable {
    package let request: Request
    /// What it changes; nil to log nothing.
    package let logText: String?
}

/// A request with a uuid where its method wants a number.
package struct RecordLookup: Equatable, Sendable {
    package let kind: RecordKind
    package let prefix: UUIDPrefix
    package let method: String
    package let parameter: String
    let parameters: JSON?

    /// The parameters of the request with the number.
    package func parameters(with number: Int) -> JSON? {
        guard case .object(var members) = parameters else { return parameters }
        members[parameter] = .integer(Int64(number))
        return .object(members)
    }
}

/// The methods of a socket.
package struct RPCTable<Request: Sendable>: Sendable {
    package let methods: [RPCMethod<Request>]
    private let title: String
    private let description: String
    /// The request to look up a uuid; nil if no method has one.
    private let lookup: (@Sendable (RecordLookup) -> Request)?
    /// Further members of the document, as JSON texts.
    private let more: @Sendable () -> [(name: String, text: String)]
    /// The components of the document that schemas refer to.
    private let schemas: [(name: String, schema: JSONSchema)]

    init(
        _ title: String, _ methods: [RPCMethod<Request>], description: String = "",
        schemas: [(name: String, schema: JSONSchema)] = [], lookup: (@Sendable (RecordLookup) -> Request)? = nil,
        more: @escaping @Sendable () -> [(name: String, text: String)] = { [] }
    ) {
        self.title = title
        self.description =
            "JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name." + description
        self.methods = methods
        self.schemas = schemas
        self.lookup = lookup
        self.more = more
    }

    package func method(_ name: String) -> RPCMethod<Request>? {
        methods.first { $0.name == name }
    }

    /// - Throws: ``RPCError`` if there is no such method, a parameter is unknown or missing, or a value is invalid.
    package func call(_ name: String, _ parameters: JSON?) throws(RPCError) -> RPCCall<Request> {
        guard let method = method(name) else { throw .methodNotFound }
        if let lookup, let found = try method.lookup(parameters) {
            return RPCCall(request: lookup(found), logText: nil)
        }
        return try method.call(parameters)
    }

    package static var discover: String { "rpc.discover" }

    /// The result of the method `rpc.discover`, which every socket has: the OpenRPC document.
    ///
    /// Source: OpenRPC Specification 1.3.2, https://spec.open-rpc.org.
    package func discovered(_ parameters: JSON?) throws(RPCError) -> [UInt8] {
        _ = try RPCParameters(parameters, names: [])
        return document
    }

    /// The OpenRPC document, one line without a newline.
    package var document: [UInt8] {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { line in
            line.member("openrpc", "1.3.2")
            line.object("info") { line in
                line.member("title", title)
                line.member("version", Release.version)
                line.member("description", description)
            }
            line.array("methods") { line in
                for method in methods { method.write(to: &line) }
                RPCMethod<Bool>(
                    Self.discover, "Returns the OpenRPC document of these methods.", [], "OpenRPC document", .object,
                    [],
                    .read
                ) { _ in true }.write(to: &line)
            }
            for member in more() {
                line.key(member.name)
                line.value(written: member.text.utf8)
            }
            line.object("components") { line in
                if !schemas.isEmpty {
                    line.object("schemas") { line in
                        for (name, schema) in schemas {
                            line.key(name)
                            line.value(written: schema.text.utf8)
                        }
                    }
                }
                line.object("errors") { line in
                    for error in RPCErrorName.allCases {
                        line.object(error.rawValue) { line in
                            line.member("code", error.code)
                            line.member("message", error.message)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}
