import Board
import Domain
import Foundation
import Linux
import TestKit
import Testing

/// An LED in a directory like the kernel's.
struct LEDTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    private func make(trigger: String? = "none [mmc0] timer", brightness: String = "0", maximum: String = "255") throws
    {
        try FileManager.default.createDirectory(atPath: directory("ACT"), withIntermediateDirectories: true)
        try put(brightness, "brightness")
        try put(maximum, "max_brightness")
        if let trigger { try put(trigger, "trigger") }
    }

    private func put(_ text: String, _ file: String) throws {
        try (text + "\n").write(toFile: directory("ACT/" + file), atomically: false, encoding: .utf8)
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: directory("ACT/" + file), encoding: .utf8)
    }

    @Test func ledIsLitAndRestoredWithItsTrigger() throws {
        try make(brightness: "12")
        let light = LED("ACT", in: directory.path)
        try light.light(true)
        #expect(try text("trigger") == "none\n")
        #expect(try text("brightness") == "255\n")
        try light.light(false)
        #expect(try text("brightness") == "0\n")
        light.restore()
        #expect(try text("trigger") == "mmc0\n")
        #expect(try text("brightness") == "12\n")
    }

    @Test func unchangedStateIsNotWritten() throws {
        try make(trigger: "[none] timer")
        let light = LED("ACT", in: directory.path)
        try light.light(true)
        try put("7", "brightness")
        try light.light(true)
        #expect(try text("brightness") == "7\n")
        #expect(try text("trigger") == "[none] timer\n", "one without a trigger is given none")
    }

    @Test func ledThatDisappearsIsLitAgainWhenItReturns() throws {
        let light = LED("ACT", in: directory.path)
        #expect(throws: SystemError("open", code: ENOENT)) { try light.light(true) }
        light.restore()
        try make(trigger: nil, maximum: "1")
        try light.light(true)
        #expect(try text("brightness") == "1\n")
        try FileManager.default.removeItem(atPath: directory("ACT"))
        #expect(throws: SystemError("open", code: ENOENT)) { try light.light(false) }
        try make(trigger: "[heartbeat]", brightness: "1")
        try light.light(false)
        #expect(try text("trigger") == "none\n")
        light.restore()
        #expect(try text("trigger") == "heartbeat\n")
    }
}
