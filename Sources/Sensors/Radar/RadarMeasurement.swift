package import Domain

/// One notification of a rear radar (UUID 6A4E3203-667B-11E3-949A-0800200C9A66).
///
/// Layout, found by others in devices; the manufacturer publishes none:
///
///     offset  size  field
///     0       1     header
///     1+3n    1     number of the vehicle
///     2+3n    1     distance in metres
///     3+3n    1     speed of approach in km/h
///
/// A notification of 20 bytes has room for 6 vehicles. More are continued in the next notification, whose header is
/// higher by 2; ``RadarMerger`` joins them. A header alone says that the road is clear. An incomplete vehicle at the end
/// is dropped.
///
/// Source: pycycling, rear_view_radar.py; harbour-tacho, variaconnectivity.cpp (RTL515).
package struct RadarMeasurement: Equatable, Sendable {
    package var header: UInt8
    package var threats = RadarThreats()

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError`` for an empty value.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        header = try value.uint8(at: 0)
        var offset = 1
        while offset + 3 <= value.count {
            threats.update(
                RadarThreat(id: value[offset], metres: value[offset + 1], kilometresPerHour: value[offset + 2]))
            offset += 3
        }
    }
}

/// Joins the notifications of a radar that follows more than 6 vehicles.
package struct RadarMerger: Equatable, Sendable {
    /// The number of vehicles of a full notification, which alone is continued.
    private static let fullCount = 6

    private var lastHeader: UInt8?
    private var lastIsFull = false
    package private(set) var threats = RadarThreats()

    package init() {}

    /// Receives one notification. The result is in ``threats``.
    package mutating func received(_ measurement: RadarMeasurement) {
        if lastIsFull, let lastHeader, measurement.header == lastHeader &+ 2 {
            for index in 0..<measurement.threats.count { threats.update(measurement.threats[index]) }
        } else {
            threats = measurement.threats
        }
        lastHeader = measurement.header
        lastIsFull = measurement.threats.count >= Self.fullCount
    }
}

extension AttributeUUID {
    package static let radarService = AttributeUUID(value: 0x6A4E_3200_667B_11E3_949A_0800_200C_9A66)
    package static let radarMeasurement = AttributeUUID(value: 0x6A4E_3203_667B_11E3_949A_0800_200C_9A66)
}
