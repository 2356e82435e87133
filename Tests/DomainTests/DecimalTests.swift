import Domain
import Foundation
import TestKit
import Testing

@Suite struct DecimalTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func textMatchesPrintf(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let decimals = Int.random(in: 0...9, using: &numbers)
            // All magnitudes from 10^-12 to where the scaled value exceeds 2^53, evenly on a logarithmic scale.
            let magnitude = pow(10, Double.random(in: -12...Double(15 - decimals), using: &numbers))
            let value = Bool.random(using: &numbers) ? magnitude : -magnitude
            #expect(
                DecimalFormat.text(value, decimals: decimals) == String(format: "%.\(decimals)f", value), "\(value)")
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func tiesRoundToEvenLikePrintf(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            // An odd multiple of 2^-(d+1) lies exactly between two numbers of d decimals.
            let decimals = Int.random(in: 0...6, using: &numbers)
            let odd = Double(Int.random(in: -1_000_000...1_000_000, using: &numbers) * 2 + 1)
            let value = odd / pow(2, Double(decimals + 1))
            #expect(
                DecimalFormat.text(value, decimals: decimals) == String(format: "%.\(decimals)f", value), "\(value)")
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func valuesNearTiesRoundLikePrintf(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let decimals = Int.random(in: 1...9, using: &numbers)
            // A decimal tie such as 0.15 or 2.675 is above or below a tie in binary.
            let text = "\(Int.random(in: 0...999_999, using: &numbers) * 10 + 5)e-\(decimals + 1)"
            let value = Double(text)!
            for value in [value, value.nextUp, value.nextDown, -value] {
                #expect(
                    DecimalFormat.text(value, decimals: decimals) == String(format: "%.\(decimals)f", value), "\(value)"
                )
            }
        }
    }

    @Test(
        arguments: [
            (0.0, 0, "0"), (-0.0, 1, "-0.0"), (0.5, 0, "0"), (1.5, 0, "2"), (2.5, 0, "2"), (-0.5, 0, "-0"),
            (0.125, 2, "0.12"),
            (0.375, 2, "0.38"), (2.675, 2, "2.67"), (1.005, 2, "1.00"), (-0.004, 2, "-0.00"), (0.9996, 3, "1.000"),
            (42.195, 2, "42.20"), (1e-300, 9, "0.000000000"), (9_007_199_254_740_991, 0, "9007199254740991"),
        ] as [(Double, Int, String)])
    func knownValuesRoundCorrectly(value: Double, decimals: Int, text: String) {
        #expect(DecimalFormat.text(value, decimals: decimals) == text)
    }

    @Test(arguments: [.infinity, -.infinity, .nan, .greatestFiniteMagnitude, 0x1p53, -0x1p53] as [Double])
    func valuesBeyondExactIntegersReturnNil(value: Double) {
        #expect(DecimalFormat.scaled(value, decimals: 0) == nil)
        #expect(DecimalFormat.text(value, decimals: 9) == nil)
    }
}
