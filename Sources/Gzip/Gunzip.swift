import CZlib
package import Formats

/// Unpacks a gzip file in pieces, through zlib. Memory use does not grow with the file.
///
/// Source: RFC 1952, zlib.h.
@safe
package struct Gunzip: ~Copyable {
    /// The most bytes of an unpacked file. More is an error: a small file may unpack to terabytes.
    package static let limit = 1 << 30

    private static let pieceSize = 65_536
    /// 32 KiB of history, and the header of gzip (zlib.h, inflateInit2).
    private static let windowBits: Int32 = 15 + 16

    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutableBufferPointer<UInt8>
    private var fed = 0
    private var unpacked = 0
    /// A file may have several members, one after the other.
    private var isBetweenMembers = false

    /// Whether the bytes begin a gzip file.
    package static func recognises(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B
    }

    /// - Throws: ``FileError`` if memory is exhausted.
    package init() throws(FileError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe piece = .allocate(capacity: Self.pieceSize)
        let result = unsafe inflateInit2_(
            stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        if result != Z_OK { throw FileError("out of memory") }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe piece.deallocate()
    }

    /// Unpacks the next bytes of the file, and passes them to `body` in pieces.
    ///
    /// - Throws: ``FileError`` with the place in the packed file, or an error of `body`.
    package mutating func feed(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void) throws {
        let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        defer { unsafe input.deallocate() }
        for index in bytes.indices { unsafe input[index] = bytes[index] }
        unsafe stream.pointee.next_in = input.baseAddress
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        while true {
            if isBetweenMembers {
                if unsafe stream.pointee.avail_in == 0 { break }
                unsafe inflateReset(stream)
                isBetweenMembers = false
            }
            unsafe stream.pointee.next_out = piece.baseAddress
            unsafe stream.pointee.avail_out = UInt32(piece.count)
            let result = unsafe inflate(stream, Z_NO_FLUSH)
            let count = unsafe piece.count - Int(stream.pointee.avail_out)
            unpacked += count
            if unpacked > Self.limit { throw FileError("the unpacked file is larger than 1 GiB") }
            if count > 0 { try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(piece)).extracting(0..<count)) }
            switch result {
            case Z_STREAM_END: isBetweenMembers = true
            case Z_OK, Z_BUF_ERROR: break
            default:
                let place = unsafe fed + bytes.count - Int(stream.pointee.avail_in)
                throw FileError(at: .byte(place), "the packed data (gzip) are damaged")
            }
            let isDone = unsafe stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
            if isDone || result == Z_BUF_ERROR { break }
        }
        fed += bytes.count
    }
}
