import CGcrypt

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The 32 bytes of a message's hash; nil if the library has no SHA-256, as in a FIPS mode that failed its tests.
    package static func hash(of message: [UInt8]) -> [UInt8]? {
        // The library initialises itself at the first call of this function.
        unsafe _ = gcry_check_version(nil)
        var message = message
        var hash = [UInt8](repeating: 0, count: 32)
        let length = message.count
        let code = unsafe message.withUnsafeMutableBytes { message in
            var part = unsafe gcry_buffer_t(size: 0, off: 0, len: length, data: message.baseAddress)
            return unsafe gcry_md_hash_buffers(Int32(GCRY_MD_SHA256.rawValue), 0, &hash, &part, 1)
        }
        return code == 0 ? hash : nil
    }
}
