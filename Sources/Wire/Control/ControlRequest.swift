package import Domain
import JSONCoding

/// A request over control.sock with validated parameters.
package enum ControlRequest: Equatable, Sendable {
    case run(RunCommand)
    /// Starts a run at the next position, or now if there is one. The sport is nil for that of the settings.
    case startAtPosition(Sport?)
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
    case presentDevice
    /// Changes the name of this board. The response is deferred.
    case device(DeviceRequest)
    /// Finds the number of a uuid, then executes the request with it. The response is deferred.
    case lookUp(RecordLookup)

    /// The methods of control.sock.
    package static let table = RPCTable<ControlRequest>(
        "paced control socket",
        runMethods + settingMethods + sensorMethods + ActivityRequest.methods + CourseRequest.methods
            + UploadRequest.methods + DeviceRequest.methods,
        schemas: [("Run", runSchema), ("Summary", ActivityRequest.summarySchema)], lookup: ControlRequest.lookUp
    ) { [("x-data-fields", dataFields)] }

    private static let runMethods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "run.start", "Starts an activity.", [sport.optional, indoor.optional, back.optional, wait.optional],
            "activity",
            .object(["activity": .id, "waiting": .oneOf(["position"])]), [.refused, .invalid], .run, log: "start"
        ) {
            let back = Duration.milliseconds(try $0[back] ?? 0)
            let isIndoor = try $0[indoor] ?? false
            if try $0[wait] != nil {
                guard !isIndoor, back == .zero else {
                    throw RPCError.invalidParameters("wait", "wait belongs to a start outdoors and now")
                }
                return .startAtPosition(try $0[sport])
            }
            return .run(.start(try $0[sport], indoor: isIndoor, back: back))
        },
        run(.toggle, "Starts, pauses or resumes, whichever is possible. For a device with one button.", []),
        run(.pause, "Pauses the run."),
        run(.resume, "Resumes a paused run."),
        run(.lap, "Closes the lap and starts the next one. Rejected within 1 s of the last lap."),
        RPCMethod(
            "run.mark", "Marks the present place, while a run is active or paused; at most 100 times in an activity.",
            [markKind.optional, markText.optional], "run", .component("schemas/Run"), [.refused, .invalid], .run,
            log: "mark"
        ) { .run(.mark(try $0[markKind] ?? .generic, try $0[markText])) },
        run(.stop, "Stops the run and keeps the activity, or ends a start that waits.", "summary", summaryOrRun),
        run(.discard, "Stops the run and deletes the activity, or ends a start that waits.", "summary", summaryOrRun),
        RPCMethod(
            "status", "Returns the present STATE.", [], "state",
            .object(required: ["class", "run"], ["class": JSONSchema(#"{"const":"STATE"}"#)]), [], .live
        ) { _ in .status },
    ]

    private static let summaryOrRun = JSONSchema(
        "{\"anyOf\":[\(JSONSchema.summary.text),\(JSONSchema.component("schemas/Run").text)]}")

    private static func run(
        _ command: RunCommand, _ summary: String, _ errors: [RPCErrorName] = [.refused], _ resultName: String = "run",
        _ result: JSONSchema = .component("schemas/Run")
    ) -> RPCMethod<ControlRequest> {
        RPCMethod(
            "run." + command.word.text, summary, [], resultName, result, errors, .run,
            log: RPCLog { _ in command.word.text }
        ) { _ in .run(command) }
    }

    private static func run(
        _ command: RunCommand, _ summary: String, _ resultName: String, _ result: JSONSchema
    ) -> RPCMethod<ControlRequest> {
        run(command, summary, [.refused], resultName, result)
    }

    private static let settingMethods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "settings.get", "Returns all settings, or one.", [keyOrAll.optional], "settings or value", .any, [.invalid],
            .live
        ) { try $0[keyOrAll].map { .setting($0) } ?? .settings },
        RPCMethod(
            "settings.set",
            "Changes one setting, or brings its default back. It is in force at once and survives a restart.",
            [key.required, value.required], "value", .any, [.invalid], .change,
            log: RPCLog {
                let isReset = $0.members["value"] == .null
                return "\(isReset ? "reset" : "change") the setting \($0.members["key"]?.string ?? "")"
            }
        ) {
            let key = try $0.value(of: key)
            let value = try $0.value(of: value)
            return value == .null ? .reset(key) : .change(try SettingChange(key, value))
        },
    ]

    // MARK: Parameters

    static let sport = sport("The sport; the setting sport if it is absent.")

    static func sport(_ summary: String) -> RPCParameter<Sport> {
        RPCParameter("sport", .sport, summary) { try Sport($0, field: $1) }
    }

    private static let indoor = RPCParameter.flag("indoor", "No position is used. Default false.")
    private static let back = RPCParameter.integer(
        "ago_ms", 0...Int(RunCommand.maxBackdate.wholeMilliseconds),
        "How much earlier the activity began, 0 to 120000. What was measured meanwhile is kept. Default 0.")
    private static let wait = RPCParameter(
        "wait", .oneOf(["position"]), "Start at the next position, if there is none now. The wait ends after an hour."
    ) { value, name in
        guard value.string == "position" else { throw RPCError.invalidValue(name, "\(name) must be position") }
        return true
    }
    private static let markText = RPCParameter.text("text", "What is there, 1 to 64 characters.")
    private static let markKind = RPCParameter(
        "kind", .oneOf(RecordedMark.kinds.map(\.rawValue)), "The type of the place. Default generic."
    ) { value, name in
        guard let kind = value.string.flatMap(CoursePointKind.init), RecordedMark.kinds.contains(kind) else {
            throw RPCError.invalidValue(
                name, "\(name) must be one of \(RecordedMark.kinds.map(\.rawValue).joined(separator: ", "))")
        }
        return kind
    }
    private static let key = key("The setting.")
    private static let keyOrAll = key("The setting; all if it is absent.")
    private static let value = RPCParameter(
        "value", .any, "The whole new value; null brings the default back."
    ) { value, _ in value }

    private static func key(_ summary: String) -> RPCParameter<SettingKey> {
        let names = SettingKey.allCases.map(\.rawValue)
        return RPCParameter("key", .oneOf(names), summary) { value, _ in
            guard let key = value.string.flatMap(SettingKey.init(rawValue:)) else {
                throw RPCError.invalidValue(
                    "key", "unknown setting: the settings are \(names.joined(separator: ", "))")
            }
            return key
        }
    }

    // MARK: The document

    private static let runSchema = JSONSchema.object(
        required: ["run", "elapsed_ms"],
        [
            "run": .oneOf([RunState.idle, .active, .paused].map(\.rawValue)),
            "elapsed_ms": JSONSchema(#"{"type":"integer","minimum":0,"multipleOf":100}"#),
        ])

    /// The table of data fields, in the order of their names' declaration.
    private static var dataFields: String {
        var writer = JSONWriter(capacity: 8192)
        writer.array { line in
            for field in DataField.allCases {
                line.object { line in
                    line.member("name", field.rawValue)
                    line.member("title", field.title)
                    line.member("unit", field.unit.rawValue)
                    line.member("format", field.format.rawValue)
                    line.member("source", field.source.rawValue)
                    line.array("sports") { line in for sport in field.sports { line.value(sport.rawValue) } }
                    line.member("description", field.text)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONSchema {
    static let sport = oneOf(Sport.allCases.map(\.rawValue))
    static let summary = component("schemas/Summary")
}
