package import Domain

extension Fit {
    /// Number of a field in its message.
    package typealias Field = UInt8

    /// Seconds since the FIT epoch; the field has this number in every message.
    package static let timestamp: Field = 253
    /// Index of a lap or session, from 0.
    package static let messageIndex: Field = 254

    /// First message of a file: its type and creator.
    package enum FileID {
        package static let type: Field = 0
        package static let maker: Field = 1
        package static let product: Field = 2
        package static let serialNumber: Field = 3
        package static let created: Field = 4
        package static let productName: Field = 8
    }

    package enum Workout {
        package static let sport: Field = 4
        package static let name: Field = 8
    }

    package enum WorkoutStep {
        package static let name: Field = 0
        package static let durationType: Field = 1
        package static let duration: Field = 2
        package static let targetType: Field = 3
        package static let target: Field = 4
        package static let customLow: Field = 5
        package static let customHigh: Field = 6
        package static let secondTargetType: Field = 19
        package static let secondTarget: Field = 20
        package static let secondCustomLow: Field = 21
        package static let secondCustomHigh: Field = 22
    }

    package enum Course {
        package static let sport: Field = 4
        package static let name: Field = 5
    }

    package enum CoursePoint {
        package static let time: Field = 1
        package static let latitude: Field = 2
        package static let longitude: Field = 3
        /// Centimetres.
        package static let distance: Field = 4
        package static let type: Field = 5
        package static let name: Field = 6
    }

    package enum DeveloperData {
        package static let application: Field = 1
        package static let index: Field = 3
    }

    package enum FieldDescription {
        package static let developer: Field = 0
        package static let number: Field = 1
        package static let baseType: Field = 2
        package static let name: Field = 3
        package static let scale: Field = 6
        package static let offset: Field = 7
        package static let units: Field = 8
        package static let nativeMessage: Field = 14
        package static let nativeField: Field = 15
    }

    package enum FileCreator {
        package static let softwareVersion: Field = 0
    }

    package enum DeviceInfo {
        package static let index: Field = 0
        /// Its numbers depend on the source: ``FitSensor``.
        package static let type: Field = 1
        package static let maker: Field = 2
        package static let serialNumber: Field = 3
        package static let product: Field = 4
        /// Hundredths.
        package static let softwareVersion: Field = 5
        package static let batteryStatus: Field = 11
        /// Describes the sensor.
        package static let descriptor: Field = 19
        package static let source: Field = 25
        package static let productName: Field = 27
        /// Percent.
        package static let batteryLevel: Field = 32

        package static let creator: Int64 = 0
        package static let gps: Int64 = 0
        package static let antplus: Int64 = 1
        package static let bluetooth: Int64 = 3
        package static let local: Int64 = 5
    }

    package enum Event {
        package static let event: Field = 0
        package static let type: Field = 1
        package static let data: Field = 3

        package static let timer: Int64 = 0
        package static let session: Int64 = 8
        package static let lap: Int64 = 9
        package static let activity: Int64 = 26

        package static let start: Int64 = 0
        package static let stop: Int64 = 1
        package static let stopAll: Int64 = 4
        package static let stopDisable: Int64 = 8
        package static let stopDisableAll: Int64 = 9

        /// `data` of a timer event (`timer_trigger`): why the timer was started or stopped.
        package static let manual: Int64 = 0
        package static let auto: Int64 = 1
    }

    /// Values at one second.
    package enum Record {
        /// Hundredths of g/dl.
        package static let hemoglobin: Field = 54
        /// Tenths of a percent.
        package static let oxygenSaturation: Field = 57
        /// Hundredths of a degree.
        package static let coreTemperature: Field = 139
        package static let latitude: Field = 0
        package static let longitude: Field = 1
        /// Fifths of a metre above −500 m.
        package static let altitude: Field = 2
        package static let heartRate: Field = 3
        package static let cadence: Field = 4
        /// Centimetres.
        package static let distance: Field = 5
        /// Millimetres per second.
        package static let speed: Field = 6
        package static let power: Field = 7
        /// 12 bits of the speed in cm/s, and 12 of the distance in 1/16 m, which begins again after 256 m.
        package static let compressedSpeedDistance: Field = 8
        /// Hundredths of a percent.
        package static let grade: Field = 9
        package static let temperature: Field = 13
        /// Percent of one pedal; with bit 7 of the right one, else of an unknown one.
        package static let balance: Field = 30
        package static let rightBalance: Int64 = 0x80
        /// Millimetres per second.
        package static let verticalSpeed: Field = 32
        package static let enhancedSpeed: Field = 73
        package static let enhancedAltitude: Field = 78
    }

    /// RR intervals, in file order (message `hrv`).
    package enum Beats {
        /// Array of up to ``count`` intervals, in milliseconds.
        package static let intervals: Field = 0
        package static let count = 5
    }

    package enum Lap {
        package static let event: Field = 0
        package static let eventType: Field = 1
        package static let start: Field = 2
        package static let startLatitude: Field = 3
        package static let startLongitude: Field = 4
        package static let endLatitude: Field = 5
        package static let endLongitude: Field = 6
        package static let elapsed: Field = 7
        package static let timer: Field = 8
        package static let distance: Field = 9
        /// Kilocalories.
        package static let calories: Field = 11
        package static let averageHeartRate: Field = 15
        package static let maximumHeartRate: Field = 16
        package static let averageCadence: Field = 17
        package static let maximumCadence: Field = 18
        package static let averagePower: Field = 19
        package static let maximumPower: Field = 20
        /// Metres.
        package static let ascent: Field = 21
        package static let descent: Field = 22
        package static let normalizedPower: Field = 33
        /// Joules.
        package static let work: Field = 41
        /// 1/128 of a revolution a minute, beside ``averageCadence`` and ``maximumCadence``.
        package static let averageFractionalCadence: Field = 80
        package static let maximumFractionalCadence: Field = 81
        package static let trigger: Field = 24
        package static let sport: Field = 25
        package static let averageSpeed: Field = 110
        package static let maximumSpeed: Field = 111

        package static let manual: Int64 = 0
        package static let time: Int64 = 1
        package static let metres: Int64 = 2
        package static let sessionEnd: Int64 = 7
    }

    /// `length`, of a pool.
    package enum Length {
        package static let start: Field = 2
        package static let elapsed: Field = 3
        package static let type: Field = 12
        /// Swum, and not a rest.
        package static let active: Int64 = 1
    }

    /// `hr`, of a strap that keeps what it measures under water.
    package enum HeartRate {
        /// 1/32768 s.
        package static let fraction: Field = 0
        package static let rates: Field = 6
        /// 1/1024 s of the strap.
        package static let moments: Field = 9
        /// Their lowest 12 bits, two in three bytes.
        package static let packedMoments: Field = 10
    }

    package enum Session {
        package static let event: Field = 0
        package static let eventType: Field = 1
        package static let start: Field = 2
        package static let sport: Field = 5
        package static let subSport: Field = 6
        package static let elapsed: Field = 7
        package static let timer: Field = 8
        package static let distance: Field = 9
        /// Kilocalories.
        package static let calories: Field = 11
        package static let averageHeartRate: Field = 16
        package static let maximumHeartRate: Field = 17
        package static let averageCadence: Field = 18
        package static let maximumCadence: Field = 19
        package static let averagePower: Field = 20
        package static let maximumPower: Field = 21
        package static let normalizedPower: Field = 34
        /// Joules.
        package static let work: Field = 48
        /// 1/128 of a revolution a minute, beside ``averageCadence`` and ``maximumCadence``.
        package static let averageFractionalCadence: Field = 92
        package static let maximumFractionalCadence: Field = 93
        /// Metres.
        package static let ascent: Field = 22
        package static let descent: Field = 23
        package static let firstLap: Field = 25
        package static let laps: Field = 26
        package static let trigger: Field = 28
        /// Centimetres.
        package static let poolLength: Field = 44
        package static let averageSpeed: Field = 124
        package static let maximumSpeed: Field = 125
        package static let movingTime: Field = 59
    }

    package enum Activity {
        package static let timer: Field = 0
        package static let sessions: Field = 1
        package static let type: Field = 2
        package static let event: Field = 3
        package static let eventType: Field = 4
        package static let localTime: Field = 5
    }

    package enum WeatherConditions {
        package static let report: Field = 0
        package static let temperature: Field = 1
        /// Its numbers: ``FitWeather``.
        package static let condition: Field = 2
        /// Where the wind comes from, in degrees.
        package static let windDirection: Field = 3
        /// Millimetres per second.
        package static let windSpeed: Field = 4
        /// Percent.
        package static let humidity: Field = 7
        package static let location: Field = 8
        package static let observed: Field = 9

        package static let current: Int64 = 0
    }

    package enum TimeInZone {
        package static let reference: Field = 0
        package static let index: Field = 1
        /// Milliseconds in each zone; the first element is the time below the first boundary.
        package static let heartRate: Field = 2
        /// Upper boundary of each zone but the last (`hr_zone_high_boundary`): the lowest heart rate of the next zone.
        package static let boundaries: Field = 6
        package static let calculation: Field = 10
        package static let custom: Int64 = 0
    }

    /// FIT number of a sport; indoor sub-sports belong to the same sport.
    package static func number(of sport: Sport) -> Int64 {
        switch sport {
        case .run: 1
        case .ride: 2
        case .walk: 11
        case .hike: 17
        case .other: 0
        }
    }

    /// A sport that is not one of ours.
    static let swimming: Int64 = 5

    /// Our sport of a FIT number.
    ///
    /// - Parameter subSport: that of a session. Machines and e-bikes may have no sport of their own.
    package static func sport(number: Int64, subSport: Int64? = nil) -> Sport {
        switch number {
        case 1: return .run
        // Cycling, and e-biking.
        case 2, 21: return .ride
        case 11: return .walk
        case 17: return .hike
        // Generic, and fitness equipment.
        case 0, 4:
            switch subSport {
            // Treadmill, and indoor running.
            case 1, 45: return .run
            // Spinning, indoor cycling, and e-bikes for fitness and mountains.
            case 5, 6, 28, 47: return .ride
            case 27: return .walk
            default: return .other
            }
        default: return .other
        }
    }

    /// FIT number of a sport's indoor sub-sport.
    package static func indoorNumber(of sport: Sport) -> Int64 {
        switch sport {
        case .run: 45
        case .ride: 6
        case .walk: 27
        case .hike, .other: 0
        }
    }

    /// Treadmill, indoor cycling, indoor rowing, indoor skiing, indoor walking, indoor running.
    package static func isIndoor(subSport: Int64) -> Bool {
        [1, 6, 14, 25, 27, 45].contains(subSport)
    }
}
