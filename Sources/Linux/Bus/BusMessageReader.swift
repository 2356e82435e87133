import CSystemd
import Domain
import Glibc

/// Reads the arguments of one message, within bounds: the sender is not trusted.
@safe
struct BusMessageReader {
    /// Maximum depth of containers. BlueZ's deepest reply, that of `GetManagedObjects`, has 8.
    static let depthLimit = 16
    /// Maximum number of values, nested ones included: enough for ten thousand devices. bluetoothd keeps each sender of advertisements
    /// in a scan for a while, and a hostile one has many addresses.
    static let valueLimit = 1_048_576
    /// Maximum number of bytes of strings and byte arrays in a message.
    static let byteLimit = 16_777_216
    /// Maximum number of descriptors in a message.
    static let descriptorLimit = 16

    private let message: OpaquePointer
    private var valuesLeft = Self.valueLimit
    private var bytesLeft = Self.byteLimit
    private var descriptorsLeft = Self.descriptorLimit

    private init(_ message: OpaquePointer) {
        unsafe self.message = unsafe message
    }

    /// Reads all arguments of a message.
    ///
    /// - Throws: ``BusError/limitsExceeded`` or ``BusError/inconsistentMessage``.
    ///   Descriptors that were read are closed.
    static func arguments(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var reading = unsafe BusMessageReader(message)
        try reading.check(unsafe sd_bus_message_rewind(message, 1))
        return try reading.values(depth: 0)
    }

    /// Reads the remaining values of the open container.
    private mutating func values(depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private mutating func next(depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(unsafe sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return nil }
        try consumeCount(1, of: \.valuesLeft)
        switch Int(type) {
        case Int(SD_BUS_TYPE_BOOLEAN): return .bool(try basic(type, Int32(0)) != 0)
        case Int(SD_BUS_TYPE_BYTE): return .byte(try basic(type, 0))
        case Int(SD_BUS_TYPE_INT16): return .int16(try basic(type, 0))
        case Int(SD_BUS_TYPE_UINT16): return .uint16(try basic(type, 0))
        case Int(SD_BUS_TYPE_INT32): return .int32(try basic(type, 0))
        case Int(SD_BUS_TYPE_UINT32): return .uint32(try basic(type, 0))
        case Int(SD_BUS_TYPE_INT64): return .int64(try basic(type, 0))
        case Int(SD_BUS_TYPE_UINT64): return .uint64(try basic(type, 0))
        case Int(SD_BUS_TYPE_DOUBLE): return .double(try basic(type, 0))
        case Int(SD_BUS_TYPE_STRING): return .string(try text(type))
        case Int(SD_BUS_TYPE_OBJECT_PATH): return .objectPath(try text(type))
        case Int(SD_BUS_TYPE_SIGNATURE): return .signature(try text(type))
        case Int(SD_BUS_TYPE_UNIX_FD): return .descriptor(try descriptor(basic(type, Int32(-1))))
        default:
            guard let contents = unsafe contents else { throw BusError(BusError.inconsistentMessage) }
            // Copied: the pointer is valid only until the next peek.
            return try container(type, unsafe String(cString: contents), depth: depth + 1)
        }
    }

    private mutating func container(_ type: CChar, _ contents: String, depth: Int) throws(BusError) -> BusValue {
        if depth > Self.depthLimit { throw BusError(BusError.limitsExceeded, "too deep") }
        if Int(type) == Int(SD_BUS_TYPE_ARRAY), contents == "y" { return .bytes(try byteArray()) }
        try check(unsafe sd_bus_message_enter_container(message, type, contents))
        let values = try values(depth: depth)
        try check(unsafe sd_bus_message_exit_container(message))
        switch Int(type) {
        case Int(SD_BUS_TYPE_ARRAY): return .array(of: contents, values)
        case Int(SD_BUS_TYPE_STRUCT): return .structure(values)
        case Int(SD_BUS_TYPE_DICT_ENTRY) where values.count == 2: return .entry(values[0], values[1])
        case Int(SD_BUS_TYPE_VARIANT) where values.count == 1: return .variant(values[0])
        default: throw BusError(BusError.inconsistentMessage)
        }
    }

    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ initial: Value) throws(BusError) -> Value {
        var value = initial
        try check(unsafe sd_bus_message_read_basic(message, type, &value))
        return value
    }

    private mutating func text(_ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(unsafe sd_bus_message_read_basic(message, type, &text))
        guard let text = unsafe text else { throw BusError(BusError.inconsistentMessage) }
        try consumeCount(unsafe strlen(text), of: \.bytesLeft)
        return unsafe String(cString: text)
    }

    private mutating func byteArray() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try check(unsafe sd_bus_message_read_array(message, CChar(SD_BUS_TYPE_BYTE), &start, &count))
        try consumeCount(count, of: \.bytesLeft)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Duplicates a descriptor; the message keeps its own until it is freed.
    private mutating func descriptor(_ number: Int32) throws(BusError) -> BusDescriptor {
        try consumeCount(1, of: \.descriptorsLeft)
        do {
            let own = try Linux.check("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
            return BusDescriptor(FileDescriptor(owning: own))
        } catch {
            throw BusError(error)
        }
    }

    private mutating func consumeCount(_ count: Int, of left: WritableKeyPath<BusMessageReader, Int>) throws(BusError) {
        self[keyPath: left] -= count
        if self[keyPath: left] < 0 { throw BusError(BusError.limitsExceeded, "too long") }
    }

    @discardableResult
    private func check(_ result: Int32) throws(BusError) -> Int32 {
        if result < 0 { throw BusError(BusError.inconsistentMessage) }
        return result
    }
}
