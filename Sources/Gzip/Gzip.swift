import CZlib

/// Packs data in the format of gzip, through zlib.
///
/// Source: RFC 1952, zlib.h.
package enum Gzip {
    /// 32 KiB of history, and the header of gzip (zlib.h, deflateInit2).
    private static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// The packed bytes; nil if memory is exhausted.
    package static func pack(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        let begun = unsafe deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))))
        let (available, room) = (UInt32(input.count), UInt32(output.count))
        let result = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = available
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = room
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { return nil }
        output.removeLast(Int(unsafe stream.avail_out))
        return output
    }
}
