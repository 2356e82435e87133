import Domain
import JSONCoding
import Testing
import Wire

@Suite struct TopicTableTests {
    private let tyres = TopicName("x-tyres")!
    private let noon = UTC(year: 2026, month: 3, day: 1)

    private func second(_ seconds: Double) -> Instant {
        Instant(milliseconds: 1_000_000 + Int64(seconds * 1000))
    }

    private func publication(_ topic: TopicName, _ data: String = "{}", lasting seconds: Int64? = nil)
        -> TopicPublication
    {
        TopicPublication(
            topic: topic, data: Array(data.utf8),
            validUntil: seconds.map { UTC(milliseconds: noon.milliseconds + $0 * 1000) }, source: nil)
    }

    private func line(_ table: TopicTable, _ topic: TopicName, at now: Instant) -> String {
        var writer = JSONWriter()
        table.write(topic, at: now, into: &writer)
        return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }

    /// The reason of a rejection; empty if there is none.
    private func reason(_ body: () throws(RPCError) -> Void) -> String {
        do throws(RPCError) {
            try body()
            return ""
        } catch {
            return "\(error.code) \(error.detail ?? "")"
        }
    }

    @Test(arguments: ["x-a", "x-0-", "x-" + String(repeating: "z", count: 30)])
    func foreignNameIsATopic(name: String) {
        #expect(TopicName(name)?.text == name)
    }

    @Test(arguments: [
        "", "x-", "x", "y-a", "X-a", "x-A", "x-ä", "x-a b", "x-a\n", "x-" + String(repeating: "z", count: 31), "wether",
    ])
    func otherNameIsNoTopic(name: String) {
        #expect(TopicName(name) == nil)
    }

    @Test func dataHasTheAgeOfTheMomentOfSending() throws {
        var table = TopicTable()
        var value = publication(tyres, #"{"kpa":520}"#)
        value.source = SanitizedText("valve")
        try table.publish(value, time: noon, at: second(0))
        #expect(
            line(table, tyres, at: second(1.5))
                == #"{"class":"DATA","topic":"x-tyres","data":{"kpa":520},"source":"valve","age_ms":1500,"stale":false}"#
        )
    }

    @Test func dataBecomesStaleOnceAndIsDroppedAfterTwiceItsValidity() throws {
        var table = TopicTable()
        try table.publish(publication(tyres, lasting: 60), time: noon, at: second(0))
        #expect(table.advance(to: second(59)).isEmpty)
        #expect(table.advance(to: second(60)) == [tyres])
        #expect(table.advance(to: second(61)).isEmpty)
        #expect(line(table, tyres, at: second(61)).hasSuffix(#""age_ms":61000,"stale":true}"#))
        #expect(table.advance(to: second(120)) == [tyres])
        #expect(!table.hasData(tyres) && table.advance(to: second(500)).isEmpty)
        #expect(line(table, tyres, at: second(121)) == #"{"class":"DATA","topic":"x-tyres"}"#)
    }

    @Test func newDataIsFreshAgain() throws {
        var table = TopicTable()
        try table.publish(publication(tyres, lasting: 60), time: noon, at: second(0))
        _ = table.advance(to: second(90))
        try table.publish(publication(tyres, lasting: 60), time: noon, at: second(90))
        #expect(table.advance(to: second(149)).isEmpty)
        #expect(line(table, tyres, at: second(90)).contains(#""stale":false"#))
    }

    @Test(arguments: [(nil, true), (nil, false), (60, false)] as [(Int64?, Bool)])
    func withoutEndOrClockDataIsValidFor10Minutes(seconds: Int64?, hasClock: Bool) throws {
        var table = TopicTable()
        try table.publish(publication(tyres, lasting: seconds), time: hasClock ? noon : nil, at: second(0))
        #expect(table.advance(to: second(599)).isEmpty)
        #expect(table.advance(to: second(600)) == [tyres])
        #expect(table.advance(to: second(1199)).isEmpty)
        #expect(table.advance(to: second(1200)) == [tyres])
    }

    @Test(
        arguments: [
            (0, "-32004 valid_until has passed"), (-1, "-32004 valid_until has passed"),
            (7 * 86_400 + 1, "-32004 valid_until is more than 7 days ahead"), (7 * 86_400, ""),
        ] as [(Int64, String)])
    func endMustBeWithin7Days(seconds: Int64, message: String) {
        var table = TopicTable()
        #expect(
            reason { () throws(RPCError) in
                try table.publish(publication(tyres, lasting: seconds), time: noon, at: second(0))
            } == message)
    }

    @Test func topicIsPublishedTwiceASecond() throws {
        var table = TopicTable()
        var accepted = 0
        for step in 0..<1000 {
            let rejection = reason { () throws(RPCError) in
                try table.publish(publication(tyres), time: nil, at: second(Double(step) / 100))
            }
            if rejection.isEmpty { accepted += 1 } else { #expect(rejection.contains("at most 2 a second")) }
            // A retraction does not reset the rate.
            try? table.retract(tyres)
        }
        #expect((20...22).contains(accepted))
    }

    @Test func topicsOfOtherProgramsAreLimited() throws {
        var table = TopicTable()
        for number in 0..<29 {
            try table.publish(publication(TopicName("x-\(number)")!), time: nil, at: second(0))
        }
        let full = reason { () throws(RPCError) in try table.publish(publication(tyres), time: nil, at: second(0)) }
        #expect(full == "-32002 there are 29 topics x-…, the most that are possible: retract one")
        try table.retract(TopicName("x-7")!)
        // The place is free when the rate of the topic has passed.
        #expect(throws: RPCError.self) { try table.publish(publication(tyres), time: nil, at: second(0.5)) }
        try table.publish(publication(tyres), time: nil, at: second(1))
        #expect(table.hasData(tyres))
    }

    @Test func retractedTopicHasNoDataAndNoSecondRetraction() throws {
        var table = TopicTable()
        try table.publish(publication(tyres), time: nil, at: second(0))
        try table.retract(tyres)
        #expect(!table.hasData(tyres))
        #expect(reason { () throws(RPCError) in try table.retract(tyres) } == "-32003 x-tyres has no data")
    }

    @Test func noticeOfATopicIsAdmittedEach10Seconds() throws {
        var table = TopicTable()
        let notice = TopicNotice(topic: tyres, key: "low", text: SanitizedText("Tyre low")!)
        try table.admit(notice, of: 1, at: second(0))
        #expect(
            reason { () throws(RPCError) in try table.admit(notice, of: 1, at: second(9.9)) }
                == "-32002 x-tyres had a notice within 10 s: at most one each 10 s")
        var other = notice
        other.topic = TopicName("x-lights")!
        try table.admit(other, of: 1, at: second(9.9))
        try table.admit(notice, of: 1, at: second(10))
    }

    @Test func noticesOfManyTopicsAreLimitedToo() {
        var table = TopicTable()
        var accepted = 0
        for number in 0..<10_000 {
            let notice = TopicNotice(topic: TopicName("x-\(number)")!, key: "k", text: SanitizedText("t")!)
            let rejection = reason { () throws(RPCError) in
                try table.admit(notice, of: 1, at: second(Double(number) / 100))
            }
            if rejection.isEmpty { accepted += 1 }
        }
        // 16 at once, then one a second for 100 s.
        #expect((114...117).contains(accepted))
    }

    @Test func noticesOfOneUserKeepThoseOfAnotherAwayFromNothing() throws {
        var table = TopicTable()
        let bus = TopicNotice(topic: TopicName("transit")!, key: "last", text: SanitizedText("The last bus")!)
        try table.admit(bus, of: 1, at: second(0))
        for number in 0..<15 {
            let notice = TopicNotice(topic: TopicName("x-\(number)")!, key: "k", text: SanitizedText("t")!)
            try table.admit(notice, of: 1, at: second(0))
        }
        try table.admit(bus, of: 2, at: second(1))
    }
}

@Suite struct TopicRequestTests {
    private func request(_ method: String, _ parameters: String) throws -> TopicRequest {
        try TopicRequest.table.call(method, JSON(parsing: parameters.utf8)).request
    }

    @Test func dataIsCompactAndSorted() throws {
        let parsed = try request(
            "topic.publish",
            #"{"topic":"x-a","data":{ "b\"" : [1, -2.50, 1e3, null, true, "<é"], "a" : {} },"valid_until":"2026-03-01T08:30:00+01:00","source":"s\u001b"}"#
        )
        guard case .publish(let publication) = parsed else { return #expect(Bool(false)) }
        #expect(
            String(decoding: publication.data, as: UTF8.self)
                == #"{"a":{},"b\"":[1,-2.5,1000.0,null,true,"\u003cé"]}"#)
        #expect(publication.validUntil == UTC(iso8601: "2026-03-01T07:30:00Z"))
        #expect(publication.source?.text == "s\u{FFFD}")
    }

    @Test func dataMayHave32KiB() throws {
        let fits = String(repeating: "x", count: 32 * 1024 - 8)
        #expect(throws: Never.self) { try request("topic.publish", #"{"topic":"x-a","data":{"a":"\#(fits)"}}"#) }
        // An escape counts as it is written.
        #expect(throws: RPCError.self) { try request("topic.publish", #"{"topic":"x-a","data":{"a":"\#(fits)x"}}"#) }
        #expect(throws: RPCError.self) {
            try request("topic.publish", #"{"topic":"x-a","data":{"a":"\#(fits.dropLast())<"}}"#)
        }
    }

    @Test(
        arguments: [
            ("topic.publish", "{}", -32602, "topic is missing"),
            ("topic.publish", #"{"topic":"x-a"}"#, -32602, "data is missing"),
            ("topic.publish", "[]", -32602, "parameters must be named, not positional"),
            (
                "topic.publish", #"{"topic":"wether","data":{}}"#, -32004,
                "topic must be weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"
            ),
            (
                "topic.publish", #"{"topic":7,"data":{}}"#, -32004,
                "topic must be weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"
            ),
            ("topic.publish", #"{"topic":"x-a","data":[]}"#, -32004, "data must be an object"),
            ("topic.publish", #"{"topic":"x-a","data":null}"#, -32004, "data must be an object"),
            (
                "topic.publish", #"{"topic":"x-a","data":{},"source":""}"#, -32004,
                "source must be a string of 1 to 64 characters"
            ),
            (
                "topic.publish", #"{"topic":"x-a","data":{},"valid_until":"2026-03-01T07:30:00"}"#, -32004,
                "valid_until must be a time with its zone, such as 2026-03-01T07:30:00Z"
            ),
            (
                "topic.publish", #"{"topic":"x-a","data":{},"for":1}"#, -32602,
                "unknown parameter \"for\": the parameters are topic, data, valid_until, source"
            ),
            ("topic.retract", "{}", -32602, "topic is missing"),
            ("notice", #"{"topic":"x-a"}"#, -32602, "key is missing"),
            ("notice", #"{"topic":"x-a","key":"A"}"#, -32004, "key must be 1 to 32 of a-z, 0-9 and -"),
            ("notice", #"{"topic":"x-a","key":"a"}"#, -32602, "text is missing"),
            ("notice", #"{"topic":"x-a","key":"a","text":7}"#, -32004, "text must be a string of 1 to 64 characters"),
            ("run.start", "{}", -32601, nil),
        ] as [(String, String, Int, String?)])
    func wrongRequestGetsAReason(method: String, parameters: String, code: Int, message: String?) throws {
        do {
            _ = try request(method, parameters)
            Issue.record("it is accepted")
        } catch let error as RPCError {
            #expect(error.code == code && error.detail == message)
        }
    }
}
