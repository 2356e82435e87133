import Board
import Linux
import Testing

struct PanelConfigurationTests {
    private func configuration(_ text: String) throws -> PanelConfiguration {
        var panel = PanelConfiguration()
        for assignment in try ConfigurationFile.read(Array(("[Panel]\n" + text).utf8), path: "paced.conf") {
            try panel.apply(assignment)
        }
        return panel
    }

    private func complaint(_ text: String) -> String? {
        do {
            _ = try configuration(text)
            return nil
        } catch {
            return (error as? PanelConfiguration.Wrong)?.what
        }
    }

    @Test func keysDevicesAndLEDsParse() throws {
        let panel = try configuration(
            """
            Toggle=KEY_PLAYPAUSE BTN_TRIGGER
            Lap = KEY_NEXTSONG
            Stop=KEY_PLAYPAUSE
            Devices=AB Shutter3 , /dev/input/by-path/platform-keys-event
            Beeper=pwm-beeper
            AlertLED=led1
            SearchingLED=led0
            ReadyLED=led0 beaglebone:green:usr0
            RecordingLED=
            """)
        #expect(panel.toggle == [KeyCode(164), KeyCode(288)])
        #expect(panel.lap == [KeyCode(163)])
        #expect(panel.beeper == "pwm-beeper")
        #expect(panel.stop == [KeyCode(164)])
        #expect(panel.devices == ["AB Shutter3", "/dev/input/by-path/platform-keys-event"])
        #expect(panel.lights == [.alert: ["led1"], .searching: ["led0"], .ready: ["led0", "beaglebone:green:usr0"]])
        #expect(try configuration("") == PanelConfiguration())
        #expect(try configuration("Toggle=KEY_A\nToggle=KEY_B\n").toggle == [KeyCode(48)], "what is said last holds")
    }

    @Test(arguments: [
        ("Toggel=KEY_A", "unknown key Toggel in [Panel]"),
        ("Toggle=KEY_NONSENSE", "Toggle needs names of keys such as KEY_PLAYPAUSE, not KEY_NONSENSE"),
        ("Toggle=164", "Toggle needs names of keys such as KEY_PLAYPAUSE, not 164"),
        ("Stop=KEY_MAX", "Stop needs names of keys such as KEY_PLAYPAUSE, not KEY_MAX"),
        ("Toggle=KEY_A\nLap=KEY_B KEY_A", "KEY_A is also in Toggle; assign it to one of them"),
        (
            "Devices=keys,../etc/passwd",
            "Devices needs names or paths that begin with /dev/, separated by commas, not ../etc/passwd"
        ),
        ("Beeper=one,two", "Beeper takes one device"),
        (
            "Beeper=../event0",
            "Beeper needs names or paths that begin with /dev/, separated by commas, not ../event0"
        ),
        ("FaultLED=../led0", "FaultLED needs names of LEDs in /sys/class/leds, not ../led0"),
        ("FaultLED=a b c d e f g h i j k l m n o p q", "FaultLED has more than 16 LEDs"),
    ])
    func invalidPanelSettingIsReported(text: String, complaint: String) {
        #expect(self.complaint(text) == complaint)
    }
}
