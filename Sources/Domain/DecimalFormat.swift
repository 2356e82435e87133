/// Formats numbers with a fixed number of decimals.
package enum DecimalFormat {
    /// `value × 10^decimals`, rounded to an integer as `printf` rounds: from the exact binary value, ties to even.
    ///
    /// - Parameter decimals: 0 to 9.
    /// - Returns: Nil for infinities, NaN, and products of magnitude 2^53 or more.
    package static func scaled(_ value: Double, decimals: Int) -> Int64? {
        let power = powers[decimals]
        let product = value * power
        guard product.magnitude < 0x1p53 else { return nil }
        // The product is itself rounded; at an apparent tie its rounding error decides.
        let lost = (-product).addingProduct(value, power)
        let floor = product.rounded(.down)
        let fraction = product - floor
        let isAbove = fraction > 0.5 || (fraction == 0.5 && lost > 0)
        let isTie = fraction == 0.5 && lost == 0
        let integer = Int64(floor)
        return isAbove || (isTie && !integer.isMultiple(of: 2)) ? integer + 1 : integer
    }

    private static let powers: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Text with exactly `decimals` decimals, as `%.<decimals>f` prints it; nil as in ``scaled(_:decimals:)``.
    package static func text(_ value: Double, decimals: Int) -> String? {
        guard let scaled = scaled(value, decimals: decimals) else { return nil }
        var digits = String(scaled.magnitude)
        while digits.count <= decimals { digits = "0" + digits }
        let sign = scaled < 0 || (scaled == 0 && value.sign == .minus) ? "-" : ""
        guard decimals > 0 else { return sign + digits }
        return sign + digits.dropLast(decimals) + "." + digits.suffix(decimals)
    }
}
