import Domain
import JSONCoding
import Testing
import Transit

@Suite struct RealtimeFeedTests {
    /// The lines, or those before the error and the error.
    private func lines(_ bytes: [UInt8]) -> (lines: [String], error: ParseError?) {
        var writer = JSONWriter()
        var error: ParseError?
        do throws(ParseError) {
            var feed = try RealtimeFeedLines(bytes)
            while try feed.write(into: &writer) {}
        } catch let failure {
            error = failure
        }
        return (String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").map(String.init), error)
    }

    private func message(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    private func text(_ number: UInt8, _ text: String) -> [UInt8] {
        message(number, Array(text.utf8))
    }

    private var header: [UInt8] { message(1, text(1, "2.0")) }

    private func entity(_ content: [UInt8]) -> [UInt8] {
        header + message(2, text(1, "e") + content)
    }

    @Test func headerIsFirstWhereverItIs() {
        let feed = message(2, text(1, "a")) + header + message(2, text(1, "b"))
        #expect(lines(feed).lines == [#"{"header":{"gtfs_realtime_version":"2.0"}}"#, #"{"id":"a"}"#, #"{"id":"b"}"#])
    }

    @Test func fieldsHaveTheirTypes() {
        let arrival: [UInt8] = [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01, 0x10, 0x80, 0x01]
        let stop = [0x08, 0x03] + message(2, arrival) + [0x28, 0x01]
        let position: [UInt8] = [0x0D, 0, 0, 0x3C, 0x42, 0x15, 0, 0, 0xF4, 0xC2, 0x1D, 0, 0, 0xC0, 0x7F]
        let update = message(3, message(1, text(1, "t")) + message(2, stop))
        #expect(
            lines(entity([0x10, 0x01] + update + message(4, message(2, position)))).lines.last == """
                {"id":"e","is_deleted":true,"trip_update":{"trip":{"trip_id":"t"},"stop_time_update":[\
                {"stop_sequence":3,"arrival":{"delay":-1,"time":128},"schedule_relationship":"SKIPPED"}]},\
                "vehicle":{"position":{"latitude":47.0,"longitude":-122.0,"bearing":"NaN"}}}
                """)
    }

    @Test func partsOfAMessageAreMergedAndTheLastScalarCounts() {
        let twice = message(3, message(1, text(1, "t"))) + message(3, message(1, text(1, "u") + text(5, "r")))
        #expect(
            lines(entity(twice)).lines.last == #"{"id":"e","trip_update":{"trip":{"trip_id":"u","route_id":"r"}}}"#)
    }

    @Test(arguments: [
        [0xA2, 0x3E, 0x01, 0x78],  // an extension, 996
        [0x7B, 0x7A, 0x01, 0x41, 0x7C],  // a group, 15
        [0x23, 0x23, 0x24, 0x24],  // groups in the place of a message
        [0x10] + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x15, 0, 0, 0, 0],  // a wrong type after
    ]) func unknownFieldsAreSkipped(content: [UInt8]) {
        let result = lines(entity(content))
        #expect(result.error == nil)
        #expect(result.lines.last?.hasPrefix(#"{"id":"e""#) == true)
    }

    @Test func unknownTokensAreLeftOut() {
        #expect(lines(entity(message(4, [0x20, 0x07]))).lines.last == #"{"id":"e","vehicle":{}}"#)
    }

    @Test(arguments: [
        ([], "expected a header at byte 0"),
        ([0x0A], "expected more bytes at byte 1"),
        ([0x0A, 0x05, 0x0A], "expected a length that fits at byte 1"),
        ([0x00], "expected a field at byte 0"),
        ([0x0E], "expected a field at byte 0"),
        ([0x0C], "expected a field at byte 0"),
        ([0x0B], "expected the end of a group at byte 1"),
        ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], "expected a number of 64 bits at byte 9"),
        ([0x0A, 0x00], "expected gtfs_realtime_version at byte 2"),
        ([0x0D, 0x00], "expected more bytes at byte 2"),
        ([UInt8](repeating: 0x0B, count: 101), "expected fewer groups at byte 100"),
    ]) func wrongBytesAreNamed(bytes: [UInt8], expected: String) {
        #expect(lines(bytes).error?.description == expected)
    }

    @Test func entitiesBeforeACutAreThere() {
        let feed = header + message(2, text(1, "a")) + message(2, message(3, []))
        let result = lines(feed)
        #expect(result.lines.count == 2 && result.error?.expected == "id")
        for count in feed.indices.dropLast() { #expect(lines(Array(feed.prefix(count))).lines.count <= 2) }
    }

    @Test(arguments: 1...8) func randomBytesEndWithoutACrash(seed: UInt64) {
        var state = seed
        for _ in 0..<2000 {
            let bytes = (0..<24).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            #expect(lines(header + message(2, text(1, "e") + bytes)).lines.count <= 4)
        }
    }
}
