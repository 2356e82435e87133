package import Domain
import Glibc
package import Linux

/// A pattern of tones.
package enum Beep: CaseIterable, Sendable {
    /// A value is above or below its range.
    case high, low
    /// A sensor or the position is lost.
    case lost
    /// A distance, a time, a badge, a climb or the course is reached, or all is well again.
    case notice
    /// A course point is about 20 s ahead.
    case cueAhead
    /// A course point is about 5 s ahead, or here.
    case cueNow
    /// A step of the workout begins.
    case step

    /// Frequencies in hertz, 0 for silence, and how long each lasts.
    package var tones: [(hertz: Int, time: Duration)] {
        let short = Duration.milliseconds(120)
        let rest = (hertz: 0, time: Duration.milliseconds(100))
        return switch self {
        case .high: [(2700, short), rest, (2700, short), rest, (2700, short)]
        case .low: [(1800, short), rest, (1800, short)]
        case .lost: [(2700, short), rest, (1800, short), rest, (1200, .milliseconds(400))]
        case .notice: [(2200, short)]
        case .cueAhead: [(1500, short), rest, (2200, short)]
        case .cueNow: [(1500, short), rest, (2200, short), rest, (2200, short), rest, (2200, short)]
        case .step: [(2200, short), rest, (2200, .milliseconds(500))]
        }
    }
}

/// Plays beeps on an input device that makes sounds, such as `pwm-beeper` or the speaker of a PC.
///
/// The device is opened for each beep, because it may appear later and must not stay on if this process dies: the
/// kernel does not end a tone when the device is closed, so each beep ends it.
///
/// Source: the kernel's Documentation/input/event-codes.rst, EV_SND.
package final class Beeper {
    /// The name or path of the device.
    package let name: String
    private let directory: String
    private var device: SoundDevice?
    private var tones: ArraySlice<(hertz: Int, time: Duration)> = []
    /// When the tone ends; nil if nothing is played.
    package private(set) var deadline: Instant?

    /// - Parameters:
    ///   - name: a name, or a path below /dev.
    ///   - directory: /dev/input.
    package init(_ name: String, in directory: String) {
        self.name = name
        self.directory = directory
    }

    /// Plays a beep instead of the one that is played.
    ///
    /// - Throws: `ENODEV` without the device, `EACCES` without permission.
    package func play(_ beep: Beep, at now: Instant) throws(SystemError) {
        silence()
        device = try SoundDevice(name, in: directory)
        tones = beep.tones[...]
        deadline = now
        try tick(at: now)
    }

    /// Begins the next tone if it is due.
    package func tick(at now: Instant) throws(SystemError) {
        guard let due = deadline, now >= due else { return }
        guard let tone = tones.popFirst() else { return silence() }
        deadline = now + tone.time
        do throws(SystemError) {
            try device?.sound(hertz: tone.hertz)
        } catch {
            silence()
            throw error
        }
    }

    /// Ends the beep.
    package func silence() {
        try? device?.sound(hertz: 0)
        device = nil
        tones = []
        deadline = nil
    }
}
