import Domain
import JSONCoding
import TestKit
import Testing
import Wire

/// The methods that the specification's examples assume.
private func call(
    _ method: String, _ parameters: JSON?, _ result: inout JSONWriter
) throws(RPCError) -> JSONRPC.Completion {
    switch method {
    case "subtract":
        let numbers = parameters?.array
        let minuend = numbers?.first ?? parameters?["minuend"]
        let subtrahend = numbers?.last ?? parameters?["subtrahend"]
        guard let minuend = minuend?.integer, let subtrahend = subtrahend?.integer else {
            throw .invalidParameters(nil, "two numbers")
        }
        result.value(minuend - subtrahend)
    case "sum": result.value((parameters?.array ?? []).reduce(0) { $0 + ($1.integer ?? 0) })
    case "get_data":
        result.array {
            $0.value("hello")
            $0.value(5)
        }
    case "update", "notify_hello", "notify_sum": result.null()
    case "long": result.value(String(repeating: "x", count: 25_000))
    case "wait": return .later(7)
    default: throw .methodNotFound
    }
    return .written
}

private func answer(_ line: String) -> String? {
    var output = JSONWriter()
    JSONRPC.respond(line.utf8, into: &output, call: call)
    guard !output.bytes.isEmpty else { return nil }
    let text = String(decoding: output.bytes, as: UTF8.self)
    #expect(text.last == "\n" && text.dropLast().allSatisfy { $0 != "\n" })
    return String(text.dropLast())
}

/// Requests and responses of the JSON-RPC 2.0 Specification, section 7, verbatim. Examples on several lines
/// are joined, because one line is one message here.
private let examples: [(String, String?)] = [
    (
        #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
        #"{"jsonrpc": "2.0", "result": 19, "id": 1}"#
    ),
    (
        #"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
        #"{"jsonrpc": "2.0", "result": -19, "id": 2}"#
    ),
    (
        #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
        #"{"jsonrpc": "2.0", "result": 19, "id": 3}"#
    ),
    (
        #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
        #"{"jsonrpc": "2.0", "result": 19, "id": 4}"#
    ),
    (#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, nil),
    (#"{"jsonrpc": "2.0", "method": "foobar"}"#, nil),
    (
        #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}"#
    ),
    (
        #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#
    ),
    (
        #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#
    ),
    (
        #"[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#
    ),
    (
        "[]",
        #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#
    ),
    (
        "[1]",
        #"[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]"#
    ),
    (
        "[1,2,3]",
        #"[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, "#
            + #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, "#
            + #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]"#
    ),
    (
        #"[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, "#
            + #"{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, "#
            + #"{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"}, "#
            + #"{"foo": "boo"}, "#
            + #"{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, "#
            + #"{"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]"#,
        #"[ {"jsonrpc": "2.0", "result": 7, "id": "1"}, "#
            + #"{"jsonrpc": "2.0", "result": 19, "id": "2"}, "#
            + #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, "#
            + #"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"}, "#
            + #"{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"} ]"#
    ),
    (
        #"[ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]"#,
        nil
    ),
]

@Test(arguments: examples)
func examplesOfTheSpecificationGetTheirResponses(line: String, expected: String?) throws {
    let answered = answer(line)
    guard let expected else { return #expect(answered == nil) }
    #expect(try JSON(parsing: #require(answered).utf8) == JSON(parsing: expected.utf8))
    // Equal byte for byte, except for white space.
    #expect(
        answered
            == expected.replacing(": ", with: ":").replacing(", ", with: ",").replacing("[ ", with: "[").replacing(
                " ]", with: "]"))
}

@Test(arguments: [
    "1", "-1", "0", "9223372036854775807", "1.5", "-0.25", "1e+20", "\"\"", "\"1\"", "\"a\\\"b\\\\c\"", "\"\\u0000\"",
    "\"ü ♥ 🏃\"",
    "\"\\u001b[2J\"", "null",
])
func idsAreReturnedUnchanged(id: String) throws {
    let answered = try #require(answer(#"{"jsonrpc":"2.0","method":"sum","id":\#(id)}"#))
    #expect(answered == #"{"jsonrpc":"2.0","result":0,"id":\#(id)}"#)
}

@Test(arguments: ["true", "[1]", #"{"a":1}"#])
func idOfAnotherTypeIsAnInvalidRequest(id: String) throws {
    let answered = try #require(answer(#"{"jsonrpc":"2.0","method":"sum","id":\#(id)}"#))
    #expect(
        answered.hasPrefix(
            #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":{"message":"id must be"#))
    #expect(answered.hasSuffix(#""id":null}"#))
}

@Test(arguments: [
    #"{"method":"sum","id":7}"#, #"{"jsonrpc":"1.0","method":"sum","id":7}"#, #"{"jsonrpc":2.0,"method":"sum","id":7}"#,
    #"{"jsonrpc":"2.0","id":7}"#, #"{"jsonrpc":"2.0","method":null,"id":7}"#,
    #"{"jsonrpc":"2.0","method":"sum","params":5,"id":7}"#,
    #"{"jsonrpc":"2.0","method":"sum","params":null,"id":7}"#,
])
func invalidRequestIsAnsweredWithItsID(line: String) throws {
    let answered = try #require(answer(line))
    #expect(answered.hasPrefix(#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request""#))
    #expect(answered.hasSuffix(#""id":7}"#))
}

@Test func nestingIsLimitedWithAParseError() throws {
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(
        answer(deep)
            == #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error","data":{"message":"expected at most 16 levels of nesting at byte 0"}},"id":null}"#
    )
}

@Test func responseNeverExceedsALine() throws {
    let request = #"{"jsonrpc":"2.0","method":"long","id":1}"#
    let batch = "[" + Array(repeating: request, count: 6).joined(separator: ",") + "]"
    let answered = try #require(answer(batch))
    #expect(answered.utf8.count <= JSONRPC.lineLimit)
    let answers = try #require(JSON(parsing: answered.utf8).array)
    // Two results fit. The others report that they were executed all the same.
    #expect(answers.map { $0["result"] != nil } == [true, true, false, false, false, false])
    #expect(answers[5]["error"]?["code"] == .integer(-32603))
}

@Test func batchWithTooLongAResponseIsNotExecuted() throws {
    var calls = 0
    var output = JSONWriter()
    let requests = Array(repeating: #"{"jsonrpc":"2.0","method":"sum","id":1}"#, count: 100).joined(separator: ",")
    JSONRPC.respond("[\(requests)]".utf8, into: &output) { _, _, result throws(RPCError) in
        calls += 1
        result.value(0)
        return .written
    }
    #expect(calls == 0)
    #expect(String(decoding: output.bytes, as: UTF8.self).hasPrefix(#"{"jsonrpc":"2.0","error":{"code":-32600,"#))
}

@Test func deferredResponseIsWrittenOnCompletion() throws {
    var output = JSONWriter()
    var pending = try #require(
        JSONRPC.respond(#"{"jsonrpc":"2.0","method":"wait","id":"a"}"#.utf8, into: &output, call: call))
    #expect(output.bytes.isEmpty)
    #expect(!pending.isWhole)
    let isTaken = pending.complete(8, .success(.done))
    #expect(!isTaken, "it waits for another")
    _ = pending.complete(7, .success(.activity(17)))
    #expect(pending.isWhole)
    pending.write(into: &output)
    #expect(
        String(decoding: output.bytes, as: UTF8.self) == #"{"jsonrpc":"2.0","result":{"activity":17},"id":"a"}"# + "\n")
}

@Test func batchWaitsForItsLastResponseAndKeepsTheOrder() throws {
    let batch =
        #"[{"jsonrpc":"2.0","method":"wait","id":1},{"jsonrpc":"2.0","method":"sum","id":2},"#
        + #"{"jsonrpc":"2.0","method":"wait"},{"jsonrpc":"2.0","method":"long","id":3},{"jsonrpc":"2.0","method":"long","id":4}]"#
    var output = JSONWriter()
    var pending = try #require(JSONRPC.respond(batch.utf8, into: &output, call: call))
    _ = pending.complete(7, .failure(.busy("x")))
    pending.write(into: &output)
    #expect(output.bytes.count <= JSONRPC.lineLimit + 1)
    let answers = try #require(JSON(parsing: output.bytes).array)
    #expect(answers.map { $0["id"]?.integer } == [1, 2, 3, 4])
    #expect(answers[0]["error"]?["code"] == .integer(-32002))
    #expect(answers[1]["result"] == .integer(0))
}

@Test func notificationIsNotDeferred() {
    var output = JSONWriter()
    let pending = JSONRPC.respond(#"{"jsonrpc":"2.0","method":"wait"}"#.utf8, into: &output, call: call)
    #expect(pending == nil)
    #expect(output.bytes.isEmpty)
}

@Test(arguments: [1000, 10_000, 60_000])
func longIDsAreBounded(length: Int) throws {
    // Characters that are written as six bytes each.
    let id = String(repeating: "\\u0001", count: length / 6)
    let answered = try #require(answer(#"{"jsonrpc":"2.0","method":"foobar","id":"\#(id)"}"#))
    #expect(answered.utf8.count <= JSONRPC.lineLimit)
}

@Test(arguments: 1...20 as ClosedRange<UInt64>)
func randomLinesGetAtMostOneLine(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
        var bytes = Array(examples.randomElement(using: &random)!.0.utf8)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(Array("{}[]\",:1".utf8).randomElement(using: &random)!, at: place)
            default: if bytes.count > 1 { bytes.remove(at: place) }
            }
        }
        var output = JSONWriter()
        JSONRPC.respond(bytes, into: &output, call: call)
        if output.bytes.isEmpty { continue }
        #expect(output.bytes.firstIndex(of: 10) == output.bytes.count - 1)
        _ = try JSON(parsing: output.bytes.dropLast())
    }
}
