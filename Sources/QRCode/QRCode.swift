import CQREncode

/// A QR code (ISO/IEC 18004) as dark and light modules.
package struct QRCode: Equatable, Sendable {
    /// Modules of one side.
    package let width: Int
    private let isDark: [Bool]

    /// Nil for a text that is too long, 2,300 bytes or more.
    ///
    /// The corresponding C function is `QRcode_encodeString8bit`.
    package init?(_ text: String) {
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        self.width = width
        isDark = (0..<width * width).map { unsafe code.pointee.data[$0] & 1 == 1 }
    }

    /// Two rows of modules a line, with the light border of four modules that readers need. Light modules are drawn, so
    /// that it is right on a dark terminal; readers accept the inverse on a light one.
    package var lines: [String] {
        func isLight(_ x: Int, _ y: Int) -> Bool {
            guard (0..<width).contains(x), (0..<width).contains(y) else { return y < width + 4 }
            return !isDark[y * width + x]
        }
        return stride(from: -4, to: width + 4, by: 2).map { y in
            (-4..<width + 4).map { x in
                switch (isLight(x, y), isLight(x, y + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }
    }
}
