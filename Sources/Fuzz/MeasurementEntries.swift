import Board
import Domain
import Pipeline
import Sensors

extension FuzzTarget {
    /// Values of all sensors but straps: each is parsed or rejected.
    ///
    /// Layout: the number of the decoder, then the value.
    static let sensors = FuzzTarget(
        name: "sensors",
        corpus: [
            [0, 0x03, 0xA2, 0x5E, 1, 0, 0x6D, 0x0E, 0x4B, 0x63, 0x96, 0x7F],
            [1, 0x30, 0, 0x88, 0, 0xA2, 0x5E, 1, 0, 0xAF, 0x1D, 0x4B, 0x63, 0x96, 0x7F],
            [1, 0xFF, 0x1F, 1, 0, 0x64] + [UInt8](repeating: 7, count: 29),
            [2, 0x20, 0x0C, 1, 0x9C, 0xFF], [3, 0x0B, 3, 1, 0], [4, 7, 0x34, 0x12, 0x56, 0x89, 7, 4, 3, 2, 1],
            [5, 0x0C, 1, 0xC8, 0x19, 0xD8, 1, 0, 0, 0, 0, 0, 0x6A],
            [6, 0xFE, 0x7F, 0] + [UInt8](repeating: 3, count: 36),
            [7, 0xF8, 0, 0x3A, 0x10, 0, 0x95, 0, 0, 0, 0x6A, 0, 0x22, 0, 2, 0],
            [8, 0x54, 2, 0xCA, 0x0C, 0xA0, 0, 0xD3, 0xA4, 0, 0x2C, 1, 0x8F],
            [9, 0xB2, 0x48, 0x0F, 0], [10, 0x12, 0x83, 3, 0x1F, 0x8F, 0x1C, 0x2D, 0x97, 0x3D, 0x47],
        ]
    ) { bytes in
        var reader = CaseReader(bytes)
        let decoder = reader.byte() % 11
        let value = reader.bytes(bytes.count)
        switch decoder {
        case 0:
            if let measurement = try? CyclingSpeedCadenceMeasurement(value.span), let crank = measurement.crank {
                precondition(crank.revolutions <= UInt16.max)
            }
            _ = try? CyclingSpeedCadenceFeatures(value.span)
        case 1:
            guard let measurement = try? CyclingPowerMeasurement(value.span) else { return }
            precondition(measurement.balance ?? 0 <= 200)
            if let angle = measurement.angle {
                precondition((0...4095).contains(angle.maximum) && (0...4095).contains(angle.minimum))
            }
        case 2: _ = OffsetCompensation().indicated(value.span)
        case 3: _ = try? CyclingPowerFeatures(value.span)
        case 4:
            if let measurement = try? RunningMeasurement(value.span) { precondition(measurement.speed < 256) }
        case 5...8:
            let machine = FitnessMachine.allCases[Int(decoder) - 5]
            guard let record = try? FitnessMachineRecord(value.span, of: machine) else { return }
            precondition((0..<656).contains(record.speed ?? 0) && record.totalMetres ?? 0 < 0xFF_FFFF)
            precondition(record.heartRate.map { 1...254 ~= $0 } ?? true)
        case 9:
            for type in EnvironmentMeasurement.types {
                guard let measurement = try? EnvironmentMeasurement(value.span, of: type) else { continue }
                precondition(measurement.rawHumidity ?? 0 <= 10_000 && measurement.centidegrees ?? 0 >= -27315)
            }
        default:
            var merger = RadarMerger()
            for start in 0..<min(value.count, 64) {
                guard let measurement = try? RadarMeasurement(Array(value[start...]).span) else { return }
                merger.received(measurement)
                precondition(merger.threats.count <= RadarThreats.capacity)
            }
        }
    }

    /// A counter that sends arbitrary counts at arbitrary times.
    ///
    /// Layout: the rotor, then steps of 5 bytes: a command, a step of the count, a step of the event time (2 bytes), and
    /// tenths of seconds to wait.
    static let revolutions = FuzzTarget(
        name: "revolutions",
        corpus: [
            [0] + [UInt8](repeating: 0, count: 5) + steps(of: 4, ticks: 1024), [1] + steps(of: 7, ticks: 2040),
            [2] + steps(of: 1, ticks: 700) + [1, 0, 0, 0, 0] + steps(of: 0, ticks: 0) + [2, 9, 0, 0, 200],
            [2, 3, 255, 255, 255, 10] + steps(of: 1, ticks: 900),
        ]
    ) { bytes in
        var reader = CaseReader(bytes)
        let rotor = RevolutionMeter.Rotor.allCases[Int(reader.byte() % 3)]
        let fastest = rotor == .crank ? 5.0 : 30
        var meter = RevolutionMeter(rotor)
        var now = Instant(milliseconds: 1000)
        var count = RevolutionCount(revolutions: 0, eventTime: 0)
        while !reader.isAtEnd {
            let command = reader.byte()
            let step = UInt32(reader.byte())
            count.eventTime &+= UInt16(reader.byte()) | UInt16(reader.byte()) << 8
            let tenths = Int64(reader.byte())
            switch command % 8 {
            case 1: meter.disconnected()
            case 2: count.revolutions &-= step
            case 3: count.revolutions &+= step << 24
            case 4: now += .seconds(tenths * 100)
            case 5: now = now - .milliseconds(tenths)
            case 6: meter = RevolutionMeter(rotor, meter.memory)
            default: count.revolutions &+= step
            }
            now += .milliseconds(100 * tenths)
            let new = meter.received(count, at: now)
            precondition(new.revolutions >= 0 && new.span >= .zero)
            precondition(Double(new.revolutions) <= fastest * new.span.inSeconds + 1e-6)
            for wait in [0, 4, 6] as [Int64] {
                guard let rate = meter.rate(at: now + .seconds(wait)) else { continue }
                precondition((0...fastest).contains(rate))
            }
        }
    }

    private static func steps(of revolutions: UInt8, ticks: UInt16) -> [UInt8] {
        (0..<8).flatMap { _ in [0, revolutions, UInt8(truncatingIfNeeded: ticks), UInt8(ticks >> 8), 10] as [UInt8] }
    }

    /// Files of a barometer of the board: each is a number or not, and no other pressure than that of air is accepted.
    ///
    /// Layout: the texts of the files, each ended by a zero byte. A file whose text begins with `!` is missing.
    static let barometer = FuzzTarget(
        name: "barometer",
        corpus: [
            "100.653253906\0", "100.653253906\0!\0!\0!\025080\0!\0!\0!\048125\0", "!\04149903\00.000024414\0!\0",
            "!\0-260832\0-0.000244141\0-200000\0!\0-8400\02.083333\020400.000000\0!\0512\00.195312\0-24\0",
            "nan\0", "1200000000000000000000000000000000000000\0", "30\0-90000\0",
        ].map { Array($0.utf8) }
    ) { bytes in
        let texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        let channels = IIOChannels { file in
            guard let place = files.firstIndex(of: file), place < texts.count else { return nil }
            return texts[place].first == UInt8(ascii: "!") ? nil : texts[place]
        }
        guard let measurement = try? channels.measurement() else { return }
        precondition((300_000...1_200_000).contains(measurement.decipascals ?? 0))
        precondition((-9000...10_000).contains(measurement.centidegrees ?? 0))
        precondition((0...10_000).contains(measurement.rawHumidity ?? 0))
    }

    private static let files = ["pressure", "temp", "humidityrelative"].flatMap { channel in
        ["input", "raw", "scale", "offset"].map { "in_\(channel)_\($0)" }
    }
}
