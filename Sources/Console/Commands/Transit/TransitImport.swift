import Domain
import Glibc
import JSONCoding
import Linux
import MapStorage
import SQLite
import Transit
import Zip

extension Invocation {
    /// Writes `transit.db` from a GTFS feed. The old file stays until the new one is complete.
    func importTransit(_ path: String, _ options: TransitOptions) throws(Failure) {
        let source = SanitizedText.line(path, limit: 256) ?? ""
        let area = try options.near.map { metres throws(Failure) in
            FeedImport.Area(center: try here(options), metres: metres)
        }
        // The import must not disturb a run.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        let file = try NewMapsFile(TransitDatabase.fileName, in: try options.maps.mapsDirectory())
        let counts: TransitWriter.Counts
        var skipped: [FeedImport.Skipped] = []
        do {
            let archive = try ZipArchive(path, limit: Self.unpackedLimit)
            let writer = try TransitWriter(at: file.path)
            var feed = FeedImport({ try archive.read($0, $1) }, into: writer, area: area)
            let facts = try feed.run { zone, days in
                Machine.withTimeZone(zone) {
                    AgencyClock(from: days.lowerBound, to: days.upperBound) { seconds in
                        Machine.localOffset(at: UTC(milliseconds: Int64(seconds) * 1000))
                    }
                }
            }
            let now = Clock.systemTime()
            try writer.finish(
                facts, source: path.split(separator: "/").last.map(String.init) ?? path,
                at: now >= Release.date ? now : nil
            ) { line, reason in feed.skip(FeedError("trips.txt", line: line, reason)) }
            counts = writer.counts
            guard counts.trips > 0 else {
                let reasons = feed.skipped.values.sorted { $0.count > $1.count }.prefix(3).map(Self.words)
                throw Failure.failed(
                    "\(source) has no trip"
                        + (area == nil ? "" : " within \(Int((options.near ?? 0) / 1000)) km; try a larger --near")
                        + reasons.map { "; " + $0 }.joined() + "; the old timetable is kept")
            }
            try file.replace()
            skipped = feed.skipped.values.sorted { ($0.first.file, $0.first.reason) < ($1.first.file, $1.first.reason) }
        } catch let failure as Failure {
            throw failure
        } catch let error as FeedError {
            throw .failed("\(source): \(error); the old timetable is kept")
        } catch let error as ZipError {
            throw .failed("cannot read \(source): \(error); the old timetable is kept")
        } catch {
            throw .failed("cannot write \(file.path) (\(error)); the old timetable is kept")
        }
        try report(counts, skipped, into: file.target)
    }

    /// The most bytes of an unpacked feed.
    private static let unpackedLimit = 4 << 30

    private func report(
        _ counts: TransitWriter.Counts, _ skipped: [FeedImport.Skipped], into target: String
    ) throws(Failure) {
        if isJSON {
            var writer = JSONWriter()
            writer.object {
                $0.member("lines", counts.lines)
                $0.member("stops", counts.stops)
                $0.member("trips", counts.trips)
                $0.member("stop_times", counts.calls)
                $0.array("skipped") {
                    for rows in skipped {
                        $0.object {
                            $0.member("count", rows.count)
                            $0.member("first", rows.first.description)
                        }
                    }
                }
            }
            writer.newline()
            return try writeOut(writer.bytes)
        }
        try writeOut(
            "Imported \(counts.lines) lines, \(counts.stops) stops, \(counts.trips) trips and \(counts.calls) stop times "
                + "into \(target).\n")
        for rows in skipped { complain(Self.words(rows)) }
    }

    private static func words(_ rows: FeedImport.Skipped) -> String {
        "left out: \(rows.count) of \(rows.first.file), the first at \(rows.first)"
    }
}
