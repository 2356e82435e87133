import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing

/// Damaged ends, several activities and impossible values of the files that users of other programs have reported as wrong.
@Suite struct FieldContentTests {
    private typealias Stored = FieldFileTests.Stored

    // MARK: Damaged ends

    @Test func fileCutAtAnyByteKeepsWhatIsBefore() throws {
        let messages =
            [MadeFit.fileID, MadeFit.event(Fit.Event.start, at: 0)]
            + (0...60).map { MadeFit.record($0, metres: Double($0) * 3) }
        let whole = MadeFit(messages).bytes
        var newest = -1
        for cut in 14..<whole.count - 2 {
            guard let stored = try? Stored(Array(whole[..<cut])) else { continue }
            #expect(stored.damage != nil)
            let count = stored.samples.count
            #expect(count == newest || count == newest + 1 || newest < 0)
            newest = count
            #expect(stored.total.elapsedMilliseconds == Int64(count - 1) * 1000)
        }
        // The last record is whole only with the end of the data.
        #expect(newest == 60)
    }

    @Test(arguments: [3600, 20 * 366 * 86_400] as [Int64])
    func lastRecordFarAwayIsLeftOut(_ seconds: Int64) throws {
        let records = (0...60).map { MadeFit.record($0, metres: Double($0) * 3) }
        let nonsense = MadeFit.record(60 + seconds, metres: 40_000)
        let stored = try Stored(MadeFit([MadeFit.fileID] + records + [nonsense]).bytes)
        #expect(stored.samples.count == 61 && stored.total.elapsedMilliseconds == 60_000)
        #expect(stored.damage?.place != nil)
        let short = try Stored(MadeFit([MadeFit.fileID] + records.prefix(10) + [nonsense]).bytes)
        #expect(short.samples.count == 10 && short.total.elapsedMilliseconds == 9000)
    }

    // MARK: Several activities

    @Test func sessionsOfAMultisportFileAreActivities() throws {
        let swim = (0...100).map { MadeFit.record($0, metres: Double($0)) }
        let change = (101...120).map { MadeFit.record($0, metres: 100) }
        let ride = (121...300).map { MadeFit.record($0, metres: 100 + Double($0 - 120) * 8) }
        let sessions = [
            MadeFit.session(0, seconds: 100, metres: 100, sport: 5), MadeFit.session(101, seconds: 19, sport: 3),
            MadeFit.session(121, seconds: 179, metres: 1432, sport: 2),
        ]
        let bytes = MadeFit([MadeFit.fileID] + swim + change + ride + sessions).bytes
        let parts = try (0..<3).map { try Stored(bytes, activity: $0) }
        #expect(parts.map(\.activities) == [3, 3, 3])
        #expect(parts.map(\.recording.sport) == [.other, .other, .ride])
        #expect(parts.map(\.samples.count) == [101, 20, 180])
        #expect(parts.map(\.total.elapsedMilliseconds) == [100_000, 19_000, 179_000])
        #expect(abs(parts[2].total.distanceMetres - 1440) < 10 && abs(parts[0].total.distanceMetres - 100) < 1)
        let one = try Stored(bytes, activity: nil)
        #expect(one.samples.count == 301 && one.activities == 1 && one.recording.sport == .other)
    }

    @Test(arguments: ["tcx-2act", "tcx-multisport"])
    func activitiesOfTCXAreReadOneByOne(_ name: String) throws {
        let parts = try (0..<2).map { try Stored("K13-tcx-several-activities/\(name).tcx", activity: $0) }
        #expect(parts.map(\.samples.count) == [61, 121] && parts.map(\.activities) == [2, 2])
        #expect(parts.map(\.total.distanceMetres) == [180, 360])
        let one = try Stored("K13-tcx-several-activities/\(name).tcx", activity: nil)
        #expect(one.samples.count == 61 && one.skipped["another activity"] == 1)
    }

    // MARK: Spikes

    @Test func spikesCountNeitherForMaximaNorForAverages() throws {
        let speed = try Stored("K16-spikes-without-bound/q-spike-speed.fit")
        #expect(speed.total.maximumSpeed == 3)
        let power = try Stored("K16-spikes-without-bound/q-spike-power.fit")
        #expect(power.total.maximumPower == 200 && power.total.averagePower == 200)
        #expect(power.samples.contains { $0.power == 16_499 })
        let heart = try Stored("K16-spikes-without-bound/q-spike-hr.fit")
        #expect(heart.total.maximumHeartRate == 140 && heart.total.averageHeartRate == 140)
    }

    // MARK: Swimming

    private static func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

    @Test(arguments: [("swimming", true), ("walking", false)])
    func swimmerIsSlowerThanOneWhoStands(type: String, isWhole: Bool) throws {
        // 0.35 m/s to the north, for ten minutes.
        let points = (0...600).map { second in
            "<trkpt lat='\(50 + Double(second) * 0.35 / 111_195)' lon='8'><time>2024-05-04T10:\(Self.digits(second / 60)):\(Self.digits(second % 60))Z</time>"
                + "<extensions><speed>0.35</speed></extensions></trkpt>"
        }
        let text = "<gpx><trk><type>\(type)</type><trkseg>\(points.joined())</trkseg></trk></gpx>"
        let stored = try Stored(Array(text.utf8))
        #expect((stored.total.distanceMetres > 205) == isWhole, "\(stored.total.distanceMetres) m")
    }
}
