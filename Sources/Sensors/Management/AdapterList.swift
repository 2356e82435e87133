import Domain

/// The Bluetooth adapters of the host, and which of them is in use.
///
/// Adapters are identified by address: one that is plugged in again, or whose driver restarts, has another index.
struct AdapterList: Equatable, Sendable {
    /// The largest number of adapters.
    static let limit = 16

    private let choice: AdapterChoice
    /// Whether the kernel has listed its adapters.
    private(set) var isListed = false
    /// The indexes of listed adapters that are not read yet.
    private(set) var unread: [UInt16] = []
    private var adapters: [Adapter] = []
    /// The address of the last chosen adapter, which may be unplugged.
    private var taken: BluetoothAddress?

    init(_ choice: AdapterChoice) {
        self.choice = choice
    }

    /// The adapter in use; nil while it is absent.
    var current: Adapter? {
        taken.flatMap { taken in adapters.first { $0.address == taken } }
    }

    /// Whether all adapters are read and none of them can be used.
    var isWithout: Bool {
        isListed && unread.isEmpty && current == nil
    }

    /// Receives the reply to Read Index List: the number of adapters u16, and the index u16 of each.
    ///
    /// - Throws: ``ParseError``.
    mutating func listed(_ reply: Span<UInt8>) throws(ParseError) {
        guard reply.count == 2 + 2 * Int(try reply.uint16(at: 0)) else {
            throw ParseError(at: 0, expected: "the number of adapters that follow")
        }
        var indices: [UInt16] = []
        for offset in stride(from: 2, to: reply.count, by: 2) { indices.append(try reply.uint16(at: offset)) }
        // The kernel lists the newest first; the lowest index is chosen.
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

    /// Receives the information of an adapter; nil if it could not be read.
    mutating func read(_ index: UInt16, _ adapter: Adapter?) {
        removed(index)
        guard let adapter, adapter.supported.contains(.lowEnergy) else { return }
        adapters.append(adapter)
        if current == nil, isAskedFor(adapter) { taken = adapter.address }
    }

    mutating func changed(_ index: UInt16, _ settings: AdapterSettings) {
        if let place = adapters.firstIndex(where: { $0.index == index }) { adapters[place].settings = settings }
    }

    /// Chooses another adapter if the one in use is absent and the choice allows it.
    mutating func replace() {
        if current == nil, let other = adapters.first(where: isAskedFor) { taken = other.address }
    }

    /// Discards what the kernel reported, but not which adapter was chosen.
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
