import CSystemd
import Domain
import Glibc

/// Appends values to an unsent message.
///
/// - Throws: `EINVAL` for values that D-Bus does not allow: an invalid
///   object path, an array of mixed elements, an entry outside an array.
func append(_ values: [BusValue], to message: OpaquePointer) throws(SystemError) {
    for value in values { unsafe try append(value, to: message) }
}

private func append(_ value: BusValue, to message: OpaquePointer) throws(SystemError) {
    switch value {
    case .bool(let value): unsafe try append(SD_BUS_TYPE_BOOLEAN, Int32(value ? 1 : 0), to: message)
    case .byte(let value): unsafe try append(SD_BUS_TYPE_BYTE, value, to: message)
    case .int16(let value): unsafe try append(SD_BUS_TYPE_INT16, value, to: message)
    case .uint16(let value): unsafe try append(SD_BUS_TYPE_UINT16, value, to: message)
    case .int32(let value): unsafe try append(SD_BUS_TYPE_INT32, value, to: message)
    case .uint32(let value): unsafe try append(SD_BUS_TYPE_UINT32, value, to: message)
    case .int64(let value): unsafe try append(SD_BUS_TYPE_INT64, value, to: message)
    case .uint64(let value): unsafe try append(SD_BUS_TYPE_UINT64, value, to: message)
    case .double(let value): unsafe try append(SD_BUS_TYPE_DOUBLE, value, to: message)
    case .string(let text): unsafe try append(SD_BUS_TYPE_STRING, text, to: message)
    case .objectPath(let text): unsafe try append(SD_BUS_TYPE_OBJECT_PATH, text, to: message)
    case .signature(let text): unsafe try append(SD_BUS_TYPE_SIGNATURE, text, to: message)
    case .bytes(let bytes):
        try checkSystemd(
            "sd_bus_message_append_array",
            unsafe sd_bus_message_append_array(message, CChar(SD_BUS_TYPE_BYTE), bytes, bytes.count))
    case .array(let element, let values): unsafe try append(SD_BUS_TYPE_ARRAY, element, values, to: message)
    case .entry(let key, let value):
        unsafe try append(SD_BUS_TYPE_DICT_ENTRY, key.signature + value.signature, [key, value], to: message)
    case .structure(let values):
        unsafe try append(SD_BUS_TYPE_STRUCT, values.map(\.signature).joined(), values, to: message)
    case .variant(let value): unsafe try append(SD_BUS_TYPE_VARIANT, value.signature, [value], to: message)
    case .descriptor(let descriptor):
        // The message duplicates the descriptor.
        unsafe try append(SD_BUS_TYPE_UNIX_FD, descriptor.number ?? -1, to: message)
    }
}

private func append<Value: BitwiseCopyable>(
    _ type: Int, _ value: Value, to message: OpaquePointer
) throws(SystemError) {
    var value = value
    try checkSystemd(
        "sd_bus_message_append_basic", unsafe sd_bus_message_append_basic(message, CChar(type), &value))
}

private func append(_ type: Int, _ text: String, to message: OpaquePointer) throws(SystemError) {
    try checkSystemd(
        "sd_bus_message_append_basic",
        unsafe text.withCString { unsafe sd_bus_message_append_basic(message, CChar(type), $0) })
}

private func append(
    _ type: Int, _ contents: String, _ values: [BusValue], to message: OpaquePointer
) throws(SystemError) {
    try checkSystemd(
        "sd_bus_message_open_container", unsafe sd_bus_message_open_container(message, CChar(type), contents))
    unsafe try append(values, to: message)
    try checkSystemd("sd_bus_message_close_container", unsafe sd_bus_message_close_container(message))
}

/// A message under construction, or sent.
@safe
struct BusMessageWriter: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership.
    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe sd_bus_message_unref(pointer)
    }
}
