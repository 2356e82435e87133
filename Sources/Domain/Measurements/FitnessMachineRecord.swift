/// What a fitness machine measures at one moment, decoded by `Sensors`. Fields that the machine lacks are nil.
///
/// A machine may spread its fields over several notifications; `FitnessMachineMerger` of `Sensors` joins them.
package struct FitnessMachineRecord: Equatable, Sendable {
    /// Speed in units of 0.01 km/h. Rowers have a ``pace`` instead.
    package var rawSpeed: UInt16?

    /// Time for 500 m in seconds; rowers only.
    package var pace: UInt16?

    /// Per minute: revolutions of a bike's crank, steps on a cross trainer, strokes on a rower. A multiple of 0.5.
    package var cadence: Double?

    /// Strokes of a rower, or strides on a cross trainer in units of 0.1, since the machine's start. It wraps.
    package var strokeCount: UInt16?

    /// Metres since the machine's start: 24 bits.
    package var totalMetres: UInt32?

    /// Inclination in units of 0.1 %.
    package var inclination: Int16?

    /// Level of the resistance; of a cross trainer in units of 0.1.
    package var resistance: Int16?

    /// Power in watts.
    package var watts: Int16?

    /// Energy since the machine's start, in kilocalories.
    package var kilocalories: UInt16?

    /// Beats per minute.
    package var heartRate: UInt8?

    /// Seconds since the machine's start.
    package var elapsedSeconds: UInt16?

    package init() {}

    /// Metres per second, from the speed or the pace.
    package var speed: Double? {
        if let rawSpeed { return Double(rawSpeed) / 360 }
        return pace.map { $0 == 0 ? 0 : 500 / Double($0) }
    }

    /// Takes each field that `newer` has.
    package mutating func update(from newer: FitnessMachineRecord) {
        rawSpeed = newer.rawSpeed ?? rawSpeed
        pace = newer.pace ?? pace
        cadence = newer.cadence ?? cadence
        strokeCount = newer.strokeCount ?? strokeCount
        totalMetres = newer.totalMetres ?? totalMetres
        inclination = newer.inclination ?? inclination
        resistance = newer.resistance ?? resistance
        watts = newer.watts ?? watts
        kilocalories = newer.kilocalories ?? kilocalories
        heartRate = newer.heartRate ?? heartRate
        elapsedSeconds = newer.elapsedSeconds ?? elapsedSeconds
    }
}
