/// The active time in each zone of heart rate, 0 to 5, or of power, 1 to 7, in ticks of 100 ms with a fresh value.
package struct ZoneTimes: Equatable, Sendable {
    private var ticks = SIMD8<Int32>()

    package init() {}

    /// - Parameter milliseconds: of the zones from 0 on; those after the last zone have no effect.
    package init(milliseconds: [Int64]) {
        for (zone, time) in milliseconds.prefix(ticks.scalarCount).enumerated() {
            ticks[zone] = Int32(clamping: time / 100)
        }
    }

    /// In milliseconds, of the zones 0 to 7; empty if there is none.
    package var milliseconds: [Int64] {
        ticks == SIMD8() ? [] : (0..<ticks.scalarCount).map { milliseconds(in: $0) }
    }

    package mutating func addTick(in zone: Int) {
        ticks[zone] &+= 1
    }

    package mutating func addSecond(in zone: Int) {
        ticks[zone] &+= 10
    }

    package func milliseconds(in zone: Int) -> Int64 {
        Int64(ticks[zone]) * 100
    }

    package func seconds(in zone: Int) -> Double {
        Double(ticks[zone]) / 10
    }
}
