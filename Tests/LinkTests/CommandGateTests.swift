import Domain
import JSONCoding
import Link
import Testing

@Suite struct CommandGateTests {
    private static let start = Instant(nanoseconds: 0)

    private static func request(_ id: String, _ method: String = "run.lap", _ more: String = "") -> [UInt8] {
        Array(#"{"id":"\#(id)","method":"\#(method)"\#(more)}"#.utf8)
    }

    private static func code(_ verdict: CommandGate.Verdict) -> Int? {
        if case .refused(_, let code, _) = verdict { code } else { nil }
    }

    @Test func onlyMethodsOfTheListAreCarriedOut() {
        var gate = CommandGate(["run.lap"])
        #expect(
            gate.judge(Self.request("1"), at: Self.start)
                == .accepted(id: "1", method: "run.lap", parameters: .object([:])))
        #expect(Self.code(gate.judge(Self.request("2", "run.stop"), at: Self.start)) == -32601)
        #expect(!CommandGate.methods.contains("run.discard"))
    }

    @Test(arguments: [
        "", "x", "[]", #"{"id":1,"method":"run.lap"}"#, #"{"id":"","method":"run.lap"}"#, #"{"method":"run.lap"}"#,
        #"{"id":"\#(String(repeating: "a", count: 65))","method":"run.lap"}"#,
        #"{"id":"1","method":"run.lap","params":{"a":"\#(String(repeating: "a", count: 1024))"}}"#,
    ])
    func whatIsNoRequestIsIgnored(_ text: String) {
        var gate = CommandGate(["run.lap"])
        #expect(gate.judge(Array(text.utf8), at: Self.start) == .ignored)
    }

    @Test func aRequestIsCarriedOutOnce() {
        var gate = CommandGate(["run.lap"])
        _ = gate.judge(Self.request("1"), at: Self.start)
        #expect(gate.judge(Self.request("1"), at: Self.start + .seconds(60)) == .ignored)
    }

    @Test func aMethodIsCarriedOutOnceInTenSeconds() {
        var gate = CommandGate(["run.lap", "run.stop"])
        _ = gate.judge(Self.request("1"), at: Self.start)
        gate.finish("run.lap", isDone: true, at: Self.start)
        #expect(Self.code(gate.judge(Self.request("2"), at: Self.start + .seconds(9))) == -32002)
        #expect(Self.code(gate.judge(Self.request("3", "run.stop"), at: Self.start + .seconds(9))) == nil)
        #expect(Self.code(gate.judge(Self.request("4"), at: Self.start + .seconds(10))) == nil)
    }

    @Test func parametersAreAnObjectAndOneRequestOfAMethodWaits() {
        var gate = CommandGate(["run.mark"])
        #expect(Self.code(gate.judge(Self.request("1", "run.mark", #","params":[1]"#), at: Self.start)) == -32602)
        #expect(Self.code(gate.judge(Self.request("2", "run.mark"), at: Self.start)) == nil)
        #expect(Self.code(gate.judge(Self.request("3", "run.mark"), at: Self.start)) == -32002)
        // One that paced has refused does not count.
        gate.finish("run.mark", isDone: false, at: Self.start)
        #expect(Self.code(gate.judge(Self.request("4", "run.mark"), at: Self.start)) == nil)
    }
}
