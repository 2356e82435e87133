/// A key of a terminal.
package enum Key: Equatable, Sendable {
    /// A printable ASCII character or a control character.
    case character(UInt8)
    case left, right, escape
}

/// Decodes the bytes of a terminal. Special keys without a meaning here, and characters that are pressed with Alt, are discarded.
///
/// Source: ECMA-48, 5.4 (control sequences); xterm, "PC-Style Function Keys".
package struct KeyDecoder {
    private enum State {
        case plain
        /// An escape byte has been read, and more bytes were read with it.
        case escape
        /// An escape byte was the last byte of a read: the key Escape, or the start of a sequence that is still arriving.
        case escapeKey
        /// A control sequence; `isPlain` until it has a parameter.
        case sequence(isPlain: Bool)
        /// One more byte belongs to the key: after `ESC O`, and after `ESC [ [` of the Linux console.
        case last(isArrow: Bool)
    }

    private var state = State.plain

    package init() {}

    /// The keys of the bytes of one read.
    package mutating func keys(of bytes: ArraySlice<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { if let key = key(byte) { keys.append(key) } }
        if case .escape = state {
            keys.append(.escape)
            state = .escapeKey
        }
        return keys
    }

    private mutating func key(_ byte: UInt8) -> Key? {
        if byte == 0x1B {
            state = .escape
            return nil
        }
        let before = state
        state = .plain
        switch before {
        case .plain: return Self.character(byte)
        case .escape, .escapeKey:
            if byte == UInt8(ascii: "[") {
                state = .sequence(isPlain: true)
            } else if byte == UInt8(ascii: "O") {
                state = .last(isArrow: true)
            } else if case .escapeKey = before {
                return Self.character(byte)
            }
            return nil
        case .sequence(let isPlain):
            switch byte {
            case UInt8(ascii: "[") where isPlain: state = .last(isArrow: false)
            case 0x20...0x3F: state = .sequence(isPlain: false)
            default: return isPlain ? Self.arrow(byte) : nil
            }
            return nil
        case .last(let isArrow): return isArrow ? Self.arrow(byte) : nil
        }
    }

    private static func character(_ byte: UInt8) -> Key? {
        byte < 0x7F ? .character(byte) : nil
    }

    private static func arrow(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }
}
