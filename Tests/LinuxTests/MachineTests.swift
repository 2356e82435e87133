import Domain
import Foundation
import Linux
import Testing

struct MachineTests {
    @Test func machineNumberIsConstantAndNotPartOfTheMachineID() throws {
        let number = try #require(Machine.number())
        #expect(Machine.number() == number)
        let id = try String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
        let hex = String(number.byteSwapped, radix: 16)
        #expect(!id.contains(hex) && !id.contains(String(number, radix: 16)))
    }

    @Test func localOffsetDependsOnTheGivenTime() {
        setenv("TZ", "Europe/Berlin", 1)
        defer { unsetenv("TZ") }
        #expect(Machine.localOffset(at: UTC(year: 2026, month: 3, day: 1)) == 3600)
        #expect(Machine.localOffset(at: UTC(year: 2026, month: 7, day: 1)) == 7200)
    }
}
