import Domain
import Gnss
import Sensors

extension FuzzTarget {
    /// A strap that sends arbitrary packets at arbitrary times.
    ///
    /// Layout: 0 to 254, a length, and that many bytes of a packet; or 255 and a byte of tenths of seconds to wait.
    static let strap = FuzzTarget(name: "strap", corpus: strapTranscripts) { bytes in
        var reader = CaseReader(bytes)
        var now = Instant(milliseconds: 1000)
        var session = SensorSession()
        _ = session.start(at: now)
        while !reader.isAtEnd {
            let length = reader.byte()
            let actions: [SensorSession.Action]
            if length == 255 {
                now += .milliseconds(100 * Int(reader.byte()))
                actions = session.tick(at: now)
            } else {
                actions = session.received(reader.bytes(Int(length)).span, at: now)
            }
            precondition(actions.count < 64)
            for action in actions {
                switch action {
                case .send(let datagram): precondition(!datagram.isEmpty && datagram.count <= GattClient.mtuLimit)
                case .report: break
                case .close:
                    session = SensorSession()
                    _ = session.start(at: now)
                }
            }
        }
    }

    /// Values of a strap: each is parsed or rejected.
    static let heartRate = FuzzTarget(
        name: "heart-rate",
        corpus: [
            [0x16, 0x46, 0x8A, 0x03, 0x44, 0x03], [0x1F, 1, 1, 0x32, 1, 1, 0, 2, 1, 0xFF, 0xFF],
            [0x18, 0x43, 0xD0, 7, 0x72, 3],
            [0x04, 0x43], [87], [0x01, 0x2C, 0x01], [0x1B, 0x15, 0, 0x16, 0x43, 0x72, 3],
        ]
    ) { bytes in
        if let measurement = try? HeartRateMeasurement(bytes.span) {
            precondition(measurement.rrIntervals.count * 2 <= bytes.count)
        }
        if let level = try? BatteryLevel(bytes.span) { precondition((0...100).contains(level.percent)) }
        _ = try? BodySensorLocation(bytes.span)
        _ = try? AttributePDU(bytes.span)
    }

    /// gpsd's stream in chunks of 1 to 256 bytes, 100 ms apart.
    static let gpsd = FuzzTarget(name: "gpsd", corpus: gpsdStreams) { bytes in
        var reader = CaseReader(bytes)
        var now = Instant(milliseconds: 1000)
        let size = Int(reader.byte()) + 1
        var stream = GpsdDecoder(addresses: 2)
        stream.connected(at: now)
        var steps: [GpsdDecoder.Step] = []
        while !reader.isAtEnd {
            now += .milliseconds(100)
            stream.received(reader.bytes(size), at: now, into: &steps)
            var count = 0
            repeat {
                count += steps.count
                precondition(count < 1000)
                if steps.contains(where: { if case .connection(.connect) = $0 { true } else { false } }) {
                    stream.connected(at: now)
                }
                steps.removeAll(keepingCapacity: true)
                stream.tick(at: now, into: &steps)
            } while !steps.isEmpty
        }
        stream.closed(at: now)
    }

    private static func conversation(_ datagrams: [[UInt8]]) -> [UInt8] {
        datagrams.flatMap { [UInt8($0.count)] + $0 }
    }

    /// The tests' peripheral until after its first notifications; a strap with another MTU; one that rejects.
    private static let strapTranscripts: [[UInt8]] = {
        let discovery: [[UInt8]] = [
            [0x03, 0x05, 0x02], [0x07, 0x13, 0, 0x1A, 0],
            [
                0x09, 7, 0x14, 0, 0x10, 0x15, 0, 0x37, 0x2A, 0x17, 0, 2, 0x18, 0, 0x38, 0x2A, 0x19, 0, 8, 0x1A, 0, 0x39,
                0x2A,
            ],
            [0x01, 8, 0x1A, 0, 0x0A], [0x05, 1, 0x16, 0, 2, 0x29], [0x13],
        ]
        let notification: [UInt8] = [0x1B, 0x15, 0, 0x16, 0x43, 0x72, 3, 0x8A, 3]
        let description: [[UInt8]] = [
            [0x09, 3, 0x1D, 0, 87], [0x09, 3, 0x18, 0, 1], [0x09, 0x12, 0x10, 0] + Array("Polar Electro Oy".utf8),
            [0x01, 8, 1, 0, 0x0A],
        ]
        return [
            conversation(discovery + [notification] + description + [notification]),
            conversation([[0x02, 0x17, 0]] + discovery + [[0x1D, 0x15, 0, 0x16, 0x43], notification]),
            conversation([[0x01, 2, 0, 0, 6], [0x01, 6, 1, 0, 0x0A]]),
            conversation(discovery) + [255, 30, 255, 90] + conversation([[0x13], notification]) + [255, 255, 255, 255],
        ]
    }()

    private static let gpsdStreams: [[UInt8]] = {
        let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        let devices =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","activated":"2026-03-01T07:30:12.300Z","native":0,"bps":9600}]}"#
        let watch = #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false}"#
        let report =
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-03-01T07:30:13.000Z","lat":52.5,"lon":13.4,"altHAE":78.1,"altMSL":34.1,"eph":4.1,"epx":3.0,"track":87.0,"speed":2.9}"#
        let next =
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-03-01T07:30:14.000Z","lat":52.50003,"lon":13.4,"speed":3.0}"#
        let sky =
            #"{"class":"SKY","device":"/dev/ttyACM0","uSat":9,"satellites":[{"PRN":1,"el":20,"az":30,"ss":40,"used":true}]}"#
        let gone = #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"#
        let error = #"{"class":"ERROR","message":"Unrecognized request"}"#
        return [
            [version, devices, watch, sky, report, next], [version, error, gone, report], [report, sky, next],
            [version],
        ].map { lines in
            [63] + Array(lines.map { $0 + "\r\n" }.joined().utf8)
        }
    }()
}
