import Domain
import Foundation
import Storage
import TestKit
import Testing

struct DeviceFileTests {
    private let uuid = Domain.UUID("57a5bfd1-e349-4faa-9d61-673587548e1a")!

    @Test func deviceIsReadAsItWasWritten() throws {
        let directory = TemporaryDirectory()
        let file = DeviceFile(in: directory.path)
        #expect(try file.read() == nil)
        for name in [nil, SanitizedText("Anna's bike"), SanitizedText(#"a "quoted" one"#)] {
            let device = Device(uuid: uuid, machine: uuid, name: name)
            try file.write(device)
            #expect(try file.read() == device)
        }
        try file.write(Device(uuid: uuid, machine: nil))
        #expect(try file.read() == Device(uuid: uuid, machine: nil))
    }

    @Test(arguments: ["", "{}", #"{"uuid":"57a5bfd1"}"#, String(repeating: " ", count: 2000)])
    func damagedFileIsAnErrorAndStays(text: String) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/device.json"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: DeviceFile.Failure.self) { try DeviceFile(in: directory.path).read() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func copiedCardIsOfAnotherMachine() {
        let other = Domain.UUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        let device = Device(uuid: uuid, machine: uuid)
        #expect(device.isOf(uuid) && device.isOf(nil) && !device.isOf(other))
        #expect(Device(uuid: uuid, machine: nil).isOf(other))
        #expect(device.serialNumber == 0x57A5_BFD1)
    }
}
