import Domain
import Glibc
import Linux
import SQLite

/// The frames of a write-ahead log (`-wal`), read without SQLite.
///
/// SQLite ignores the frames from the first wrong checksum on. A frame's checksum continues the one stored
/// in the previous frame, so frames after a damaged one can still be verified: ``offsets`` includes them.
///
/// Source: SQLite, Database File Format, section 4 (https://www.sqlite.org/fileformat2.html#walformat).
struct WriteAheadLog {
    static let headerSize = 32
    static let frameHeaderSize = 24
    /// The most bytes read of a log, which may be large if a reader has prevented its reset.
    static let sizeLimit = 64 << 20

    private(set) var pageSize: Int
    /// The file offset of the newest verified and committed version of each page, keyed by page number.
    private(set) var offsets: [Int: Int] = [:]
    /// The frames of the present generation that SQLite ignores, and the commits among them.
    private(set) var dropped = (frames: 0, commits: 0)

    /// - Parameter pageSize: the page size of the database, if its header is readable.
    /// - Returns: Nil if there is no log or no frame.
    init?(_ file: DamagedFile, pageSize: Int?) {
        guard file.size > Self.headerSize, let header = file.bytes(at: 0, Self.headerSize) else { return nil }
        let magic = header.word(0)
        let isBigEndian = magic == 0x377F_0683
        var sum = Checksum(header.word(24), header.word(28))
        var own = Checksum(0, 0)
        own.add(header[..<24], isBigEndian: isBigEndian)
        let isHeaderGood = magic & ~1 == 0x377F_0682 && header.word(4) == 3_007_000 && own == sum
        let stated = Int(header.word(8))
        let isStated = isHeaderGood && DamagedDatabase.isPageSize(stated)
        self.pageSize = isStated ? stated : pageSize ?? 1024
        let frameSize = Self.frameHeaderSize + self.pageSize
        let count = (min(file.size, Self.sizeLimit) - Self.headerSize) / frameSize
        guard count > 0 else { return nil }
        var salt = (header.word(16), header.word(20))
        if !isHeaderGood, let first = file.bytes(at: Self.headerSize, Self.frameHeaderSize) {
            salt = (first.word(8), first.word(12))
        }
        var isPrefix = isHeaderGood
        var pending: [(page: Int, offset: Int)] = []
        for index in 0..<count {
            let offset = Self.headerSize + index * frameSize
            guard let frame = file.bytes(at: offset, frameSize) else {
                isPrefix = false
                continue
            }
            let isCurrent = (frame.word(8), frame.word(12)) == salt
            sum.add(frame[..<8], isBigEndian: isBigEndian)
            sum.add(frame[Self.frameHeaderSize...], isBigEndian: isBigEndian)
            let stored = Checksum(frame.word(16), frame.word(20))
            let isVerified = isCurrent && sum == stored
            sum = stored
            let isCommit = frame.word(4) != 0
            isPrefix = isPrefix && isVerified
            if isCurrent, !isPrefix {
                dropped.frames += 1
                if isCommit { dropped.commits += 1 }
            }
            if isVerified { pending.append((Int(frame.word(0)), offset + Self.frameHeaderSize)) }
            if isCurrent, isCommit {
                for (page, offset) in pending where page > 0 { offsets[page] = offset }
                pending = []
            }
        }
        // A kill leaves frames without a commit. No committed data is lost with them.
        if dropped.commits == 0 { dropped.frames = 0 }
    }

    /// The part of a journal's log that SQLite ignores, as text for a log line. Nil if none.
    static func loss(besideJournalAt path: String) -> String? {
        // The database is not opened: closing it would drop the locks of other connections.
        guard let file = DamagedFile(path + "-wal"), let log = WriteAheadLog(file, pageSize: nil),
            log.dropped.commits > 0
        else { return nil }
        return "\(log.dropped.commits) commits in \(log.dropped.frames) frames"
    }

    private struct Checksum: Equatable {
        var first: UInt32
        var second: UInt32

        init(_ first: UInt32, _ second: UInt32) {
            self.first = first
            self.second = second
        }

        /// - Parameter bytes: a multiple of 8 bytes.
        mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
            var index = bytes.startIndex
            while index + 8 <= bytes.endIndex {
                let (one, two) = (bytes.word(index), bytes.word(index + 4))
                first &+= (isBigEndian ? one : one.byteSwapped) &+ second
                second &+= (isBigEndian ? two : two.byteSwapped) &+ first
                index += 8
            }
        }
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// A big-endian integer of four bytes; 0 beyond the end.
    func word(_ index: Int) -> UInt32 {
        guard index >= startIndex, index + 4 <= endIndex else { return 0 }
        return UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
            | UInt32(self[index + 3])
    }

    /// A big-endian integer of two bytes; 0 beyond the end.
    func half(_ index: Int) -> Int {
        index >= startIndex && index + 2 <= endIndex ? Int(self[index]) << 8 | Int(self[index + 1]) : 0
    }
}

/// A file that is only read.
final class DamagedFile {
    private let file: FileDescriptor
    let size: Int

    /// Nil if the path is no readable regular file. Links are not followed.
    init?(_ path: String) {
        guard let slash = path.lastIndex(of: "/"),
            let directory = try? Directory(slash == path.startIndex ? "/" : String(path[..<slash])),
            let file = try? directory.open(String(path[path.index(after: slash)...]), O_RDONLY)
        else { return nil }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { return nil }
        self.file = file
        size = Int(status.st_size)
    }

    /// Reads `count` bytes at an offset. Nil if the file is too short or the disk fails.
    ///
    /// The corresponding C function is `pread`.
    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
        guard offset >= 0, count > 0, offset + count <= size else { return nil }
        let number = file.number
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(number, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if read == -1, errno == EINTR { continue }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }
}
