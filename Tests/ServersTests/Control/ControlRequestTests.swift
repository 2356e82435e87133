import Domain
import JSONCoding
import Testing
import Wire

private func request(_ method: String, _ parameters: String? = nil) throws -> ControlRequest {
    try ControlRequest.table.call(method, parameters.map { try JSON(parsing: $0.utf8) }).request
}

/// Kept here, too: the leak checker misses an array inside the request, whose pointer carries the bits of its case.
private let twoColumns: [Track.ColumnName] = [.usual(.heartRate), .usual(.at)]

private let good: [(String, String?, ControlRequest)] = [
    ("run.start", nil, .run(.start(nil, indoor: false))),
    ("run.start", "{}", .run(.start(nil, indoor: false))),
    ("run.start", #"{"sport":"hike","indoor":true,"ago_ms":0}"#, .run(.start(.hike, indoor: true))),
    ("run.start", #"{"ago_ms":120000}"#, .run(.start(nil, indoor: false, back: .seconds(120)))),
    ("run.toggle", nil, .run(.toggle)), ("run.pause", "{}", .run(.pause)), ("run.resume", nil, .run(.resume)),
    ("run.lap", nil, .run(.lap)), ("run.stop", nil, .run(.stop)), ("run.discard", nil, .run(.discard)),
    ("status", nil, .status), ("settings.get", nil, .settings), ("settings.get", #"{"key":"zones"}"#, .setting(.zones)),
    ("settings.set", #"{"key":"metric","value":true}"#, .change(SettingChange(.metric) { $0.metric = true })),
    ("settings.set", #"{"value":null,"key":"zones"}"#, .reset(.zones)),
    ("settings.set", #"{"value":null,"key":"metric"}"#, .reset(.metric)),
    ("settings.set", #"{"value":null,"key":"auto_lap_m"}"#, .reset(.autoLapMetres)),
    ("sensor.scan", nil, .scan(seconds: 10)), ("sensor.scan", #"{"seconds":60}"#, .scan(seconds: 60)),
    ("sensor.use", #"{"sensor":"auto"}"#, .use(.auto)), ("sensor.use", #"{"sensor":"off"}"#, .use(.off)),
    ("sensor.use", #"{"sensor":"9AD13824"}"#, .use(.sensor("9AD13824", isAdded: false))),
    (
        "sensor.use", #"{"sensor":"A0:9E:1A:00:00:01","address_type":"random","add":true}"#,
        .use(.sensor("A0:9E:1A:00:00:01/random", isAdded: true))
    ),
    ("sensor.pair", #"{"sensor":"9AD13824"}"#, .pair("9AD13824")),
    ("sensor.zero", nil, .zero(nil)), ("sensor.zero", #"{"sensor":"Assioma"}"#, .zero("Assioma")),
    ("activities.list", nil, .activities(.list(limit: 20, before: nil))),
    ("activities.list", #"{"limit":100,"before":7}"#, .activities(.list(limit: 100, before: 7))),
    ("activities.get", #"{"id":7}"#, .activities(.get(7, fromLap: 1))),
    ("activities.get", #"{"id":7,"from_lap":400}"#, .activities(.get(7, fromLap: 400))),
    ("activities.edit", #"{"id":7,"sport":"walk"}"#, .activities(.edit(7, .walk, nil))),
    ("activities.edit", #"{"id":7,"name":"a\u001b"}"#, .activities(.edit(7, nil, SanitizedText("a\u{1B}")))),
    ("activities.delete", #"{"id":7}"#, .activities(.delete(7))),
    ("activities.track", nil, .activities(.track(nil, from: 0, interval: 1000, columns: Track.ColumnName.usual))),
    (
        "activities.track", #"{"id":7,"from_ms":5000,"interval_ms":2000,"fields":["bpm","at_ms"]}"#,
        .activities(.track(7, from: 5000, interval: 2000, columns: twoColumns))
    ),
    ("sensor.forget", nil, .forget(nil)), ("sensor.forget", #"{"sensor":"a"}"#, .forget("a")),
]

@Test(arguments: good)
func requestParsesWithItsParameters(method: String, parameters: String?, expected: ControlRequest) throws {
    #expect(try request(method, parameters) == expected)
}

private let bad: [(String, String?, Int, String?)] = [
    ("run", nil, -32601, nil), ("", nil, -32601, nil), ("rpc.unknown", nil, -32601, nil),
    ("sensor.zero", #"{"sensor":" "}"#, -32004, "sensor"), ("sensor.zero", #"{"kind":"power"}"#, -32602, "kind"),
    ("sensor.pair", "{}", -32602, "sensor"), ("sensor.pair", #"{"sensor":" "}"#, -32004, "sensor"),
    ("sensor.pair", #"{"sensor":"a","add":true}"#, -32602, "add"),
    ("sensor.use", "{}", -32602, "sensor"), ("sensor.use", "[]", -32602, nil),
    ("sensor.use", #"{"sensor":"none"}"#, -32004, "sensor"),
    ("settings.set", #"{"key":"sensors","value":["Polar H10","auto"]}"#, -32004, "sensors"),
    ("sensor.use", #"{"sensor":""}"#, -32004, "sensor"), ("sensor.use", #"{"sensor":"\u001b"}"#, -32004, "sensor"),
    ("sensor.use", #"{"sensor":["a"]}"#, -32004, "sensor"), ("sensor.use", #"{"sensor":"a","add":1}"#, -32004, "add"),
    ("sensor.use", #"{"sensor":"a","address_type":"public"}"#, -32004, "address_type"),
    ("sensor.use", #"{"sensor":"A0:9E:1A:00:00:01","address_type":"static"}"#, -32004, "address_type"),
    ("sensor.use", #"{"sensor":"auto","add":false}"#, -32602, "add"),
    ("sensor.use", #"{"sensor":"off","address_type":"public"}"#, -32602, "address_type"),
    ("sensor.scan", #"{"seconds":0}"#, -32004, "seconds"), ("sensor.scan", #"{"seconds":61}"#, -32004, "seconds"),
    ("sensor.scan", #"{"seconds":"5"}"#, -32004, "seconds"), ("sensor.scan", #"{"second":5}"#, -32602, "second"),
    ("sensor.forget", #"{"sensor":5}"#, -32004, "sensor"), ("sensor.forget", #"{"sensors":"a"}"#, -32602, "sensors"),
    ("activities.lists", nil, -32601, nil), ("activities.list", #"{"limit":0}"#, -32004, "limit"),
    ("activities.list", #"{"limit":101}"#, -32004, "limit"), ("activities.list", #"{"after":1}"#, -32602, "after"),
    ("activities.get", "{}", -32602, "id"), ("activities.get", #"{"id":0}"#, -32004, "id"),
    ("activities.get", #"{"id":4294967296}"#, -32004, "id"), ("activities.edit", #"{"id":1}"#, -32602, nil),
    ("activities.edit", #"{"id":1,"name":""}"#, -32004, "name"),
    ("activities.edit", #"{"id":1,"name":null}"#, -32004, "name"),
    ("activities.edit", #"{"id":1,"sport":"swim"}"#, -32004, "sport"), ("activities.delete", nil, -32602, "id"),
    ("activities.delete", #"{"id":"a12345"}"#, -32004, "id"),
    ("activities.track", #"{"interval_ms":999}"#, -32004, "interval_ms"),
    ("activities.track", #"{"from_ms":-1}"#, -32004, "from_ms"),
    ("activities.track", #"{"fields":["bpm","bpm"]}"#, -32004, "fields"),
    ("activities.track", #"{"fields":["pulse"]}"#, -32004, "fields"),
    ("activities.track", #"{"fields":"bpm"}"#, -32004, "fields"),
    ("run.start", "[]", -32602, nil), ("run.start", #"["run"]"#, -32602, nil), ("status", "[]", -32602, nil),
    ("run.pause", #"{"now":true}"#, -32602, "now"), ("run.start", #"{"sprot":"run"}"#, -32602, "sprot"),
    ("settings.get", #"{"keys":1}"#, -32602, "keys"), ("settings.set", "{}", -32602, "key"),
    ("settings.set", #"{"key":"metric"}"#, -32602, "value"), ("settings.set", nil, -32602, "key"),
    ("settings.set", #"{"key":"metric","value":1,"force":true}"#, -32602, "force"),
    ("run.start", #"{"sport":"swim"}"#, -32004, "sport"), ("run.start", #"{"sport":5}"#, -32004, "sport"),
    ("run.start", #"{"sport":null}"#, -32004, "sport"), ("run.start", #"{"indoor":"yes"}"#, -32004, "indoor"),
    ("run.start", #"{"ago_ms":-1}"#, -32004, "ago_ms"),
    ("run.start", #"{"ago_ms":120001}"#, -32004, "ago_ms"), ("run.start", #"{"ago_ms":"0"}"#, -32004, "ago_ms"),
    ("settings.get", #"{"key":"colour"}"#, -32004, "key"), ("settings.get", #"{"key":7}"#, -32004, "key"),
    ("settings.set", #"{"key":"colour","value":1}"#, -32004, "key"),
    ("settings.set", #"{"key":"metric","value":1}"#, -32004, "metric"),
]

@Test(arguments: bad)
func invalidRequestReportsItsErrorAndField(method: String, parameters: String?, code: Int, field: String?) throws {
    let failure = #expect(throws: RPCError.self) { try request(method, parameters) }
    #expect(failure?.code == code)
    #expect(failure?.field == field)
    if code != -32601 { #expect(failure?.detail?.isEmpty == false) }
}

@Test func hostileParameterNameIsSanitized() throws {
    let failure = #expect(throws: RPCError.self) {
        try ControlRequest.table.call(
            "status", .object(["\u{1B}[2J" + String(repeating: "\u{0301}", count: 5000): .null]))
    }
    let field = try #require(failure?.field)
    #expect(field.utf8.count <= 200)
    #expect(field.unicodeScalars.allSatisfy { $0.value >= 0x20 })
}
