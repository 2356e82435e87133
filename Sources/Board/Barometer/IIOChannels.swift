package import Domain

/// The files of an industrial I/O (IIO) device as values.
///
/// A channel has a value in its unit, `in_pressure_input`, or `(in_pressure_raw + in_pressure_offset) ×
/// in_pressure_scale`. Units: kPa, m°C, 1/1000 %.
///
/// Source: Linux, Documentation/ABI/testing/sysfs-bus-iio.
package struct IIOChannels {
    /// Why there is no valid pressure.
    package struct Problem: Error, Equatable {
        package var text: String

        package init(text: String) {
            self.text = text
        }
    }

    /// The pressures of weather and of all heights up to 9 km, in kPa.
    private static let pressures = 30.0...120.0
    /// Temperatures in m°C, and humidities in 1/1000 %.
    private static let temperatures = -90_000.0...100_000.0
    private static let humidities = 0.0...100_000.0

    private let bytes: (String) throws(Problem) -> ArraySlice<UInt8>?

    /// - Parameter bytes: the bytes of a file without the newline at the end; nil if the device lacks the file.
    package init(_ bytes: @escaping (String) throws(Problem) -> ArraySlice<UInt8>?) {
        self.bytes = bytes
    }

    /// The pressure, and the temperature and the humidity if they are valid. Nil if the device has no pressure.
    package func measurement() throws(Problem) -> EnvironmentMeasurement? {
        guard let pressure = try value("pressure") else { return nil }
        guard Self.pressures.contains(pressure) else {
            throw Problem(text: "its pressure is not between 300 and 1200 hPa")
        }
        var measurement = EnvironmentMeasurement(decipascals: UInt32((pressure * 10_000).rounded()))
        if let temperature = try? value("temp"), Self.temperatures.contains(temperature) {
            measurement.centidegrees = Int16((temperature / 10).rounded())
        }
        if let humidity = try? value("humidityrelative"), Self.humidities.contains(humidity) {
            measurement.rawHumidity = UInt16((humidity / 10).rounded())
        }
        return measurement
    }

    /// The value of a channel in its unit; nil if the device lacks it.
    private func value(_ channel: String) throws(Problem) -> Double? {
        if let input = try number("in_\(channel)_input") { return input }
        guard let raw = try number("in_\(channel)_raw") else { return nil }
        guard let scale = try number("in_\(channel)_scale") else {
            throw Problem(text: "in_\(channel)_raw has no scale")
        }
        return (raw + (try number("in_\(channel)_offset") ?? 0)) * scale
    }

    private func number(_ file: String) throws(Problem) -> Double? {
        guard let bytes = try bytes(file) else { return nil }
        let isDecimal = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isDecimal, let number = Double(String(decoding: bytes, as: UTF8.self)) else {
            throw Problem(text: "\(file) is not a number")
        }
        return number
    }
}
