import CGcrypt

/// HMAC-SHA-256 (RFC 2104): who does not know the key cannot predict a hash, nor find its message.
package struct KeyedHash: Sendable {
    /// The length of a key in bytes.
    package static let keyLength = 32

    private let key: [UInt8]

    package init(key: [UInt8]) {
        self.key = key
        // The library initialises itself at the first call of this function.
        unsafe _ = gcry_check_version(nil)
    }

    /// The 32 bytes of a message's hash; nil if the library has no SHA-256, as in a FIPS mode that failed its tests.
    package func hash(of message: [UInt8]) -> [UInt8]? {
        var key = key
        var message = message
        var hash = [UInt8](repeating: 0, count: 32)
        let (keyLength, length) = (key.count, message.count)
        let code = unsafe key.withUnsafeMutableBytes { key in
            unsafe message.withUnsafeMutableBytes { message in
                var parts = unsafe [
                    gcry_buffer_t(size: 0, off: 0, len: keyLength, data: key.baseAddress),
                    gcry_buffer_t(size: 0, off: 0, len: length, data: message.baseAddress),
                ]
                return unsafe gcry_md_hash_buffers(
                    Int32(GCRY_MD_SHA256.rawValue), UInt32(GCRY_MD_FLAG_HMAC.rawValue), &hash, &parts, 2)
            }
        }
        return code == 0 ? hash : nil
    }

    /// Two numbers from 0 to 1 of a list of numbers; nil as ``hash(of:)``.
    package func fractions(of numbers: [Int64]) -> (Double, Double)? {
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        guard let hash = hash(of: bytes) else { return nil }
        func number(at start: Int) -> Double {
            Double(hash[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / Double(UInt32.max)
        }
        return (number(at: 0), number(at: 4))
    }
}
