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
        // These bound the numbers, and are no keys.
        guard !["KEY_RESERVED", "KEY_MAX", "KEY_CNT"].contains(name) else { return nil }
        let code = unsafe libevdev_event_code_from_name(UInt32(EV_KEY), name)
        guard let number = UInt16(exactly: code) else { return nil }
        self.number = number
    }
}
