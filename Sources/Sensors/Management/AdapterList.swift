import Domain

/// The Bluetooth adapters of the machine, and which of them is in use.
///
/// Adapters are known by their addresses: one that is unplugged and plugged in again, or whose driver starts again, has another number.
struct AdapterList: Equatable, Sendable {
    /// The most adapters that are kept.
    static let limit = 16

    private let choice: AdapterChoice
    /// Whether the kernel has told which there are.
    private(set) var isListed = false
    /// Numbers of adapters that are there and not read yet.
    private(set) var unread: [UInt16] = []
    private var adapters: [Adapter] = []
    /// The one that was taken last; it may be away.
    private var taken: BluetoothAddress?

    init(_ choice: AdapterChoice) {
        self.choice = choice
    }

    /// The adapter in use, while it is there.
    var current: Adapter? {
        taken.flatMap { taken in adapters.first { $0.address == taken } }
    }

    /// Whether all that are there are known, and the one that is asked for is not among them.
    var isWithout: Bool {
        isListed && unread.isEmpty && current == nil
    }

    /// Takes what Read Index List returned: how many adapters u16, and the index u16 of each.
    ///
    /// - Throws: ``ParseError``.
    mutating func listed(_ reply: Span<UInt8>) throws(ParseError) {
        guard reply.count == 2 + 2 * Int(try reply.uint16(at: 0)) else {
            throw ParseError(at: 0, expected: "the number of adapters that follow")
        }
        var indices: [UInt16] = []
        for offset in stride(from: 2, to: reply.count, by: 2) { indices.append(try reply.uint16(at: offset)) }
        // The kernel lists the newest first; the one with the lowest number is taken.
        for index in indices.sorted() { added(index) }
        isListed = true
    }

    mutating func added(_ index: UInt16) {
        removed(index)
        if unread.count + adapters.count < Self.limit { unread.append(index) }
    }

    mutating func removed(_ index: UInt16) {
        unread.removeAll { $0 == index }
        adapters.removeAll { $0.index == index }
    }

    /// An adapter was read; nil when it could not be.
    mutating func read(_ index: UInt16, _ adapter: Adapter?) {
        removed(index)
        guard let adapter, adapter.supported.contains(.lowEnergy) else { return }
        adapters.append(adapter)
        if current == nil, isAskedFor(adapter) { taken = adapter.address }
    }

    mutating func changed(_ index: UInt16, _ settings: AdapterSettings) {
        if let place = adapters.firstIndex(where: { $0.index == index }) { adapters[place].settings = settings }
    }

    /// Takes another one where the one in use has gone and any will do.
    mutating func replace() {
        if current == nil, let other = adapters.first(where: isAskedFor) { taken = other.address }
    }

    /// All that the kernel told is forgotten; which adapter was taken is not.
    mutating func reset() {
        isListed = false
        unread = []
        adapters = []
    }

    private func isAskedFor(_ adapter: Adapter) -> Bool {
        switch choice {
        case .any: true
        case .address(let address): adapter.address == address
        case .index(let index): taken == nil ? adapter.index == index : adapter.address == taken
        }
    }
}
