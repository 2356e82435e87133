package import Domain

/// The layout of FIT files, and the numbers of the messages and fields that paced uses.
///
/// A file is a header, messages and a checksum; files may be concatenated. The first byte of a message gives its kind:
/// a definition assigns a message number and fields to one of 16 local types, data has the values of a local type.
///
/// Source: Garmin FIT SDK 21.218, protocol and profile.
package enum Fit {
    /// Size of the header that paced writes. The short header of older writers lacks the last two bytes, the checksum.
    package static let headerSize = 14
    package static let shortHeaderSize = 12
    /// Bytes 8 to 11 of a header.
    package static let signature = Array(".FIT".utf8)
    /// Number of local types. Four bits of a message's first byte hold it, two if it is ``Bit/compressed``.
    package static let localTypes = 16

    /// Flags in a message's first byte.
    package enum Bit {
        package static let compressed: UInt8 = 0x80
        package static let definition: UInt8 = 0x40
        package static let developerFields: UInt8 = 0x20
    }

    /// Unix time of the FIT epoch, 1989-12-31T00:00:00Z, in seconds.
    package static let epoch: Int64 = 631_065_600
    /// Least and greatest timestamp. Below 0x10000000 a timestamp counts seconds since the
    /// device was switched on; 0x10000000 itself is the profile's `min`, 0xFFFFFFFF is invalid.
    package static let firstTime: Int64 = 0x1000_0001
    package static let lastTime: Int64 = 0xFFFF_FFFE

    package static let activityFile: Int64 = 4
    package static let courseFile: Int64 = 6
    /// The profile's manufacturer `development`, for products without a manufacturer number.
    package static let developmentMaker: Int64 = 255

    /// Converts semicircles to degrees: 2^31 semicircles are 180°.
    package static func degrees(semicircles: Int64) -> Double {
        Double(semicircles) * 180 / 0x1p31
    }

    /// Converts degrees to the nearest semicircles. 2^31 − 1 is the invalid value, so it and +180° become −180°.
    package static func semicircles(degrees: Double) -> Int64 {
        let semicircles = (degrees * 0x1p31 / 180).rounded()
        return Int64(semicircles >= 0x1p31 - 1 ? -0x1p31 : semicircles)
    }

    /// The messages that paced writes or imports, and other common ones.
    package enum Message: UInt16, CaseIterable, Sendable {
        case fileID = 0
        case deviceSettings = 2
        case userProfile = 3
        case zonesTarget = 7
        case heartRateZone = 8
        case powerZone = 9
        case sport = 12
        case trainingSettings = 13
        case session = 18
        case lap = 19
        case record = 20
        case event = 21
        case deviceInfo = 23
        case workout = 26
        case workoutStep = 27
        case course = 31
        case coursePoint = 32
        case activity = 34
        case fileCreator = 49
        case trainingFile = 72
        case beats = 78
        case length = 101
        case battery = 104
        case pad = 105
        case weatherConditions = 128
        case heartRate = 132
        case positionData = 160
        case timeCorrelation = 162
        case accelerometer = 165
        case fieldDescription = 206
        case developerData = 207
        case timeInZone = 216
        case split = 312
        case splitSummary = 313

        /// The message's name in the profile.
        package var name: StaticText {
            switch self {
            case .fileID: "file_id"
            case .deviceSettings: "device_settings"
            case .userProfile: "user_profile"
            case .zonesTarget: "zones_target"
            case .heartRateZone: "hr_zone"
            case .powerZone: "power_zone"
            case .sport: "sport"
            case .trainingSettings: "training_settings"
            case .session: "session"
            case .lap: "lap"
            case .record: "record"
            case .event: "event"
            case .deviceInfo: "device_info"
            case .workout: "workout"
            case .workoutStep: "workout_step"
            case .course: "course"
            case .coursePoint: "course_point"
            case .activity: "activity"
            case .fileCreator: "file_creator"
            case .trainingFile: "training_file"
            case .beats: "hrv"
            case .length: "length"
            case .battery: "battery"
            case .pad: "pad"
            case .weatherConditions: "weather_conditions"
            case .heartRate: "hr"
            case .positionData: "gps_metadata"
            case .timeCorrelation: "timestamp_correlation"
            case .accelerometer: "accelerometer_data"
            case .fieldDescription: "field_description"
            case .developerData: "developer_data_id"
            case .timeInZone: "time_in_zone"
            case .split: "split"
            case .splitSummary: "split_summary"
            }
        }
    }

    /// Type of a field's values. A field whose size is a multiple of the type's size is an array.
    package enum BaseType: UInt8, Sendable {
        case enumeration = 0x00
        case int8 = 0x01
        case uint8 = 0x02
        case text = 0x07
        case uint8z = 0x0A
        case bytes = 0x0D
        case int16 = 0x83
        case uint16 = 0x84
        case int32 = 0x85
        case uint32 = 0x86
        case float32 = 0x88
        case float64 = 0x89
        case uint16z = 0x8B
        case uint32z = 0x8C
        case int64 = 0x8E
        case uint64 = 0x8F
        case uint64z = 0x90

        /// Size of one value, in bytes.
        package var size: Int {
            switch self {
            case .enumeration, .int8, .uint8, .text, .uint8z, .bytes: 1
            case .int16, .uint16, .uint16z: 2
            case .int32, .uint32, .float32, .uint32z: 4
            case .float64, .int64, .uint64, .uint64z: 8
            }
        }

        package var isSigned: Bool {
            switch self {
            case .int8, .int16, .int32, .int64: true
            default: false
            }
        }

        /// The bit pattern of an invalid (absent) value.
        package var invalid: UInt64 {
            let ones = UInt64.max >> UInt64(64 - 8 * size)
            return switch self {
            case .uint8z, .uint16z, .uint32z, .uint64z, .text: 0
            case .int8, .int16, .int32, .int64: ones >> 1
            default: ones
            }
        }
    }

    /// Checksum of a header or a file: CRC-16, polynomial 0x8005, reflected, initial value 0.
    package struct Checksum: Equatable, Sendable {
        package private(set) var value: UInt16 = 0

        package init() {}

        package mutating func add(_ byte: UInt8) {
            value = Self.table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
        }

        /// Table for whole bytes, computed from the protocol's table for half bytes.
        private static let table: [UInt16] = (0..<256).map { byte in
            var value = UInt16(byte)
            for _ in 0..<2 { value = value >> 4 ^ halves[Int(value & 0xF)] }
            return value
        }

        private static let halves: [UInt16] = [
            0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401,
            0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400,
        ]
    }
}
