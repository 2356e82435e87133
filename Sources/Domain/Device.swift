/// What names this board, and outlives everything but its disk.
package struct Device: Equatable, Sendable {
    package let uuid: UUID
    /// The id of systemd for this machine and program when the uuid was made; nil where the machine has none. A card that is
    /// copied or moved has another one.
    package let machine: UUID?
    /// The name for people.
    package var name: SanitizedText?

    package init(uuid: UUID, machine: UUID?, name: SanitizedText? = nil) {
        self.uuid = uuid
        self.machine = machine
        self.name = name
    }

    /// Whether the disk was copied or moved to another machine, or the machine was installed anew.
    package func isOf(_ machine: UUID?) -> Bool {
        machine == nil || self.machine == nil || machine == self.machine
    }

    /// The serial number of FIT: the first 32 bits that are not 0. For people; boards may share it.
    package var serialNumber: UInt32 {
        let bytes = uuid.bytes
        let numbers = stride(from: 0, to: 16, by: 4).map { start in
            bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        return numbers.first { $0 != 0 } ?? 1
    }
}
