import Domain
import Foundation
import Pipeline
import TestKit
import Testing

/// Automatic pauses beside those of bicycle computers, which stop their timers.
@Suite struct AutoPauseDeviceTests {
    /// A receiver's lines, in which the pauses are filled with standing fixes.
    @Test func movingTimeOfARecordedReceiverIsTheDevicesTimer() throws {
        let name = "ride-edge800-25km-autopause"
        let lines = ReferenceFile.collection.appending(path: "replay_nmea/\(name).nmea")
        guard let text = try? String(contentsOf: lines, encoding: .utf8), let device = try DeviceRide(name) else {
            return
        }
        try expect(ReceiverLines(text).fixes, agreeWith: device)
    }

    /// The records of a device, with its pauses filled likewise.
    @Test(arguments: ["ride-edge500-92km-autopause", "ride-edge800-25km-autopause"])
    func movingTimeOfADevicesRecordsIsItsTimer(name: String) throws {
        guard let device = try DeviceRide(name) else { return }
        try expect(device.track.fixes, agreeWith: device)
    }

    private func expect(_ fixes: [Fix], agreeWith device: DeviceRide) throws {
        let rerun = Rerun(fixes, sport: .ride)
        let error = rerun.movingSeconds / device.timer - 1
        #expect(abs(error) <= 0.01, "\(rerun.movingSeconds) s, the device has \(device.timer) s")
        let long = rerun.autoPauses.count { $0 > 10 }
        let theirs = device.track.pauses.count { $0 > 10 }
        #expect(abs(long - theirs) <= 2, "\(long) pauses over 10 s, the device has \(theirs)")
        #expect(theirs > 0)
    }
}

/// A ride whose device has stopped its timer in pauses.
private struct DeviceRide {
    var name: String
    /// Seconds.
    var timer: Double
    var track: FilledTrack

    /// Nil without the file.
    init?(_ name: String) throws {
        guard let file = ReferenceFile.all(in: "fit", ".fit").first(where: { $0.name == name + ".fit" }) else {
            return nil
        }
        self.name = name
        let read = try ImportedRows(file)
        timer = Double(read.header.sourceTotals?.elapsedMilliseconds ?? 0) / 1000
        track = FilledTrack(read.rows)
    }
}

/// The fixes of a receiver's RMC sentences.
private struct ReceiverLines {
    var fixes: [Fix] = []

    init(_ text: String) {
        var first: Int64?
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("$GPRMC") {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count > 8, fields[2] == "A", let clock = Double(fields[1]),
                let latitude = Self.degrees(fields[3], fields[4]), let longitude = Self.degrees(fields[5], fields[6]),
                let knots = Double(fields[7])
            else { continue }
            let whole = Int64(clock)
            let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
            let start = first ?? seconds
            first = start
            let moment = (seconds - start) * 1000
            fixes.append(
                Fix(
                    arrivedAt: Instant(milliseconds: 1_000_150 + moment),
                    time: UTC(milliseconds: 1_772_350_212_000 + moment), mode: 3, latitude: latitude,
                    longitude: longitude, accuracy: 17.1, speed: knots * 1852 / 3600))
        }
    }

    private static func degrees(_ value: Substring, _ side: Substring) -> Double? {
        guard let value = Double(value) else { return nil }
        let degrees = (value / 100).rounded(.down)
        let magnitude = degrees + (value - 100 * degrees) / 60
        return side == "S" || side == "W" ? -magnitude : magnitude
    }
}
