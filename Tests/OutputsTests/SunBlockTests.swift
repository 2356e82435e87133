import Domain
import TestKit
import Testing
import Wire

@Suite struct SunBlockTests {
    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func `The sun has a block once the place and the time are known`() {
        var state = State.idle(at: Instant(milliseconds: 5))
        var lines = StateLines(settings: Settings())
        lines.encode(state, sequence: 7)
        #expect(text(lines.line(with: .sun)).hasSuffix(#","blocks":{}}"# + "\n"))
        state.sun = .example
        lines.encode(state, sequence: 8)
        #expect(
            text(lines.line(with: .sun)).hasSuffix(
                #","blocks":{"sun":{"state":"day","dawn":"2026-03-01T05:20:10.500Z","#
                    + #""rise":"2026-03-01T05:53:20.000Z","set":"2026-03-01T16:52:33.123Z","#
                    + #""dusk":"2026-03-01T17:25:54.000Z","light_left_s":1800}}}"# + "\n"))
        state.sun = SunStatus(phase: .polarDay)
        lines.encode(state, sequence: 9)
        #expect(text(lines.line(with: .sun)).hasSuffix(#","blocks":{"sun":{"state":"polar-day"}}}"# + "\n"))
    }
}
