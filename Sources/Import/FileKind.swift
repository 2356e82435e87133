import Formats

/// What the first bytes of a file begin.
enum FileKind {
    case fit, xml, json, unknown

    /// The number of first bytes that identify the kind, unless the file is shorter.
    static let headSize = 16

    /// - Throws: ``FileError`` for an empty file, and for one that must be unpacked first.
    init(_ head: [UInt8]) throws(FileError) {
        guard !head.isEmpty else { throw FileError("the file is empty") }
        if head.starts(with: [0x1F, 0x8B]) {
            throw FileError("the file is compressed by gzip: unpack it first (gunzip)")
        }
        if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw FileError("the file is a ZIP archive, as KMZ files are: unpack it first (unzip)")
        }
        if FitReader.recognises(head.span) {
            self = .fit
            return
        }
        if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE]) {
            self = .xml
            return
        }
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "<"), nil: self = .xml
        case UInt8(ascii: "{"): self = .json
        default: self = .unknown
        }
    }
}
