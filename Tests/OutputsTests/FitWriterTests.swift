import Domain
import Formats
import TestKit
import Testing

@Suite struct FitWriterTests {
    @Test func headerHasItsLengthAndChecksum() {
        // Garmin's example of a header: 14 bytes, protocol 1.0, with our profile and 0x12345 bytes of data.
        let header = FitWriter.header(dataSize: 0x12345)
        #expect(Array(header.prefix(12)) == hex("0E 10 E2 52 45 23 01 00 2E 46 49 54"))
        var checksum = Fit.Checksum()
        for byte in header { checksum.add(byte) }
        #expect(checksum.value == 0)
    }

    @Test func checksumIsCRC16ARC() {
        // The check value of CRC-16/ARC in the catalogue.
        var checksum = Fit.Checksum()
        for byte in "123456789".utf8 { checksum.add(byte) }
        #expect(checksum.value == 0xBB3D)
    }

    @Test func definitionIsWrittenOnlyWhenItChanges() {
        var writer = FitWriter()
        writer.message(.record, as: 4, [.uint32(Fit.timestamp, 1), .uint8(Fit.Record.heartRate, 140)])
        writer.message(.record, as: 4, [.uint32(Fit.timestamp, 2), .uint8(Fit.Record.heartRate, 141)])
        writer.message(.record, as: 4, [.uint32(Fit.timestamp, 3), .uint8(Fit.Record.heartRate, nil)])
        #expect(
            writer.bytes
                == hex(
                    """
                    44 00 00 1400 02 FD0486 030102  04 01000000 8C  04 02000000 8D
                    44 00 00 1400 01 FD0486  04 03000000
                    """))
    }

    @Test func valuesBeyondTheirTypeAreOmitted() {
        var writer = FitWriter()
        writer.message(
            .record, as: 0,
            [
                .uint8(1, 255), .uint8(2, -1), .uint16(3, 65_535), .int8(4, 127), .int8(5, -128), .uint32z(6, 0),
                .int32(7, 0x7FFF_FFFF), .uint32(8, 0xFFFF_FFFF), .enumeration(9, 254),
            ])
        #expect(writer.bytes == hex("40 00 00 1400 02 050101 090100  00 80 FE"))
    }

    @Test func textEndsWithAZeroAndIsCutBetweenCharacters() {
        var writer = FitWriter()
        writer.message(.fileID, as: 0, [.text(8, String(repeating: "é", count: 40)), .array(2, .uint32, [1, -1])])
        let text = Array(String(repeating: "é", count: 31).utf8) + [0]
        #expect(writer.bytes == hex("40 00 00 0000 02 083F07 020886  00") + text + hex("01000000 FFFFFFFF"))
    }

    @Test(arguments: [0.0, 52.5, -90, 90, 179.99999999, -180, 180, 13.40495]) func positionsSurviveARoundTrip(
        degrees: Double
    ) {
        let semicircles = Fit.semicircles(degrees: degrees)
        #expect(Int32(exactly: semicircles) != nil && semicircles != 0x7FFF_FFFF)
        let turned = abs(Fit.degrees(semicircles: semicircles) - degrees)
        #expect(min(turned, 360 - turned) < 1e-7)
    }

    @Test func fitExportWritesSmallPieces() throws {
        let made = try SyntheticRecording.run(seed: 1)
        var pieces: [Int] = []
        _ = try ExportFormat.fit.write(
            made.recording, rows: RowList(made.rows), origin: ExportMetadata(serialNumber: 1)
        ) { pieces.append($0.count) }
        #expect(pieces.allSatisfy { (1...17_000).contains($0) })
        #expect(pieces.count > 3)
    }

    @Test func samplesWithinASecondAreCountedAsLost() throws {
        let rows: [RecordingRow] =
            [.begin(at: 0, .command)]
            + (1...20).map { .sample(RecordingSample(at: $0 * 250, elapsedMilliseconds: $0 * 250)) }
        var recording = RecordedActivity(sport: .ride, started: UTC(year: 2026, month: 3, day: 1))
        recording.totalMilliseconds = 5000
        let loss = try FitExport.write(
            recording, rows: RowList(rows), origin: ExportMetadata(serialNumber: 1)
        ) { _ in }
        #expect(loss.samples == 20 - 6)
    }
}
