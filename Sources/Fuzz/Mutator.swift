import Simulation

/// Makes cases by mutation of a corpus, and some of random bytes. The same seed gives the same cases.
struct Mutator {
    /// The maximum size of a case, in bytes.
    static let sizeLimit = 4096

    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    /// One case in eight is random bytes. The others are a case of the corpus with up to eight changes.
    mutating func next(from corpus: [[UInt8]]) -> [UInt8] {
        if numbers.next() % 8 == 0 { return noise(upTo: 256) }
        var bytes = pick(corpus)
        for _ in 0..<below(9) { change(&bytes, corpus: corpus) }
        return Array(bytes.prefix(Self.sizeLimit))
    }

    private mutating func change(_ bytes: inout [UInt8], corpus: [[UInt8]]) {
        let place = below(bytes.count + 1)
        let end = min(place + below(16), bytes.count)
        switch numbers.next() % 8 {
        case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
        case 1: if place < bytes.count { bytes[place] = interesting() }
        case 2: bytes.insert(interesting(), at: place)
        case 3: bytes.insert(contentsOf: noise(upTo: 16), at: place)
        case 4: bytes.removeSubrange(place..<end)
        case 5: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 6: bytes.removeSubrange(place...)
        default:
            // The start of one case, the end of another.
            let other = pick(corpus)
            bytes.replaceSubrange(place..., with: other.dropFirst(below(other.count + 1)))
        }
    }

    /// Limits of integers, and characters with a meaning in lines, JSON and XML.
    private mutating func interesting() -> UInt8 {
        let values: [UInt8] =
            [0, 1, 0x7F, 0x80, 0xFE, 0xFF] + Array("\n\r\"\\{}[],:-.eE0123456789tfnu \u{1B}<>/&=TZ".utf8)
        return values[below(values.count)]
    }

    private mutating func noise(upTo limit: Int) -> [UInt8] {
        (0..<below(limit)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }

    private mutating func pick(_ corpus: [[UInt8]]) -> [UInt8] {
        corpus[below(corpus.count)]
    }

    private mutating func below(_ limit: Int) -> Int {
        Int(numbers.next() % UInt64(limit))
    }
}
