import Domain
import TestKit
import Testing

/// Expects that a value whose flags decide its length is rejected at each shorter length, with the offset of the first
/// missing byte, and that bytes after it are ignored.
///
/// - Parameter decode: Decodes a value.
func expectTruncationIsRejected<Value: Equatable>(
    of bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
    decode: (Span<UInt8>) throws(ParseError) -> Value
) throws {
    for count in 0..<bytes.count {
        do throws(ParseError) {
            let value = try decode(Array(bytes.prefix(count)).span)
            Issue.record("\(count) of \(bytes.count) bytes give \(value)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.offset == count, sourceLocation: sourceLocation)
        }
    }
    #expect(
        try decode((bytes + [0xA5, 0x5A, 0xFF]).span) == decode(bytes.span), sourceLocation: sourceLocation)
}

/// Decodes random bytes. Expects that a value is accepted exactly if it has the bytes that its flags demand.
///
/// - Parameters:
///   - flagBytes: The size of the flags.
///   - sizes: The size of the fields of each bit; that of bit 0 is of the state that has its fields.
///   - fixed: The size of the fields that are always present.
///   - isFirstInverted: Whether bit 0 set means that its fields are absent.
func expectRandomBytesAreMeasured(
    seed: UInt64, flagBytes: Int, fixed: Int, sizes: [Int], isFirstInverted: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation, decode: (Span<UInt8>) throws(ParseError) -> Void
) {
    var random = SeededRandom(seed: seed)
    var (accepted, rejected) = (0, 0)
    for _ in 0..<5000 {
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let flags = bytes.prefix(flagBytes).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        var needed = flagBytes + fixed
        for (bit, size) in sizes.enumerated() where (flags >> bit & 1 != 0) != (bit == 0 && isFirstInverted) {
            needed += size
        }
        let isAccepted = (try? decode(bytes.span)) != nil
        #expect(isAccepted == (bytes.count >= needed), "\(bytes)", sourceLocation: sourceLocation)
        if isAccepted { accepted += 1 } else { rejected += 1 }
    }
    #expect(accepted > 500 && rejected > 500, "\(accepted), \(rejected)", sourceLocation: sourceLocation)
}
