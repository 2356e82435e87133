import CGps
import Domain
import JSONCoding
package import Sensors

extension GpsdMessage {
    /// Parses one line of gpsd, without its line end.
    ///
    /// The class is recognized by the first bytes of the line, where gpsd always writes it. TPV and SKY are
    /// parsed by libgps. The others are parsed as JSON, because libgps does not decode the notice that a
    /// receiver is gone (`"activated":0`). An unreadable line becomes ``other`` or a report without some
    /// fields: libgps does not report errors.
    package init(line: ArraySlice<UInt8>) {
        self = Self.read(line) ?? .other
    }

    private static func read(_ line: ArraySlice<UInt8>) -> GpsdMessage? {
        let prefix = #"{"class":""#.utf8
        guard line.starts(with: prefix) else { return nil }
        let rest = line.dropFirst(prefix.count)
        if rest.starts(with: #"TPV""#.utf8) { return report(line).map { .report(TPVReport($0)) } }
        if rest.starts(with: #"SKY""#.utf8) {
            return report(line).map {
                .sky(device: $0.path, satellites: $0.satellites_used < 0 ? nil : Int($0.satellites_used))
            }
        }
        if rest.starts(with: #"VERSION""#.utf8) {
            return (try? JSON(parsing: line))?["proto_major"]?.integer.map { .version(major: $0) }
        }
        if rest.starts(with: #"DEVICES""#.utf8) {
            guard let devices = (try? JSON(parsing: line))?["devices"]?.array else { return nil }
            return .devices(devices.compactMap { $0["path"]?.string })
        }
        if rest.starts(with: #"DEVICE""#.utf8) {
            guard let device = try? JSON(parsing: line), let path = device["path"]?.string else { return nil }
            return .device(path, isPresent: device["activated"]?.number != 0)
        }
        return rest.starts(with: #"ERROR""#.utf8) ? .error : nil
    }

    private static func report(_ line: ArraySlice<UInt8>) -> cgps_report? {
        var report = cgps_report()
        let isRead = unsafe line.withUnsafeBufferPointer { unsafe cgps_unpack($0.baseAddress, $0.count, &report) }
        return isRead ? report : nil
    }
}

extension TPVReport {
    fileprivate init(_ report: cgps_report) {
        self.init(
            device: report.path,
            time: report.time_ms == 0 ? nil : UTC(milliseconds: report.time_ms),
            mode: UInt8(report.mode),
            latitude: report.latitude.finite,
            longitude: report.longitude.finite,
            altitude: report.altitude_msl.finite ?? (report.altitude_hae - report.geoid_separation).finite,
            accuracy: report.accuracy,
            verticalAccuracy: report.epv.finite.flatMap { $0 > 0 ? $0 : nil },
            speed: report.speed.finite,
            track: report.track.finite.flatMap { (0...360).contains($0) ? $0 : nil })
    }
}

extension cgps_report {
    fileprivate var path: String? {
        var device = device
        let path = unsafe withUnsafeBytes(of: &device) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.isEmpty ? nil : path
    }

    /// The horizontal error in metres. Nil for 0, which is no estimate.
    fileprivate var accuracy: Double? {
        let eph = eph.finite ?? (epx * epx + epy * epy).squareRoot().finite
        return eph.flatMap { $0 > 0 ? $0 : nil }
    }
}

extension Double {
    /// Nil for NaN and infinities.
    fileprivate var finite: Double? {
        isFinite ? self : nil
    }
}
