import Domain
import Foundation
import Linux
import Sensors
import Storage
import TestKit
import Testing

struct SensorStoreTests {
    private let directory: TemporaryDirectory
    private let file: SensorStoreFile

    init() {
        directory = TemporaryDirectory()
        file = SensorStoreFile(in: directory.path)
    }

    private static var full: SensorStore {
        var list = SensorStore()
        list.remembered = [
            KnownSensor(
                address: LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random),
                name: SanitizedText("Polar H10 \"9AD13824\""), serialNumber: SanitizedText("123"), isWide: true),
            KnownSensor(address: LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)),
            KnownSensor(
                address: LEAddress(BluetoothAddress(value: 0xC605_0403_0201), .random), name: SanitizedText("Trainer"),
                kinds: [.cyclingPower, .fitnessMachine]),
        ]
        list.keys = [key(of: 0xF601_0203_0405)]
        return list
    }

    private static func key(of device: UInt64) -> LongTermKey {
        LongTermKey(
            adapter: BluetoothAddress(value: 0x001A_7DDA_7113),
            device: LEAddress(BluetoothAddress(value: device), .random),
            [2, 1, 16] + (0..<26).map { $0 * 9 })!
    }

    private func put(_ text: some Sequence<UInt8>) throws {
        try Data(text).write(to: URL(fileURLWithPath: file.path))
    }

    @Test func writtenListIsReadBack() throws {
        #expect(file.read() == (SensorStore(), nil))
        try file.write(Self.full)
        #expect(file.read() == (Self.full, nil))
        try file.write(SensorStore())
        #expect(file.read() == (SensorStore(), nil))
    }

    @Test func longestListIsReadBack() throws {
        var list = SensorStore()
        let widest = String(repeating: "\u{202E}", count: 64)
        list.remembered = (0..<32).map {
            KnownSensor(
                address: LEAddress(BluetoothAddress(value: $0), .public), name: SanitizedText(widest),
                serialNumber: SanitizedText(String(repeating: "e\u{301}\u{302}\u{303}", count: 64)),
                kinds: Set(SensorKind.allCases.dropFirst($0 < 16 ? 0 : 1)))
        }
        list.keys = (0..<32).map(Self.key)
        try file.write(list)
        #expect(file.read() == (list, nil))
    }

    @Test(arguments: [
        #"{"version":1,"remembered":[{"address":"A0:9E:1A:00:00:01","address_type":"public","wide":false,"kinds":[]}]}"#,
        "", "{", "null", "[]", "{}", #"{"version":2,"off":false,"straps":[],"remembered":[]}"#,
        #"{"version":1,"off":0,"straps":[],"remembered":[]}"#,
        #"{"version":1,"off":false,"straps":[""],"remembered":[]}"#,
        #"{"version":1,"off":false,"straps":[],"remembered":[{"address":"A0","address_type":"public","wide":false}]}"#,
        #"{"version":1,"off":false,"straps":[],"remembered":[{"address":"A0:9E:1A:00:00:01","wide":false}]}"#,
        #"{"version":1,"off":false,"straps":["\#(String(repeating: "1", count: 70_000))"],"remembered":[]}"#,
        #"{"version":1,"off":false,"straps":[],"remembered":[],"keys":[{}]}"#,
        #"{"version":1,"off":false,"straps":[],"remembered":[],"keys":[{"adapter":"00:1A:7D:DA:71:13","address":"A0:9E:1A:00:00:01","address_type":"public","key":"00"}]}"#,
    ])
    func damagedListIsSetAsideAndReported(_ text: String) throws {
        try put(text.utf8)
        #expect(file.read() == (SensorStore(), .damaged(setAside: file.path + ".damaged")))
        #expect(try String(contentsOfFile: file.path + ".damaged", encoding: .utf8) == text)
        #expect(file.read() == (SensorStore(), nil))
        try file.write(Self.full)
        #expect(file.read() == (Self.full, nil))
    }

    @Test func fileIsReadableOnlyByItsOwner() throws {
        // A file that a power cut left of an earlier release.
        try put(Data())
        try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".new")
        try file.write(Self.full)
        let mode = { try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int }
        #expect(try mode() == 0o600)
        #expect(chmod(file.path, 0o644) == 0)
        _ = file.read()
        #expect(try mode() == 0o600)
    }

    @Test func listOfAnEarlierReleaseHasNoKeys() throws {
        try put(#"{"version":1,"off":true,"straps":["a"],"remembered":[]}"#.utf8)
        let (list, trouble) = file.read()
        #expect(list.selected == ["a"] && list.isOff && list.hasSelection && trouble == nil)
        // These data are in the journal now.
        try file.write(list)
        #expect(file.read() == (SensorStore(), nil))
    }

    @Test func everyTruncatedListIsRegardedAsDamaged() throws {
        try file.write(Self.full)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
        for count in 0..<whole.count - 1 {
            try put(whole.prefix(count))
            #expect(file.read() == (SensorStore(), .damaged(setAside: file.path + ".damaged")))
        }
        // Without its newline the list is still valid.
        try put(whole.dropLast())
        #expect(file.read() == (Self.full, nil))
    }

    @Test func tooManyStrapsAreRegardedAsDamaged() throws {
        let straps = Array(repeating: "\"a\"", count: 17).joined(separator: ",")
        try put(#"{"version":1,"off":false,"straps":[\#(straps)],"remembered":[]}"#.utf8)
        #expect(file.read() == (SensorStore(), .damaged(setAside: file.path + ".damaged")))
    }

    @Test func unknownMembersAreIgnored() throws {
        try put(#"{"version":1,"off":true,"straps":[],"remembered":[],"colour":"red"}"#.utf8)
        #expect(file.read().0.isOff)
    }

    @Test func unreadableListIsKept() throws {
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(
            file.read() == (
                SensorStore(), .unreadable(DirectoryError(file.path, .wrongKind(.directory, wanted: .regular)))
            ))
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test func hostileNamesAreSanitizedOnReading() throws {
        let strap = #"{"address":"A0:9E:1A:00:00:01","address_type":"public","name":"\u001b[2J","wide":false}"#
        try put(#"{"version":1,"off":false,"straps":[],"remembered":[\#(strap)]}"#.utf8)
        #expect(file.read().0.remembered.first?.name?.text == "\u{FFFD}[2J")
    }

    @Test func fileOfAnEarlierReleaseDoesNotReplaceANewerOne() throws {
        let former = directory.path + "/straps.json"
        try file.write(Self.full)
        try Data(#"{"version":1,"remembered":[]}"#.utf8).write(to: URL(fileURLWithPath: former))
        try file.adoptFormerFile()
        #expect(file.read() == (Self.full, nil))
        // It holds keys, so the next write removes it.
        try file.write(Self.full)
        #expect(!FileManager.default.fileExists(atPath: former))
    }

    @Test func lateListIsMergedWithNewerEntries() {
        var list = SensorStore()
        list.remembered = [
            KnownSensor(
                address: Self.full.remembered[1].address, name: SanitizedText("new"), serialNumber: nil, isWide: false)
        ]
        list.keys = [Self.key(of: 7)]
        list.add(Self.full)
        #expect(list.remembered.map(\.name?.text) == ["new", "Polar H10 \"9AD13824\"", "Trainer"])
        #expect(list.keys == [Self.key(of: 7), Self.full.keys[0]])
    }
}
