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

extension ControlRequest {
    static let sensorMethods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "sensor.scan", "Listens for sensors and returns those heard, the nearest first. One scan runs at a time.",
            [seconds.optional], "sensors", sensorList, [.refused, .busy, .invalid], .change
        ) { .scan(seconds: try $0[seconds] ?? 10) },
        RPCMethod(
            "sensor.use", "Selects the sensor to use.", [sensorToUse.required, addressType.optional, add.optional],
            "link", .object(required: ["link"], ["link": .string, "reason": .string]), [.invalid], .change,
            log: "select a sensor"
        ) { .use(try selection($0)) },
        RPCMethod(
            "sensor.pair",
            "Pairs with a sensor that requires it. The answer comes when that is done, after 60 s at most.",
            [sensorToPair.required], "nothing", .null, [.refused, .busy, .notFound, .invalid], .change,
            log: "pair with a sensor"
        ) { .pair(try $0.value(of: sensorToPair)) },
        RPCMethod(
            "sensor.zero",
            "Sets the zero offset of a power meter. The answer comes when that is done, after 35 s at most.",
            [powerMeter.optional], "offset", .object, [.refused, .busy, .notFound, .invalid], .change,
            log: "set the zero offset of a power meter"
        ) { .zero(try $0[powerMeter]) },
        RPCMethod(
            "sensor.forget", "Forgets a sensor and its key, or all.", [sensorOrAll.optional], "nothing", .null,
            [.notFound, .invalid], .change,
            log: RPCLog { $0.members["sensor"] == nil ? "forget all sensors" : "forget a sensor" }
        ) { .forget(try $0[sensorOrAll]) },
    ]

    private static let seconds = RPCParameter.integer("seconds", 1...60, "How long it listens, 1 to 60. Default 10.")
    private static let sensorToUse = sensor("; auto for the known one or any near one; off for none.")
    private static let sensorToPair = sensor(".")
    private static let powerMeter = sensor("; the only connected power meter if it is absent.")
    private static let sensorOrAll = sensor("; all if it is absent.")
    private static let add = RPCParameter.flag("add", "Keep the sensors that are selected. Default false.")
    private static let addressType = RPCParameter(
        "address_type", .oneOf(["public", "random"]), "The kind of address, with an address."
    ) { value, _ in
        guard let type = value.string.flatMap(LEAddress.Kind.init) else {
            throw RPCError.invalidValue("address_type", "address_type must be public or random")
        }
        return type
    }

    private static func sensor(_ summary: String) -> RPCParameter<String> {
        RPCParameter("sensor", .text, "An address, a name, or the end of a name as printed on the device" + summary) {
            value, _ in
            guard let sensor = value.string, SettingChange.isSensor(sensor) else {
                throw RPCError.invalidValue(
                    "sensor", "sensor must be an address, a name or the end of a name, of at most 64 characters")
            }
            return sensor
        }
    }

    private static func selection(_ parameters: RPCParameters) throws(RPCError) -> SensorSelection {
        let sensor = try parameters.value(of: sensorToUse)
        let isAdded = try parameters[add] ?? false
        if sensor == "auto" || sensor == "off" {
            for name in ["add", "address_type"] where parameters.members[name] != nil {
                throw .invalidParameters(name, "\(name) cannot be combined with sensor \(sensor)")
            }
            return sensor == "auto" ? .auto : .off
        }
        guard !SettingChange.reservedSensors.contains(sensor) else {
            throw .invalidValue("sensor", "\(sensor) is no name of a sensor: off uses none")
        }
        guard let type = try parameters[addressType] else { return .sensor(sensor, isAdded: isAdded) }
        guard let address = BluetoothAddress(sensor) else {
            throw .invalidValue("address_type", "address_type needs sensor to be an address")
        }
        return .sensor(LEAddress(address, type).description, isAdded: isAdded)
    }

    private static let sensorList = JSONSchema.array(
        of: .object(
            required: ["address", "address_type", "kinds", "services"],
            [
                "address": .string, "address_type": .oneOf(["public", "random"]), "name": .string,
                "rssi_dbm": .integer, "kinds": .array(of: .string), "services": .array(of: .string),
            ]), #""maxItems":64"#)
}
