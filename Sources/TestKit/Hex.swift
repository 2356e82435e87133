/// Parses hexadecimal digits, two for each byte, with optional spaces. Traps on other characters.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { digit -> UInt8 in
        guard let value = digit.hexDigitValue else { preconditionFailure("\(digit) is not a hexadecimal digit") }
        return UInt8(value)
    }
    precondition(digits.count.isMultiple(of: 2), "odd number of digits in \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
