import Domain
import TestKit
import Testing

struct UUIDTests {
    /// Appendix A.6 of RFC 9562.
    @Test func timeIsInTheFirst48Bits() throws {
        var random = ScriptedNumbers([0xCC3, 0x18C4_DC0C_0C07_398F])
        let uuid = Domain.UUID.ordered(UTC(milliseconds: 0x017F_22E2_79B0), using: &random)
        #expect("\(uuid)" == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(Domain.UUID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F") == uuid)
        #expect(Domain.UUID(bytes: uuid.bytes) == uuid)
    }

    @Test func randomOneHasVersionFourAndTheVariant() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<100 {
            let text = Array("\(Domain.UUID.random(using: &random))")
            #expect(text.count == 36 && text[14] == "4" && "89ab".contains(text[19]))
        }
    }

    @Test(arguments: [
        "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e279b07cc398c4dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ])
    func otherTextIsNone(text: String) {
        #expect(Domain.UUID(text) == nil)
    }

    @Test func momentsOutsideOfTheRangeAreAtItsEnds() {
        var random = SeededRandom(seed: 1)
        #expect("\(Domain.UUID.ordered(UTC(milliseconds: -5), using: &random))".hasPrefix("00000000-0000-7"))
        #expect("\(Domain.UUID.ordered(UTC(milliseconds: .max), using: &random))".hasPrefix("ffffffff-ffff-7"))
    }
}

/// Numbers in a fixed order.
private struct ScriptedNumbers: RandomNumberGenerator {
    private var numbers: [UInt64]

    init(_ numbers: [UInt64]) {
        self.numbers = numbers
    }

    mutating func next() -> UInt64 { numbers.removeFirst() }
}

struct UUIDPrefixTests {
    @Test(arguments: ["019ca84e-", "019CA84E-08cc", "a1234567", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"])
    func beginningOfAUUIDIsRead(text: String) throws {
        let prefix = try #require(UUIDPrefix(text))
        #expect("\(prefix)" == text.lowercased())
    }

    @Test(arguments: [
        "", "a123456", "12345678", "123456789", "0123456789", "a12345678", "a1234567-12345", "g1234567", "a123456-",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "last", "017f22e279b0",
    ])
    func otherTextIsNone(text: String) {
        #expect(UUIDPrefix(text) == nil)
    }

    @Test func ambiguousBeginningNamesTheCandidates() throws {
        let uuids = ["019ca84e-08cc-7000-8000-000000000000", "019ca84e-08cd-7000-8000-000000000000"]
        let records = uuids.enumerated().map { RecordName(id: $0 + 17, uuid: Domain.UUID($1)!) }
        let prefix = try #require(UUIDPrefix("019ca84e"))
        let error = #expect(throws: UUIDPrefix.Failure.self) { try prefix.number(among: records, .activity) }
        #expect(
            error?.description == "several activities begin with 019ca84e: 17 (\(uuids[0])), 18 (\(uuids[1])); "
                + "give more of the uuid, or the number")
        #expect(try prefix.number(among: [records[1]], .activity) == 18)
        #expect(throws: UUIDPrefix.Failure.self) { try prefix.number(among: [], .course) }
    }

    @Test func uuidOfAMomentBeginsWithIt() {
        #expect("\(Domain.UUID.new(at: UTC(milliseconds: 0x019C_A84E_08CC)))".hasPrefix("019ca84e-08cc-7"))
        #expect(Array("\(Domain.UUID.new(at: nil))")[14] == "4")
    }
}
