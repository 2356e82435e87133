package import Domain
package import JSONCoding

/// A request over control.sock, publish.sock, net.sock or a socket of paced-web with validated parameters.
package enum ControlRequest: Equatable, Sendable {
    case run(RunCommand)
    case status
    case settings
    case setting(SettingKey)
    case change(SettingChange)
    /// Brings the default of a setting back.
    case reset(SettingKey)
    /// Scans for sensors for a number of seconds. The response is deferred.
    case scan(seconds: Int)
    case use(SensorSelection)
    /// Pairs with the sensor that matches the text. The response is deferred.
    case pair(String)
    /// Sets the zero offset of the power meter that matches the text, or of the only one. The response is deferred.
    case zero(String?)
    /// Forgets the sensors that match the text, or all. The response is immediate.
    case forget(String?)
    /// Reads or changes recorded activities. The response is deferred.
    case activities(ActivityRequest)
    /// Reads or changes the courses. The response is deferred.
    case courses(CourseRequest)
    /// Hands over a file. The response is deferred.
    case upload(UploadRequest)
    /// Data or a notice from another program, on publish.sock only.
    case topic(TopicRequest)
    /// Data from the internet, on net.sock of paced-net only. The response is deferred.
    case network(NetworkRequest)
    /// Codes and tokens of browsers, on the sockets of paced-web only.
    case web(WebRequest)

    /// A socket with methods of its own.
    package enum Socket: Sendable {
        case control, publish, network, code, admin

        /// The OpenRPC document of the methods.
        package var document: String {
            switch self {
            case .control: OpenRPC.document
            case .publish: OpenRPC.publishDocument
            case .network: OpenRPC.networkDocument
            case .code: OpenRPC.codeDocument
            case .admin: OpenRPC.adminDocument
            }
        }
    }

    /// - Throws: ``RPCError`` if the socket has no such method, a parameter is unknown or missing, or a value is
    ///   invalid.
    package init(method: String, parameters: JSON?, on socket: Socket) throws(RPCError) {
        switch socket {
        case .control: try self.init(method: method, parameters: parameters)
        case .publish: self = .topic(try TopicRequest(method: method, parameters: parameters))
        case .network: self = .network(try NetworkRequest(method: method, parameters: parameters))
        case .code, .admin:
            self = .web(try WebRequest(method: method, parameters: parameters, isAdmin: socket == .admin))
        }
    }

    /// - Throws: ``RPCError`` if the method is unknown, a parameter is unknown or missing, or a value is invalid.
    package init(method: String, parameters: JSON?) throws(RPCError) {
        switch method {
        case "run.start":
            let parameters = try Parameters(parameters, names: ["sport", "indoor", "ago_ms"])
            self = .run(
                .start(try parameters.sport(), indoor: try parameters.indoor(), back: try parameters.back()))
        case "settings.get":
            let parameters = try Parameters(parameters, names: ["key"])
            self = if let key = try parameters.key() { .setting(key) } else { .settings }
        case "settings.set":
            let parameters = try Parameters(parameters, names: ["key", "value"])
            guard let key = try parameters.key() else { throw .invalidParameters("key", "key is missing") }
            guard let value = parameters.members["value"] else { throw .invalidParameters("value", "value is missing") }
            self = value == .null ? .reset(key) : .change(try SettingChange(key, value))
        case "sensor.scan": self = .scan(seconds: try Parameters(parameters, names: ["seconds"]).seconds())
        case "sensor.use":
            self = .use(try Parameters(parameters, names: ["sensor", "address_type", "add"]).sensorUse())
        case "sensor.pair": self = .pair(try Parameters(parameters, names: ["sensor"]).sensorToPair())
        case "sensor.zero": self = .zero(try Parameters(parameters, names: ["sensor"]).sensor())
        case "sensor.forget": self = .forget(try Parameters(parameters, names: ["sensor"]).sensor())
        default:
            if let request = try ActivityRequest(method: method, parameters: parameters) {
                self = .activities(request)
                return
            }
            if let request = try CourseRequest(method: method, parameters: parameters) {
                self = .courses(request)
                return
            }
            if let request = try UploadRequest(method: method, parameters: parameters) {
                self = .upload(request)
                return
            }
            guard let request = Self.plain[method] else { throw .methodNotFound }
            try Self.checkNoParameters(parameters)
            self = request
        }
    }

    /// Checks that the parameters are absent or empty.
    package static func checkNoParameters(_ parameters: JSON?) throws(RPCError) {
        _ = try Parameters(parameters, names: [])
    }

    /// The methods without parameters.
    private static let plain: [String: ControlRequest] = [
        "run.toggle": .run(.toggle), "run.pause": .run(.pause), "run.resume": .run(.resume), "run.lap": .run(.lap),
        "run.stop": .run(.stop), "run.discard": .run(.discard), "status": .status,
    ]
}

extension ControlRequest {
    /// The named parameters of a request.
    struct Parameters {
        let members: [String: JSON]

        init(_ json: JSON?, names: [String]) throws(RPCError) {
            switch json {
            case nil: members = [:]
            case .object(let members):
                if let unknown = members.keys.filter({ !names.contains($0) }).min() {
                    let known =
                        names.isEmpty ? "the method has none" : "the parameters are \(names.joined(separator: ", "))"
                    // Truncated by bytes, because a character may have any number of combining marks.
                    let name = SanitizedText(unknown.utf8.prefix(64))?.text ?? ""
                    throw .invalidParameters(name, "unknown parameter \"\(name)\": \(known)")
                }
                self.members = members
            default: throw .invalidParameters(nil, "parameters must be named, not positional")
            }
        }

        func sport() throws(RPCError) -> Sport? {
            guard let value = members["sport"] else { return nil }
            return try Sport(value, field: "sport")
        }

        func indoor() throws(RPCError) -> Bool {
            guard let value = members["indoor"] else { return false }
            return try value.bool(field: "indoor")
        }

        /// How long ago the run started.
        func back() throws(RPCError) -> Duration {
            guard let value = members["ago_ms"] else { return .zero }
            let most = Int(RunCommand.maxBackdate.wholeMilliseconds)
            return .milliseconds(try value.integer(in: 0...most, field: "ago_ms"))
        }

        func key() throws(RPCError) -> SettingKey? {
            guard let value = members["key"] else { return nil }
            guard let key = value.string.flatMap(SettingKey.init(rawValue:)) else {
                let known = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidValue("key", "unknown setting: the settings are \(known)")
            }
            return key
        }
    }
}
