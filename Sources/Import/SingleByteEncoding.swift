import CExpat
import Glibc

/// The encodings of XML files that expat does not know and the C library does: those with a character in each byte, such as
/// windows-1252 and iso-8859-15.
enum SingleByteEncoding {
    /// Fills the table of characters of an encoding by its name in the declaration of a file.
    ///
    /// - Returns: False for a name that the C library does not know, and for an encoding with more bytes in a character.
    static func fill(_ encoding: UnsafeMutablePointer<XML_Encoding>, named name: UnsafePointer<XML_Char>) -> Bool {
        // The name is from the file: no path, and no option of iconv.
        let text = unsafe String(cString: name)
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ isOfName($0) }) else { return false }
        let converter = unsafe iconv_open("UTF-32LE", name)
        guard unsafe converter != iconv_t(bitPattern: -1) else { return false }
        defer { unsafe _ = iconv_close(converter) }
        return unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { bytes in
            let map = unsafe bytes.bindMemory(to: Int32.self)
            for byte in 0..<256 {
                // A character outside of the plane that expat takes, or no character.
                let scalar = unsafe scalar(of: UInt8(byte), converter)
                guard scalar != nil || errno != EINVAL else { return false }
                unsafe map[byte] = scalar.flatMap { $0 <= 0xFFFF ? Int32($0) : nil } ?? -1
            }
            return true
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The character of a byte; nil, with `errno`, if it has none: `EINVAL` if it is the first byte of one.
    private static func scalar(of byte: UInt8, _ converter: iconv_t?) -> UInt32? {
        var (input, output) = (CChar(bitPattern: byte), UInt32(0))
        var (inputSize, outputSize) = (1, 4)
        errno = 0
        let count = unsafe withUnsafeMutablePointer(to: &input) { input in
            unsafe withUnsafeMutableBytes(of: &output) { output in
                var from: UnsafeMutablePointer<CChar>? = unsafe input
                var to = unsafe output.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe iconv(converter, &from, &inputSize, &to, &outputSize)
            }
        }
        return count != Int(bitPattern: UInt.max) && outputSize == 0 ? UInt32(littleEndian: output) : nil
    }
}
