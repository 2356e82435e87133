import CEvdev

/// A key or button of an input device, by its kernel code.
///
/// Source: linux/input-event-codes.h.
package struct KeyCode: Hashable, Sendable {
    package var number: UInt16

    package init(_ number: UInt16) {
        self.number = number
    }

    /// The key with a kernel name such as `KEY_PLAYPAUSE` or `BTN_TRIGGER`. Nil if there is none.
    package init?(name: String) {
        guard let number = UInt16(exactly: unsafe cevdev_key(name)) else { return nil }
        self.number = number
    }
}
