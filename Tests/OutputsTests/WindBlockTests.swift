import Domain
import TestKit
import Testing
import Wire

@Suite struct WindBlockTests {
    private func block(_ wind: WindStatus?) -> String {
        var state = State.idle(at: Instant(milliseconds: 5))
        state.wind = wind
        var lines = StateLines(settings: Settings())
        lines.encode(state, sequence: 7)
        let line = String(decoding: lines.line(with: .wind), as: UTF8.self)
        return String(line.split(separator: #""blocks":"#).last ?? "")
    }

    @Test func `The schema of WATCH has all blocks`() {
        let names = StateBlocks.names.map { "\"\($0.name)\"" }.joined(separator: ",")
        #expect(Schema.text.filter { !$0.isWhitespace }.contains("\"enum\":[\(names)]"))
    }

    @Test func `The wind has a block while there is an observation`() {
        #expect(block(nil) == "{}}\n")
        #expect(
            block(.example)
                == #"{"wind":{"headwind_mps":5.23,"crosswind_mps":-3.02,"relative_deg":-30,"speed_mps":6.04,"#
                + #""from_deg":240,"station":"EDDB","distance_m":12400,"age_s":600}}}"# + "\n")
        var stale = WindStatus.example
        stale = WindStatus(station: stale.station, distance: stale.distance, reason: .stale)
        #expect(block(stale) == #"{"wind":{"reason":"stale","station":"EDDB","distance_m":12400}}}"# + "\n")
    }
}
