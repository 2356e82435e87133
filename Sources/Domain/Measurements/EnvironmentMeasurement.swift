/// Values of an environmental sensor, decoded by `Sensors`. Each characteristic has one value; the others are nil.
package struct EnvironmentMeasurement: Equatable, Sendable {
    /// Air pressure in units of 0.1 Pa.
    package var decipascals: UInt32?

    /// Temperature in units of 0.01 °C: -27315 to 32767.
    package var centidegrees: Int16?

    /// Relative humidity in units of 0.01 %: 0 to 10000.
    package var rawHumidity: UInt16?

    package init(decipascals: UInt32? = nil, centidegrees: Int16? = nil, rawHumidity: UInt16? = nil) {
        self.decipascals = decipascals
        self.centidegrees = centidegrees
        self.rawHumidity = rawHumidity
    }
}
