import Domain
import Formats
import TestKit
import Testing

/// The uuid of an activity or a course in files, and files without it.
@Suite struct IdentityTests {
    private static let uuid = UUID("019ca84e-08cc-7abc-98c4-dc0c0c07398f")!
    private static let device = UUID("57a5bfd1-e349-4faa-9d61-673587548eff")!
    private static let carrying: [ExportFormat] = [.fit, .gpx, .tcx, .geojson]

    private static func file(_ format: ExportFormat, isAnonymous: Bool = false) throws -> [UInt8] {
        var (recording, rows) = try SyntheticRecording.withEverything(seed: 3)
        recording.uuid = uuid
        var origin = ExportMetadata(serialNumber: 0x57A5_BFD1, device: device)
        if isAnonymous {
            recording = recording.anonymous
            origin = origin.anonymous
        }
        var bytes: [UInt8] = []
        _ = try format.write(recording, rows: RowList(rows), origin: origin) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        return bytes
    }

    /// Whether bytes have a uuid, as text or in binary.
    private static func contains(_ bytes: [UInt8], _ uuid: UUID) -> Bool {
        [Array("\(uuid)".utf8), uuid.bytes].contains { part in
            bytes.indices.contains { bytes[$0...].starts(with: part) }
        }
    }

    @Test(arguments: [ExportFormat.fit, .gpx, .tcx])
    func importKeepsTheUUID(format: ExportFormat) throws {
        let read = try ReadFile(Self.file(format))
        #expect(read.recording.uuid == Self.uuid)
        #expect(read.skipped["developer field"] == 0 && read.skipped["developer_data_id"] == 0)
        #expect(read.skipped["field_description"] == 0 && read.skipped["Extensions"] == 0)
        #expect(try ReadFile(Self.file(format, isAnonymous: true)).recording.uuid == nil)
    }

    @Test(arguments: ExportFormat.allCases)
    func anonymousFileNamesNoDeviceAndNoSensor(format: ExportFormat) throws {
        let (recording, _) = try SyntheticRecording.withEverything(seed: 3)
        let names = recording.sensors.compactMap { $0.name?.text }
        try #require(!names.isEmpty)
        let whole = try Self.file(format)
        let anonymous = try Self.file(format, isAnonymous: true)
        for uuid in [Self.uuid, Self.device] {
            #expect(Self.contains(whole, uuid) == Self.carrying.contains(format))
            #expect(!Self.contains(anonymous, uuid))
        }
        let serial: [UInt8] = format == .fit ? [0xD1, 0xBF, 0xA5, 0x57] : Array("1470480337".utf8)
        #expect(!anonymous.indices.contains { anonymous[$0...].starts(with: serial) })
        #expect(names.allSatisfy { !String(decoding: anonymous, as: UTF8.self).contains($0) })
    }

    @Test func uuidOfOpenTracksIsKept() throws {
        let track = """
            <gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:opentracks="http://opentracksapp.com/xmlschemas/v1"><trk>
            <extensions><topografix:color xmlns:topografix="x">c0</topografix:color>
            <opentracks:trackid>57a5bfd1-e349-4faa-9d61-673587548eff</opentracks:trackid></extensions>
            <trkseg><trkpt lat="52" lon="13"><time>2026-03-01T07:30:12Z</time></trkpt></trkseg></trk></gpx>
            """
        #expect(try ReadFile(Array(track.utf8)).recording.uuid == Self.device)
        let wrong = track.replacing("673587548eff", with: "6735")
        #expect(try ReadFile(Array(wrong.utf8)).recording.uuid == nil)
    }

    @Test(arguments: CourseFormat.allCases)
    func courseKeepsItsUUIDButInFIT(format: CourseFormat) throws {
        var course = CourseData(sport: .ride)
        course.vertices = (0..<3).map { CourseVertex(Coordinate(latitude: 52 + Double($0) / 1000, longitude: 13)) }
        let origin = ExportMetadata(serialNumber: 7, device: Self.device)
        let file = format.bytes(course, name: nil, uuid: Self.uuid, origin: origin)
        let read = try ReadCourse.read(file)
        #expect(read.uuid == ([.gpx, .tcx, .geojson].contains(format) ? Self.uuid : nil))
        #expect(!Self.contains(file, Self.device))
        #expect(try ReadCourse.read(format.bytes(course, name: nil, origin: origin)).uuid == nil)
    }

    /// The file of an activity makes a course of its own.
    @Test(arguments: [ExportFormat.fit, .gpx, .tcx])
    func courseOfAnActivityHasNotItsUUID(format: ExportFormat) throws {
        #expect(try ReadCourse.read(Self.file(format)).uuid == nil)
    }
}
