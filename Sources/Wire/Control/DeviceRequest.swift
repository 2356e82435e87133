package import Domain
import JSONCoding

/// A change of the name of this board.
package enum DeviceRequest: Equatable, Sendable {
    /// The name for people; nil removes it.
    case rename(SanitizedText?)
    /// The disk has moved to this machine, with its uuid.
    case keep
    /// The disk is a copy: this board gets a uuid of its own.
    case new

    static let methods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "device.get", "Returns the uuid and the name of this board.", [], "device", device, [.refused], .read
        ) { _ in .presentDevice },
        RPCMethod(
            "device.rename", "Names this board for people; null removes the name.", [name.required], "device", device,
            errors, .change, log: "rename the device"
        ) { .device(.rename(try $0.value(of: name))) },
        RPCMethod(
            "device.keep", "Keeps the uuid: the disk has moved to this machine.", [], "device", device, errors, .change,
            log: "keep the uuid of the device"
        ) { _ in .device(.keep) },
        RPCMethod(
            "device.new", "Gives this board another uuid: its disk is a copy.", [], "device", device, errors, .change,
            log: "give the device another uuid"
        ) { _ in .device(.new) },
    ]

    private static let errors: [RPCErrorName] = [.busy, .refused, .invalid]
    private static let device = JSONSchema.object(required: ["uuid"], ["uuid": .uuid, "name": .text])
    private static let name = RPCParameter<SanitizedText?>(
        "name", JSONSchema(#"{"oneOf":[\#(JSONSchema.text.text),{"type":"null"}]}"#),
        "The new name, 1 to 64 characters, or null."
    ) { value, name in try value == .null ? nil : ActivityRequest.name.read(value, name) }
}
