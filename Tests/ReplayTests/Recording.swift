import Domain
import Foundation
import Pipeline
import TestKit
import Testing

/// One second of a device's recording.
struct Record {
    var time: UTC
    var coordinate: Coordinate?
    var altitude: Double?
    var speed: Double?
    /// The device's distance in metres.
    var deviceMetres: Double?
}

/// A recording of a sports watch or a bike computer, decoded into CSV.
struct Recording: CustomTestStringConvertible {
    var name: String
    var records: [Record]

    var testDescription: String { name }

    var sport: Sport {
        Sport.allCases.first { name.hasPrefix($0.rawValue) } ?? .other
    }

    var deviceMetres: Double {
        let metres = records.compactMap(\.deviceMetres)
        return (metres.last ?? 0) - (metres.first ?? 0)
    }

    static let all: [Recording] = {
        let suffix = ".records.csv"
        let files = ReferenceFile.all(in: "replay", suffix) + ReferenceFile.all(in: "fit", suffix)
        var names: Set<String> = []
        return files.filter { names.insert($0.name).inserted }.compactMap { file in
            try? Recording(name: String(file.name.dropLast(suffix.count)), csv: file.url)
        }
    }()

    init(name: String, csv: URL) throws {
        let date = ISO8601DateFormatter()
        self.name = name
        records = try String(contentsOf: csv, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst().compactMap
        { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count >= 7, let time = date.date(from: String(fields[0])) else { return nil }
            var coordinate: Coordinate?
            if let latitude = Double(fields[1]), let longitude = Double(fields[2]) {
                coordinate = Coordinate(latitude: latitude, longitude: longitude)
            }
            return Record(
                time: UTC(milliseconds: Int64(time.timeIntervalSince1970 * 1000)), coordinate: coordinate,
                altitude: Double(fields[3]), speed: Double(fields[4]), deviceMetres: Double(fields[6]))
        }
    }

    /// Recordings whose device did not measure distance by its positions: they have their own limits.
    private static let exceptions: [String: (bound: Double, reason: String)] = [
        "run-fr920xt-7km-hrzones": (0.012, "its own distance is 1.6 % under the length of its own track")
    ]

    /// Whether distance is measured by position: devices with a wheel sensor or a foot pod differ over 5 s.
    var measuresByItsPositions: Bool {
        !name.contains("stryd") && !name.contains("edge500")
    }

    func bound(walk: Double, run: Double, ride: Double) -> Double {
        let bound =
            switch sport {
            case .walk, .hike: walk
            case .run: run
            case .ride, .other: ride
            }
        return max(Self.exceptions[name]?.bound ?? 0, bound)
    }

    /// Returns the fixes of a receiver on this track, each 0.1 to 0.3 s after its time.
    func fixes(noise: ReceiverNoise? = nil) -> [Fix] {
        guard let start = records.first?.time else { return [] }
        var latency = ReceiverNoise(seed: 7)
        var noise = noise
        var last: UTC?
        return records.compactMap { record in
            guard let coordinate = record.coordinate, last.map({ record.time > $0 }) ?? true else { return nil }
            last = record.time
            let place = noise?.displaced(coordinate) ?? coordinate
            let arrival = record.time.milliseconds - start.milliseconds + latency.latency
            return Fix(
                arrivedAt: Instant(milliseconds: Self.start + arrival), time: record.time, mode: 3,
                latitude: place.latitude, longitude: place.longitude, altitude: record.altitude, accuracy: 5,
                speed: record.speed)
        }
    }

    /// The boot clock at the first record, in milliseconds.
    private static let start: Int64 = 1_000_000

    /// Returns the relative error of each pace against the device's own over the same 5 s.
    func paceErrors(of replay: Rerun) -> [Double] {
        guard let start = records.first?.time else { return [] }
        var metres: [Int64: Double] = [:]
        for record in records {
            metres[(record.time.milliseconds - start.milliseconds) / 1000] = record.deviceMetres
        }
        return replay.paces.compactMap { at, pace in
            // At a tick the newest fix is that of the second before, because reports are late.
            let second = (at.milliseconds - Self.start - 100) / 1000
            guard let pace, let now = metres[second], let before = metres[second - 5], now - before > 2 else {
                return nil
            }
            return abs(5 / (now - before) / pace - 1)
        }
    }
}
