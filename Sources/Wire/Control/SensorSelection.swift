import Domain
import JSONCoding
import Sensors

/// The user's choice of sensors.
package enum SensorSelection: Equatable, Sendable {
    /// Known sensors, otherwise discovered ones.
    case auto
    case off
    /// An entry of the setting `sensors`; it replaces the other entries or is added to them.
    case sensor(String, isAdded: Bool)
}

extension ControlRequest.Parameters {
    /// The duration of a scan in seconds.
    func seconds() throws(RPCError) -> Int {
        guard let value = members["seconds"] else { return 10 }
        return try value.integer(in: 1...60, field: "seconds")
    }

    func sensorUse() throws(RPCError) -> SensorSelection {
        guard let sensor = try sensor() else { throw .invalidParameters("sensor", "sensor is missing") }
        let isAdded = try members["add"]?.bool(field: "add") ?? false
        if sensor == "auto" || sensor == "off" {
            for name in ["add", "address_type"] where members[name] != nil {
                throw .invalidParameters(name, "\(name) cannot be combined with sensor \(sensor)")
            }
            return sensor == "auto" ? .auto : .off
        }
        guard !SettingChange.reservedSensors.contains(sensor) else {
            throw .invalidValue("sensor", "\(sensor) is no name of a sensor: off uses none")
        }
        guard let value = members["address_type"] else { return .sensor(sensor, isAdded: isAdded) }
        guard let type = value.string.flatMap(LEAddress.Kind.init) else {
            throw .invalidValue("address_type", "address_type must be public or random")
        }
        guard let address = BluetoothAddress(sensor) else {
            throw .invalidValue("address_type", "address_type needs sensor to be an address")
        }
        return .sensor(LEAddress(address, type).description, isAdded: isAdded)
    }

    func sensorToPair() throws(RPCError) -> String {
        guard let sensor = try sensor() else { throw .invalidParameters("sensor", "sensor is missing") }
        return sensor
    }

    func sensor() throws(RPCError) -> String? {
        guard let value = members["sensor"] else { return nil }
        guard let sensor = value.string, SettingChange.isSensor(sensor) else {
            throw .invalidValue(
                "sensor", "sensor must be an address, a name or the end of a name, of at most 64 characters")
        }
        return sensor
    }
}
