import Domain
import Foundation
import Gnss
import Sensors
import TestKit
import Testing

/// Known peculiarities of gpsd and libgps, each by name.
@Suite struct GpsdMessageTests {
    func message(_ line: String) -> GpsdMessage {
        GpsdMessage(line: Array(line.utf8)[...])
    }

    func report(_ line: String) throws -> TPVReport {
        guard case .report(let report) = message(line) else { throw CocoaError(.coderValueNotFound) }
        return report
    }

    @Test func fullReportHasAllFields() throws {
        let line =
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-06-01T14:45:09.120Z","ept":0.005,"#
            + #""lat":58.959178300,"lon":5.728812300,"altHAE":98.7,"altMSL":55.25,"alt":98.7,"epx":3.0,"epy":4.0,"#
            + #""epv":29.9,"track":251.9,"speed":5.89,"climb":43.7,"geoidSep":43.45,"eph":17.1,"sep":30.4}"#
        #expect(
            try report(line)
                == TPVReport(
                    device: "/dev/ttyACM0", time: UTC(milliseconds: 1_780_325_109_120), mode: 3, latitude: 58.9591783,
                    longitude: 5.7288123, altitude: 55.25, accuracy: 17.1, verticalAccuracy: 29.9, speed: 5.89,
                    track: 251.9))
    }

    @Test func everyFieldOfAReportIsOptional() throws {
        #expect(try report(#"{"class":"TPV"}"#) == TPVReport(mode: 0))
    }

    /// com-1289 of gpsd's regression tests.
    @Test func mode3MayLackAPosition() throws {
        let com1289 = try report(#"{"class":"TPV","mode":3,"epv":27.600,"eph":20.900,"sep":32.300}"#)
        #expect(com1289 == TPVReport(mode: 3, accuracy: 20.9, verticalAccuracy: 27.6))
    }

    /// gp-320fw at its cold start.
    @Test func positionMayLackATime() throws {
        let cold = try report(#"{"class":"TPV","mode":3,"lat":48.149988333,"lon":11.584663333,"eph":26.600}"#)
        #expect(cold.time == nil)
        #expect(cold.latitude == 48.149988333)
    }

    @Test(arguments: [("-1", nil), ("360.5", nil), ("1e300", nil), ("0", 0), ("360", 360)] as [(String, Double?)])
    func trackIsADirection(text: String, track: Double?) throws {
        #expect(try report(#"{"class":"TPV","mode":3,"track":\#(text)}"#).track == track)
    }

    /// gps_unpack returns success for these, with mode 3 and NaN. Here they are reports without the unreadable fields.
    @Test(arguments: [
        #"{"class":"TPV","mode":3,"lat":52.5,"lon":"x"}"#, #"{"class":"TPV","mode":3,"lat":52.5,"lon":null}"#,
        #"{"class":"TPV","mode":3,"lat":52.5,"lon":}"#, #"{"class":"TPV","mode":3,"lat":52.5,"lo}"#,
        #"{"class":"TPV","mode":3,"lat":52.5,"lon":1e999}"#, #"{"class":"TPV","mode":3,"lat":nan,"lon":nan}"#,
    ])
    func malformedReportHasNoPosition(line: String) throws {
        let report = try report(line)
        #expect(report.mode == 3)
        #expect(report.latitude == nil || report.longitude == nil)
    }

    @Test(arguments: ["", "{", "{}", "x", "[]", #"{"class":"TPV","mode":3"#, "{\"class\":\"TPV\",\"mode\":3,\0}", "}{"])
    func malformedObjectIsIgnored(line: String) {
        #expect(message(line) == .other)
    }

    /// gps_unpack of 3.22 does not return on these (found by randomly damaged lines).
    @Test(arguments: [
        #"{"class":"SKY","hdop""class":"SKY"}"#, #"{"class":"SKY"p":0.9{"class":"SKY"}"#,
        #"{"class":"TPV","mode""class":"TPV"}"#, #"{"class":"TPV","mode":3,"lat":[{"class":"TPV"}]}"#,
    ])
    func lineWithASecondClassIsIgnored(line: String) {
        #expect(message(line) == .other)
    }

    @Test func overlongReportIsIgnored() {
        let long = #"{"class":"TPV","mode":3,"lat":1,"lon":"# + String(repeating: "1", count: 10_240) + "}"
        #expect(message(long) == .other)
    }

    @Test func reportHasNoValuesOfThePreviousOne() throws {
        _ = try report(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2,"speed":3,"eph":4}"#)
        _ = message(#"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":1,"used":true}]}"#)
        #expect(try report(#"{"class":"TPV","mode":1}"#) == TPVReport(mode: 1))
        #expect(message(#"{"class":"SKY"}"#) == .sky(device: nil, satellites: nil))
    }

    @Test(arguments: ["99999999999", "4", "-1"])
    func unknownModeIsZero(mode: String) throws {
        #expect(try report(#"{"class":"TPV","mode":\#(mode),"lat":1,"lon":2}"#).mode == 0)
    }

    @Test(arguments: [
        "garbage", "", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59Z",
    ])
    func impossibleTimesAreNil(time: String) throws {
        #expect(try report(#"{"class":"TPV","mode":3,"time":"\#(time)"}"#).time == nil)
    }

    /// gpsd sends a status only from 2 (DGPS) on, so a plain fix has none. It is ignored here.
    @Test(arguments: ["", #","status":0"#, #","status":2"#, #","status":9"#])
    func statusIsIgnored(status: String) throws {
        #expect(
            try report(#"{"class":"TPV","mode":3\#(status),"lat":1,"lon":2}"#)
                == TPVReport(mode: 3, latitude: 1, longitude: 2))
    }

    @Test(arguments: [
        (#""altMSL":34.5,"altHAE":80,"geoidSep":40"#, 34.5), (#""altHAE":80,"geoidSep":45.5"#, 34.5),
        (#""altHAE":80"#, nil), (#""alt":80"#, nil), (#""alt":80,"geoidSep":45"#, nil),
    ])
    func altitudeIsAboveMeanSeaLevelOrNil(fields: String, altitude: Double?) throws {
        #expect(try report(#"{"class":"TPV","mode":3,\#(fields)}"#).altitude == altitude)
    }

    @Test(arguments: [
        (#""eph":17.1,"epx":3,"epy":4"#, 17.1), (#""epx":3,"epy":4"#, 5), (#""epx":3"#, nil), (#""eph":0"#, nil),
        (#""eph":1899.81"#, 1_899.81), (#""eph":-1"#, nil),
    ])
    func accuracyIsTheHorizontalEstimateOrThatOfBothAxes(fields: String, accuracy: Double?) throws {
        #expect(try report(#"{"class":"TPV","mode":3,\#(fields)}"#).accuracy == accuracy)
    }

    /// libgps 3.22 does not know uSat, and returns 0 for a SKY without satellites.
    @Test(arguments: [
        (#""uSat":7,"hdop":1.0"#, 7), (#""nSat":3,"uSat":2,"satellites":[{"PRN":1,"used":true}]"#, 2),
        (#""satellites":[{"PRN":1,"el":1,"az":2,"ss":3,"used":true},{"PRN":2,"used":false}]"#, 1),
        (#""satellites":[]"#, 0), (#""hdop":2.25,"pdop":4.00"#, nil), (#""nSat":6"#, nil), (#""uSat":-3"#, nil),
        (#""uSat":99999999999999999999"#, nil),
    ])
    func usedSatellitesAreCountedOnlyIfReported(fields: String, satellites: Int?) {
        #expect(
            message(#"{"class":"SKY","device":"/dev/a",\#(fields)}"#) == .sky(device: "/dev/a", satellites: satellites))
    }

    @Test func skyWith140SatellitesParses() {
        let satellites = (1...140).map {
            #"{"PRN":\#($0),"el":1.0,"az":2.0,"ss":30.0,"used":\#($0 <= 40),"gnssid":0,"svid":1}"#
        }
        let line = #"{"class":"SKY","satellites":[\#(satellites.joined(separator: ","))]}"#
        #expect(line.utf8.count < GpsdDecoder.lineLimit)
        #expect(message(line) == .sky(device: nil, satellites: 40))
    }

    @Test func greetingHasItsProtocolVersion() {
        #expect(message(FakeGpsd.version) == .version(major: 3))
        #expect(message(#"{"class":"VERSION","release":"2.90","proto_major":2}"#) == .version(major: 2))
        #expect(message(#"{"class":"VERSION"}"#) == .other)
    }

    @Test func devicesAreThoseWithAPath() {
        let line =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2026-11-20T06:46:10.427Z"},"#
            + #"{"class":"DEVICE","path":"/dev/b\u001b","driver":"NMEA0183"},{"class":"DEVICE"}]}"#
        #expect(message(line) == .devices(["/dev/ttyACM0", "/dev/b\u{1B}"]))
        #expect(message(#"{"class":"DEVICES","devices":[]}"#) == .devices([]))
    }

    /// libgps cannot parse the removal notice: it expects a string where gpsd writes 0.
    @Test func removalOfADeviceParses() {
        #expect(
            message(#"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"#)
                == .device("/dev/ttyACM0", isPresent: false))
        #expect(
            message(#"{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2026-11-20T06:46:10.427Z","flags":1}"#)
                == .device("/dev/ttyACM0", isPresent: true))
    }

    @Test func errorParses() {
        #expect(message(#"{"class":"ERROR","message":"No such device as /dev/nope"}"#) == .error)
    }

    /// All of them occur in gpsd's regression tests, "XXX" too.
    @Test(arguments: [
        "RTCM2", "RTCM3", "AIS", "SUBFRAME", "RAW", "OSC", "LOG", "IMU", "ATT", "TOFF", "PPS", "GST", "POLL", "XXX",
    ])
    func otherClassesAreIgnored(name: String) {
        #expect(message(#"{"class":"\#(name)","device":"/dev/a","mode":3,"lat":1,"lon":2}"#) == .other)
    }

    @Test func deviceNameIsUnchanged() throws {
        #expect(try report(#"{"class":"TPV","device":"/dev/a\u001bb\"c","mode":3}"#).device == "/dev/a\u{1B}b\"c")
    }

    /// Foundation parses the same lines, written by a gpsd of 2026 with keys that libgps 3.22 does not know.
    @Test(arguments: ["telit-he910", "ublox-neo-m8l", "humminbird-M37", "nmea-fuzzy-cases", "bu303-nofix"])
    func reportsMatchFoundationsParser(name: String) throws {
        let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var count = 0
        for line in try GpsdLog("gpsd/\(name).log").recordedJSON() where line.hasPrefix(#"{"class":"TPV""#) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            func number(_ key: String) -> Double? { (object[key] as? NSNumber)?.doubleValue }
            let read = try report(line)
            #expect(read.mode == UInt8(number("mode") ?? 0))
            #expect(read.latitude == number("lat"))
            #expect(read.longitude == number("lon"))
            #expect(read.speed == number("speed"))
            #expect(read.track == number("track"))
            #expect(
                read.altitude == number("altMSL") ?? (number("altHAE") ?? .nan) - (number("geoidSep") ?? .nan)
                    || (read.altitude == nil && number("altMSL") == nil))
            if let eph = number("eph") { #expect(read.accuracy == eph) }
            let date = try (object["time"] as? String).map { try Date($0, strategy: time) }
            #expect(read.time == date.map { UTC(milliseconds: Int64(($0.timeIntervalSince1970 * 1_000).rounded())) })
            count += 1
        }
        #expect(count > 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func damagedLinesGiveFiniteNumbersAndValidModes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let lines =
            [FakeGpsd.version, #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"#]
            + (try GpsdLog("gpsd/humminbird-M37.log").recordedJSON())
        for _ in 0..<1_000 {
            var bytes = Array((lines.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch UInt8.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
                default: bytes.removeSubrange(index..<min(bytes.count, index + 5))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            guard case .report(let report) = GpsdMessage(line: bytes[...]) else { continue }
            for number in [
                report.latitude, report.longitude, report.altitude, report.accuracy, report.speed, report.track,
            ] {
                #expect(number?.isFinite != false)
            }
            #expect(report.mode <= 3)
        }
    }
}
