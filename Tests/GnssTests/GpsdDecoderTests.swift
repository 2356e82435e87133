import Domain
import Gnss
import Sensors
import TestKit
import Testing

@Suite struct GpsdDecoderTests {
    static let start = Instant(milliseconds: 1_000_000)

    /// The steps of a decoder that receives these pieces, one per `interval`.
    func steps(_ pieces: [ArraySlice<UInt8>], every interval: Duration = .milliseconds(1)) -> [GpsdDecoder.Step] {
        var stream = GpsdDecoder(addresses: 1)
        var now = Self.start
        var steps: [GpsdDecoder.Step] = []
        stream.advance(to: now, into: &steps)
        stream.connected(at: now)
        for piece in pieces {
            stream.received(piece, at: now, into: &steps)
            stream.advance(to: now, into: &steps)
            now += interval
        }
        now += .seconds(1)
        stream.advance(to: now, into: &steps)
        return steps
    }

    /// The steps without their times, which depend on the splits.
    func timeless(_ steps: [GpsdDecoder.Step]) -> [GpsdDecoder.Step] {
        steps.map { step in
            guard case .input(.fix(var fix)) = step else { return step }
            fix.arrivedAt = Self.start
            return .input(.fix(fix))
        }
    }

    func transcript(_ lines: [String]) -> [UInt8] {
        Array(([FakeGpsd.version] + lines).flatMap { Array($0.utf8) + [13, 10] })
    }

    @Test func transcriptCutAnywhereGivesTheSameSteps() throws {
        let lines = try GpsdLog("gpsd/humminbird-M37.log").recordedJSON().prefix(8)
        let bytes = transcript([#"{"class":"DEVICES","devices":[]}"#, "$GPGGA,garbage"] + lines)
        let whole = timeless(steps([bytes[...]]))
        #expect(whole.count { if case .input(.fix) = $0 { true } else { false } } == 5)
        for cut in bytes.indices {
            #expect(timeless(steps([bytes[..<cut], bytes[cut...]])) == whole)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>, ["telit-he910", "ublox-neo-m8l"])
    func longTranscriptCutAtRandomGivesTheSameSteps(seed: UInt64, name: String) throws {
        var random = SeededRandom(seed: seed)
        let bytes = transcript(Array(try GpsdLog("gpsd/\(name).log").recordedJSON().prefix(400)))
        let whole = timeless(steps([bytes[...]], every: .zero))
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(Int.random(in: 1...3_000, using: &random)))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        // No time passes, as for the whole. Epochs that end by timeout are tested elsewhere.
        #expect(timeless(steps(pieces, every: .zero)) == whole)
    }

    @Test func garbageBetweenReportsDoesNotLoseAReport() {
        let tpv = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2}"#
        let garbage = ["\0\u{1}\u{7F}", String(repeating: "x", count: 100_000), "{", tpv.dropLast().description, "}{"]
        let steps = steps([transcript(garbage.flatMap { [$0, tpv] })[...]])
        #expect(steps.count { if case .input(.fix(let fix)) = $0 { fix.hasPosition } else { false } } == garbage.count)
    }

    @Test func partialLineOfAClosedConnectionIsDiscarded() {
        var stream = GpsdDecoder(addresses: 1)
        let now = Self.start
        func inputs(_ bytes: [UInt8]) -> [Input] {
            var steps: [GpsdDecoder.Step] = []
            stream.received(bytes, at: now, into: &steps)
            stream.advance(to: now, into: &steps)
            return steps.compactMap { if case .input(let input) = $0 { input } else { nil } }
        }
        _ = inputs([])
        stream.connected(at: now)
        _ = inputs(Array((FakeGpsd.version + "\n" + #"{"class":"TPV","mode":3,"lat":1,"#).utf8))
        stream.closed(at: now)
        _ = inputs([])
        stream.connected(at: now)
        let fixes = inputs(Array((FakeGpsd.version + "\n" + #"{"class":"TPV","mode":3,"lat":5,"lon":6}"# + "\n").utf8))
            .compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
        #expect(fixes.map(\.latitude) == [5])
    }

    @Test func otherProtocolVersionGivesNoFixes() {
        let tpv = #"{"class":"TPV","mode":3,"lat":1,"lon":2}"#
        let bytes = Array((#"{"class":"VERSION","proto_major":2}"# + "\n" + tpv + "\n").utf8)
        #expect(
            steps([bytes[...]]).allSatisfy { if case .input(.fix) = $0 { false } else { true } })
    }

    @Test func linkIsReportedOnlyWhenItChanges() {
        let tpv = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2}"#
        let lost = #"{"class":"TPV","device":"/dev/a","mode":1}"#
        let links = steps([transcript([tpv, tpv, lost, lost, tpv])[...]]).compactMap {
            if case .input(.gpsdLink(let link)) = $0 { link } else { nil }
        }
        let name = SanitizedText("/dev/a")
        #expect(
            links == [
                LinkStatus(.connecting, reason: .silent), LinkStatus(.connected, name: name),
                LinkStatus(.connecting, reason: .noFix, name: name), LinkStatus(.connected, name: name),
            ])
    }

    @Test func silenceIsReportedAfterFiveSeconds() {
        var stream = GpsdDecoder(addresses: 1)
        var now = Self.start
        var steps: [GpsdDecoder.Step] = []
        stream.advance(to: now, into: &steps)
        stream.connected(at: now)
        stream.received(transcript([#"{"class":"TPV","mode":3,"lat":1,"lon":2}"#]), at: now, into: &steps)
        stream.advance(to: now, into: &steps)
        while stream.deadline <= Self.start + .seconds(5) {
            now = stream.deadline
            stream.advance(to: now, into: &steps)
        }
        let reports: [LinkReason?] = steps.compactMap {
            if case .input(.gpsdLink(let link)) = $0 { .some(link.reason) } else { nil }
        }
        #expect(reports == [.silent, nil, .silent])
        #expect(now == Self.start + .seconds(5))
    }

    /// For any input, time moves forward: each call ends, and the deadline is not always immediate.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomInputIsProcessedInABoundedNumberOfSteps(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let lines = transcript(try GpsdLog("gpsd/humminbird-M37.log").recordedJSON())
        var stream = GpsdDecoder(addresses: 2, device: seed.isMultiple(of: 3) ? "/dev/a" : nil)
        var now = Self.start
        var turns = 0
        var steps: [GpsdDecoder.Step] = []
        for _ in 0..<1_000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: stream.connected(at: now)
            case 1: stream.failed(at: now)
            case 2: stream.closed(at: now)
            case 3:
                let bytes = (0..<50).map { _ in UInt8.random(in: 0...255, using: &random) }
                stream.received(bytes, at: now, into: &steps)
            default:
                let from = Int.random(in: lines.indices, using: &random)
                let bytes = lines[from...].prefix(Int.random(in: 0...4_000, using: &random))
                stream.received(bytes, at: now, into: &steps)
            }
            let end = now + .milliseconds(Int.random(in: 0...3_000, using: &random))
            while true {
                repeat {
                    for step in steps {
                        turns += 1
                        if case .connection(.connect) = step, Bool.random(using: &random) { stream.failed(at: now) }
                    }
                    steps = []
                    stream.tick(at: now, into: &steps)
                } while !steps.isEmpty
                turns += 1
                #expect(stream.deadline > now)
                guard stream.deadline <= end else { break }
                now = stream.deadline
            }
            now = max(now, end)
        }
        #expect(turns < 40_000)
    }
}

extension GpsdDecoder {
    /// Advances timers until nothing more is due, as the client does.
    mutating func advance(to now: Instant, into steps: inout [Step]) {
        var count: Int
        repeat {
            count = steps.count
            tick(at: now, into: &steps)
        } while steps.count > count
    }
}
