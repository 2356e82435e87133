/// A heart-rate strap that answers requests from a table and records them.
///
/// The answers are those of an independent GATT server, Bumble 0.0.236, with a realistic database.
package struct ScriptedStrap: Sendable {
    /// Responses by request. Other requests get the error Attribute Not Found.
    package var answers: [[UInt8]: [[UInt8]]] = [:]
    package private(set) var requests: [[UInt8]] = []

    /// Enables notifications; the descriptor's handle is 0x0016.
    package static let subscription = hex("12 16 00 01 00")

    /// 67 bpm, RR 882 and 906; the value's handle is 0x0015.
    package static let notification = hex("1b 15 00 16 43 72 03 8a 03")

    package init() {
        answers = Dictionary(uniqueKeysWithValues: Self.table.map { (hex($0.key), [hex($0.value)]) })
        set(text: "Polar Electro Oy", ofType: 0x2A29)
        set(text: "H10", ofType: 0x2A24)
        set(text: "Polar H10 9AD13824", ofType: 0x2A00)
    }

    package mutating func answer(to pdu: [UInt8]) -> [[UInt8]] {
        requests.append(pdu)
        return answers[pdu] ?? [[0x01, pdu.first ?? 0, 0, 0, 0x0A]]
    }

    /// Sets the value of a characteristic, by type, to a text.
    package mutating func set(text: String, ofType type: UInt16) {
        let value = Array(text.utf8)
        answers[Self.reading(type)] = [[0x09, UInt8(value.count + 2), 0x10, 0x00] + value]
    }

    /// The request for all values of a type.
    package static func reading(_ type: UInt16) -> [UInt8] {
        hex("08 01 00 ff ff") + [UInt8(truncatingIfNeeded: type), UInt8(type >> 8)]
    }

    private static let table = [
        "02 05 02": "03 05 02",
        "06 01 00 ff ff 00 28 0d 18": "07 13 00 1a 00",
        "08 13 00 1a 00 03 28": "09 07 14 00 10 15 00 37 2a 17 00 02 18 00 38 2a 19 00 08 1a 00 39 2a",
        "04 16 00 16 00": "05 01 16 00 02 29",
        "12 16 00 01 00": "13",
        "08 01 00 ff ff 19 2a": "09 03 1d 00 57",
        "08 01 00 ff ff 38 2a": "09 03 18 00 01",
    ]
}
