/// The active time in each heart-rate zone, 0 to 5, in ticks of 100 ms with a fresh heart rate.
package struct ZoneTimes: Equatable, Sendable {
    private var ticks = SIMD8<Int32>()

    package init() {}

    package mutating func addTick(in zone: Int) {
        ticks[zone] &+= 1
    }

    package func milliseconds(in zone: Int) -> Int64 {
        Int64(ticks[zone]) * 100
    }

    package func seconds(in zone: Int) -> Double {
        Double(ticks[zone]) / 10
    }
}
