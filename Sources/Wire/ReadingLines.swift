package import Domain
import JSONCoding

extension JSONWriter {
    /// Writes a HEART line: one heart-rate sample.
    package mutating func heart(_ reading: HeartRateSample, sequence: Int) {
        let measurement = reading.measurement
        object { line in
            line.member("class", "HEART")
            line.member("seq", sequence)
            line.member("time", reading.time)
            line.member("boot_ms", reading.at.milliseconds)
            if reading.quality == .good { line.member("bpm", Int(measurement.beatsPerMinute)) }
            line.member("quality", reading.quality.rawValue)
            line.member("contact", measurement.contact)
            if !measurement.rrIntervals.isEmpty {
                line.array("rr_1024") { for interval in measurement.rrIntervals { $0.value(Int(interval)) } }
            }
            line.member("energy_kj", measurement.energyKilojoules.map(Int.init))
            if reading.gap { line.member("gap", true) }
            line.member("beat_boot_ms", reading.beatAt?.milliseconds)
        }
        newline()
    }

    /// Writes a FIX line: one accepted fix.
    package mutating func fix(_ fix: AcceptedFix, sequence: Int) {
        object { line in
            line.member("class", "FIX")
            line.member("seq", sequence)
            line.member("time", fix.time)
            line.member("boot_ms", fix.at.milliseconds)
            line.member("gnss_time", fix.receiverTime)
            line.member("device", fix.device?.text)
            var position = fix.position
            line.members { position.members(&$0) }
        }
        newline()
    }
}
