import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct BusValueTests {
    private static var values: [BusValue] {
        [
            .bool(true), .byte(200), .int16(-2), .uint16(65_535), .int32(-70_000), .uint32(.max), .int64(.min),
            .uint64(.max), .double(-1.5), .string("Stråp"), .objectPath("/org/bluez/hci0"), .signature("a{sv}"),
            .bytes([0, 1, 255]), .bytes([]), .array(of: "s", [.string("a"), .string("")]), .array(of: "{sv}", []),
            .properties(["Connected": .bool(false), "RSSI": .int16(-61)]),
            .structure([.byte(1), .structure([.string("x")])]), .variant(.variant(.uint16(247))),
            .array(of: "{oa{sa{sv}}}", [.entry(.objectPath("/"), .array(of: "{sa{sv}}", []))]),
        ]
    }

    @Test func everyTypeSurvivesARoundTrip() throws {
        #expect(try Self.echo(Self.values).get() == Self.values)
    }

    @Test func variantReadsAsItsContent() {
        let properties = BusValue.properties([
            "Connected": .bool(true), "RSSI": .int16(-61), "Name": .string("Polar"), "Value": .bytes([6, 90]),
            "Flags": .array(of: "s", [.string("notify"), .string("read")]),
        ])
        #expect(properties["Connected"]?.bool == true)
        #expect(properties["RSSI"]?.integer == -61)
        #expect(properties["Name"]?.text == "Polar")
        #expect(properties["Value"]?.bytes == [6, 90])
        #expect(properties["Flags"]?.elements.compactMap(\.text) == ["notify", "read"])
        #expect(properties["Paired"] == nil)
        #expect(properties.entries.map(\.key) == ["Connected", "RSSI", "Name", "Value", "Flags"])
    }

    @Test func valueOfAnotherTypeReadsAsNil() {
        for value in Self.values {
            let readings: [Any?] = [value.bool, value.integer, value.text, value.bytes, value.descriptor]
            #expect(readings.filter { $0 != nil }.count <= 1)
            #expect(value["Connected"] == nil || value.entries.count == 2)
        }
        #expect(BusValue.uint64(.max).integer == nil)
        #expect(BusValue.string("1")["Connected"] == nil)
        #expect(BusValue.string("1").entries.isEmpty)
    }

    @Test(arguments: [
        ("deep", 16, true), ("deep", 17, false), ("many", 1_048_575, true), ("many", 1_048_576, false),
        ("long", 16_777_216, true), ("long", 16_777_217, false), ("bytes", 16_777_216, true),
        ("bytes", 16_777_217, false),
    ])
    func messageAboveItsLimitsIsRejected(kind: String, size: Int, passes: Bool) throws {
        let value: BusValue =
            switch kind {
            case "deep": (0..<size).reduce(.byte(0)) { value, _ in .variant(value) }
            case "many": .array(of: "b", Array(repeating: .bool(true), count: size))
            case "bytes": .bytes(Array(repeating: 7, count: size))
            default: .string(String(repeating: "x", count: size))
            }
        let answer = try Self.echo([value])
        if passes {
            #expect(try answer.get() == [value])
        } else {
            #expect { try answer.get() } throws: { ($0 as? BusError)?.name == BusError.limitsExceeded }
        }
    }

    @Test func releasedDescriptorStaysOpen() throws {
        let pipe = try Ends()
        let answer = try Self.echo([.descriptor(BusDescriptor(pipe.takeWriter()))])
        let descriptor = try #require(answer.get().first?.descriptor)
        let taken = descriptor.release()?.release()
        let writer = try #require(taken)
        defer { close(writer) }
        let isThereAgain = descriptor.release() != nil
        #expect(!isThereAgain)
        #expect(write(writer, "x", 1) == 1)
        #expect(pipe.next() == [UInt8(ascii: "x")])
        #expect(fcntl(writer, F_GETFD) == FD_CLOEXEC)
    }

    @Test func unreleasedDescriptorClosesWithItsValue() throws {
        let pipe = try Ends()
        var answer: Result<[BusValue], BusError>? = try Self.echo([.descriptor(BusDescriptor(pipe.takeWriter()))])
        #expect(pipe.next() == nil)
        #expect(try answer?.get().count == 1)
        answer = nil
        #expect(pipe.isClosed())
    }

    @Test func descriptorsAboveTheLimitAreAllClosed() throws {
        let pipe = try Ends()
        let descriptor = BusDescriptor(pipe.takeWriter())
        let answer = try Self.echo(Array(repeating: .descriptor(descriptor), count: 17))
        #expect { try answer.get() } throws: { ($0 as? BusError)?.name == BusError.limitsExceeded }
        _ = descriptor.release()
        #expect(pipe.isClosed())
    }

    /// A pipe whose read end shows when the last write end is closed.
    private final class Ends {
        private let reader: FileDescriptor
        private var writer: FileDescriptor?

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(Glibc.pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            reader = FileDescriptor(owning: ends[0])
            writer = FileDescriptor(owning: ends[1])
        }

        func takeWriter() -> FileDescriptor { writer.take()! }

        /// Reads some bytes: empty at the end, nil if there are none yet.
        func next() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = bytes.withUnsafeMutableBytes { try? reader.read(into: $0) }
            return count.map { Array(bytes[..<$0]) }
        }

        /// Whether all write ends are closed. The bus closes its copies a moment later.
        func isClosed() -> Bool {
            for _ in 0..<1000 {
                if let bytes = next() { return bytes.isEmpty }
                usleep(10_000)
            }
            return false
        }
    }

    /// Returns values after a round trip to a peer that echoes them.
    private static func echo(_ values: [BusValue]) throws -> Result<[BusValue], BusError> {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        let object = try service.serve("/thing") { try? $0.reply($0.message.arguments) }
        let bus = try stage.connect()
        var answer: Result<[BusValue], BusError>?
        let call = bus.call("org.example", "/thing", "org.example.Thing", "Echo", values, timeout: .seconds(10)) {
            answer = $0
        }
        try stage.turn { answer != nil }
        return try withExtendedLifetime((object, call)) { try #require(answer) }
    }
}
