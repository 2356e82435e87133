import Domain
import SQLite

/// Reads the pages of a database file that SQLite may reject, overlaid with those of its write-ahead log.
/// The content is not trusted, executed or changed.
///
/// Source: SQLite, Database File Format (https://www.sqlite.org/fileformat2.html).
final class DamagedDatabase {
    let pageSize: Int
    let pageCount: Int
    /// The number of log frames that SQLite ignores.
    let droppedFrames: Int
    /// Whether page 1 starts with the magic string of a database.
    private(set) var hasMagic = false
    private let file: DamagedFile?
    private let logFile: DamagedFile?
    private let offsets: [Int: Int]
    /// The usable bytes of a page.
    private var usable: Int

    /// 16 GiB in pages of 1 KiB.
    private static let pageLimit = 1 << 24
    /// The most bytes of a row.
    private static let payloadLimit = 1 << 18
    /// The most overflow pages read for the rows of one page.
    private static let overflowLimit = 256
    private static let depthLimit = 20

    /// A stored row.
    struct Cell {
        /// 0 in a WITHOUT ROWID table.
        var rowid: Int64
        var values: [SQLiteStored]
    }

    /// - Returns: Nil if neither the file nor the log is readable.
    init?(_ path: String) {
        file = DamagedFile(path)
        logFile = DamagedFile(path + "-wal")
        let stated = file?.bytes(at: 0, 100).flatMap(Self.pageSize)
        let log = logFile.flatMap { WriteAheadLog($0, pageSize: stated) }
        if (file?.size ?? 0) == 0, log == nil { return nil }
        let pageSize = stated ?? log?.pageSize ?? 1024
        self.pageSize = pageSize
        usable = pageSize
        offsets = log?.pageSize == pageSize ? log?.offsets ?? [:] : [:]
        droppedFrames = log?.dropped.frames ?? 0
        pageCount = min(max((file?.size ?? 0) / pageSize, offsets.keys.max() ?? 0), Self.pageLimit)
        guard let first = page(1) else { return }
        hasMagic = first.starts(with: "SQLite format 3\0".utf8)
        if hasMagic, first[20] <= 32 { usable = pageSize - Int(first[20]) }
    }

    static func isPageSize(_ size: Int) -> Bool {
        (512...65_536).contains(size) && size & (size - 1) == 0
    }

    /// The page size from the header of a database. Nil if it is none.
    static func pageSize(_ header: [UInt8]) -> Int? {
        guard header.starts(with: "SQLite format 3\0".utf8) else { return nil }
        let size = header.half(16) == 1 ? 65_536 : header.half(16)
        return isPageSize(size) ? size : nil
    }

    /// A page by its number, from 1. Nil if it cannot be read.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= max(pageCount, 1) else { return nil }
        if let offset = offsets[number], let page = logFile?.bytes(at: offset, pageSize) { return page }
        return file?.bytes(at: (number - 1) * pageSize, pageSize)
    }

    /// A number of the header. Nil if page 1 is not that of a database.
    func header(_ offset: Int) -> Int? {
        guard hasMagic, let first = page(1) else { return nil }
        return Int(first.word(offset))
    }

    /// The free pages. Nil if the list of them is damaged.
    func freePages() -> Set<Int>? {
        guard let count = header(36), var trunk = header(32) else { return nil }
        var free: Set<Int> = []
        while trunk != 0 {
            guard trunk <= pageCount, let page = page(trunk), free.insert(trunk).inserted else { return nil }
            let leaves = Int(page.word(4))
            guard leaves <= usable / 4 - 2 else { return nil }
            for index in 0..<leaves {
                let leaf = Int(page.word(8 + 4 * index))
                guard leaf >= 2, leaf <= pageCount, free.insert(leaf).inserted else { return nil }
            }
            trunk = Int(page.word(0))
        }
        return free.count == count ? free : nil
    }

    // MARK: Trees

    /// The pages of a table that hold rows, in key order.
    ///
    /// - Parameters:
    ///   - keys: rows with other keys may be omitted.
    ///   - limit: the most pages.
    ///   - deadline: when to stop and omit the rest.
    /// - Returns: The pages, and whether every page of the tree was found.
    func pages(
        under root: Int, keys: ClosedRange<Int64> = .min ... .max, atMost limit: Int = .max,
        by deadline: Instant? = nil, now: () -> Instant = { Instant(nanoseconds: 0) }
    ) -> (pages: [Int], isWhole: Bool) {
        var pages: [Int] = []
        var isWhole = true
        var seen: Set<Int> = []
        var stack = [(number: root, depth: 0)]
        while let (number, depth) = stack.popLast() {
            if pages.count >= limit { return (pages, false) }
            if let deadline, now() > deadline { return (pages, false) }
            guard depth < Self.depthLimit, seen.insert(number).inserted, let page = page(number),
                let kind = Kind(rawValue: page[number == 1 ? 100 : 0])
            else {
                isWhole = false
                continue
            }
            if kind != .tableInterior { pages.append(number) }
            guard let children = children(of: page, number, kind) else {
                isWhole = false
                continue
            }
            var next: [(number: Int, depth: Int)] = []
            var from = Int64.min
            for (child, last) in children {
                if last >= keys.lowerBound, from <= keys.upperBound { next.append((child, depth + 1)) }
                from = last
            }
            stack += next.reversed()
        }
        return (pages, isWhole)
    }

    /// The child pages. Empty if there are none, or the page cannot be read.
    func children(of number: Int) -> [Int] {
        guard let page = page(number), let kind = Kind(rawValue: page[number == 1 ? 100 : 0]) else { return [] }
        return children(of: page, number, kind)?.map(\.page) ?? []
    }

    private enum Kind: UInt8 {
        case indexInterior = 0x02
        case tableInterior = 0x05
        case indexLeaf = 0x0A
        case tableLeaf = 0x0D
    }

    /// The child pages, each with the highest key that it can have. Nil if the page is damaged.
    private func children(of page: [UInt8], _ number: Int, _ kind: Kind) -> [(page: Int, last: Int64)]? {
        guard kind == .tableInterior || kind == .indexInterior else { return [] }
        guard let pointers = pointers(of: page, number, header: 12) else { return nil }
        var children: [(page: Int, last: Int64)] = []
        for pointer in pointers {
            let key = kind == .tableInterior ? page.varint(pointer + 4)?.value : .max
            guard let key else { return nil }
            children.append((Int(page.word(pointer)), key))
        }
        // Index keys are not compared here: all index pages are included.
        children.append((Int(page.word((number == 1 ? 100 : 0) + 8)), .max))
        return children
    }

    private func pointers(of page: [UInt8], _ number: Int, header: Int) -> [Int]? {
        let base = number == 1 ? 100 : 0
        let count = page.half(base + 3)
        guard base + header + 2 * count <= usable else { return nil }
        return (0..<count).map { page.half(base + header + 2 * $0) }
    }

    // MARK: Rows

    /// The readable rows of a page.
    ///
    /// - Returns: The rows, and whether the table is WITHOUT ROWID. Nil if the page holds no rows.
    func cells(in number: Int) -> (cells: [Cell], isIndex: Bool)? {
        guard let page = page(number), let kind = Kind(rawValue: page[number == 1 ? 100 : 0]), kind != .tableInterior
        else { return nil }
        let header = kind == .indexInterior ? 12 : 8
        guard let pointers = pointers(of: page, number, header: header) else { return nil }
        var spare = Self.overflowLimit
        return (pointers.compactMap { cell(in: page, at: $0, kind, &spare) }, kind != .tableLeaf)
    }

    /// - Parameter spare: how many overflow pages may still be read.
    private func cell(in page: [UInt8], at pointer: Int, _ kind: Kind, _ spare: inout Int) -> Cell? {
        guard pointer >= 8, pointer < usable,
            let (size, afterSize) = page.varint(pointer + (kind == .indexInterior ? 4 : 0))
        else { return nil }
        var (rowid, start) = (Int64(0), afterSize)
        if kind == .tableLeaf {
            guard let key = page.varint(start) else { return nil }
            (rowid, start) = key
        }
        guard size > 0, size <= Self.payloadLimit, let payload = payload(in: page, at: start, Int(size), kind, &spare),
            let values = Self.values(of: payload)
        else { return nil }
        return Cell(rowid: rowid, values: values)
    }

    /// The payload of a row, including its overflow pages.
    private func payload(
        in page: [UInt8], at start: Int, _ size: Int, _ kind: Kind, _ spare: inout Int
    ) -> ArraySlice<UInt8>? {
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        if size <= most {
            guard start + size <= usable else { return nil }
            return page[start..<start + size]
        }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (size - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard start + local + 4 <= usable else { return nil }
        var bytes = Array(page[start..<start + local])
        bytes.reserveCapacity(size)
        var next = Int(page.word(start + local))
        while bytes.count < size {
            guard next >= 2, spare > 0, let page = self.page(next) else { return nil }
            spare -= 1
            bytes += page[4..<min(4 + size - bytes.count, usable)]
            next = Int(page.word(0))
        }
        return bytes[...]
    }

    /// The values of a record. Nil if it is invalid.
    private static func values(of record: ArraySlice<UInt8>) -> [SQLiteStored]? {
        guard let (headerSize, first) = record.varint(record.startIndex), headerSize <= record.count, headerSize > 0
        else { return nil }
        var index = first
        var body = record.startIndex + Int(headerSize)
        let headerEnd = body
        var values: [SQLiteStored] = []
        while index < headerEnd {
            guard let (type, next) = record.varint(index), next <= headerEnd, type >= 0, type <= payloadLimit * 2 + 13
            else { return nil }
            index = next
            let size =
                switch type {
                case 0, 8, 9: 0
                case 1...4: Int(type)
                case 5: 6
                case 6, 7: 8
                default: type >= 12 ? Int(type - 12) / 2 : -1
                }
            guard size >= 0, body + size <= record.endIndex, values.count < 64 else { return nil }
            let bytes = record[body..<body + size]
            body += size
            switch type {
            case 0: values.append(.null)
            case 8, 9: values.append(.integer(type - 8))
            case 7: values.append(.real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })))
            case 1...6:
                let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
                values.append(.integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }))
            default:
                if type.isMultiple(of: 2) {
                    values.append(.bytes(Array(bytes)))
                } else {
                    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
                    values.append(.text(text))
                }
            }
        }
        return body == record.endIndex ? values : nil
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// An integer of 1 to 9 bytes, and the index after it. Nil if it exceeds the bytes.
    func varint(_ index: Int) -> (value: Int64, next: Int)? {
        guard index >= startIndex else { return nil }
        var value: UInt64 = 0
        for count in 0..<9 {
            guard index + count < endIndex else { return nil }
            let byte = self[index + count]
            if count == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), index + 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (Int64(bitPattern: value), index + count + 1) }
        }
        return nil
    }
}
