import CEvdev

/// A key or a button of an input device, by the number that the kernel gives it.
///
/// Source: linux/input-event-codes.h.
package struct KeyCode: Hashable, Sendable {
    package var number: UInt16

    package init(_ number: UInt16) {
        self.number = number
    }

    /// The key that is called so there: `KEY_PLAYPAUSE`, `BTN_TRIGGER`.
    package init?(name: String) {
        guard let number = UInt16(exactly: unsafe cevdev_key(name)) else { return nil }
        self.number = number
    }
}
