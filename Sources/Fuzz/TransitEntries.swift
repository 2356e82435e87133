import Domain
import JSONCoding
import Transit

extension FuzzTarget {
    /// A GTFS-Realtime feed: each of its lines is JSON.
    static let transit = FuzzTarget(name: "transit", corpus: [feed]) { bytes in
        guard var lines = try? RealtimeFeedLines(bytes) else { return }
        var writer = JSONWriter()
        while (try? lines.write(into: &writer)) == true {
            precondition(writer.bytes.last == UInt8(ascii: "\n") && (try? JSON(parsing: writer.bytes)) != nil)
            writer.clear()
        }
    }

    /// A header, a trip update with a delay, and a vehicle with a position.
    private static let feed: [UInt8] = [
        0x0A, 0x0D, 0x0A, 0x03, 0x32, 0x2E, 0x30, 0x10, 0x00, 0x18, 0x80, 0xE2, 0xCF, 0xAA, 0x06,
        0x12, 0x18, 0x0A, 0x01, 0x31, 0x1A, 0x13, 0x0A, 0x03, 0x0A, 0x01, 0x74, 0x12, 0x0C, 0x08, 0x03, 0x12, 0x04,
        0x08, 0x3C, 0x10, 0x05, 0x22, 0x02, 0x73, 0x31,
        0x12, 0x14, 0x0A, 0x01, 0x32, 0x22, 0x0F, 0x12, 0x0A, 0x0D, 0x00, 0x00, 0x3C, 0x42, 0x15, 0x00, 0x00, 0xF4,
        0xC2, 0x20, 0x01,
    ]
}

extension FuzzTarget {
    /// A GTFS-Realtime feed for the timetable: positions are on Earth, and the stops of trips are those of the feed.
    static let feeds = FuzzTarget(name: "feeds", corpus: transit.corpus) { bytes in
        guard let feed = try? RealtimeFeed(bytes) else { return }
        for vehicle in feed.vehicles {
            precondition(vehicle.position.latitude.magnitude <= 90 && vehicle.position.longitude.magnitude <= 180)
            precondition(vehicle.bearing.map { (0..<360).contains($0) } ?? true)
        }
        for trip in feed.trips {
            precondition(feed.stops.indices.contains(trip.stops) || trip.stops.isEmpty)
            precondition(feed.stops[trip.stops].allSatisfy { $0.stop.map(feed.stopIDs.indices.contains) ?? true })
        }
    }

    /// A table of GTFS in pieces of the size of the first byte: its records are those of the whole.
    static let tables = FuzzTarget(name: "tables", corpus: files.map { [7] + Array($0.utf8) }) { bytes in
        var reader = CaseReader(bytes)
        let size = Int(reader.byte()) + 1
        let file = reader.bytes(bytes.count)
        precondition(records(file, pieces: size) == records(file, pieces: max(file.count, 1)))
    }

    /// The records as texts, and the error at their end.
    private static func records(_ file: [UInt8], pieces size: Int) -> [String] {
        var table = FeedTable("stops.txt", required: ["stop_id"], optional: ["stop_lat", "arrival_time"])
        var records: [String] = []
        func read() throws {
            while try table.next() {
                let fields = (0..<3).map { String(decoding: table.value($0), as: UTF8.self) }
                let time = (try? table.time(2)).flatMap(\.self) ?? -1
                precondition(time < 168 * 3600)
                records.append("\(table.line) \(fields) \(time)")
            }
        }
        do {
            for start in stride(from: 0, to: file.count, by: size) {
                let end = min(start + size, file.count)
                table.feed(file.span.extracting(start..<end))
                try read()
            }
            table.finish()
            try read()
        } catch {
            records.append("\(error)")
        }
        return records
    }

    /// Responses of InfoPoint: each is rejected, or its positions are on Earth.
    static let infoPoint = FuzzTarget(name: "infopoint", corpus: responses.map { Array($0.utf8) }) { bytes in
        let vehicles = (InfoPoint.vehicles(bytes) ?? []) + (InfoPoint.lines(bytes) ?? []).flatMap(\.vehicles)
        for vehicle in vehicles {
            precondition(vehicle.position.latitude.magnitude <= 90 && vehicle.position.longitude.magnitude <= 180)
        }
        _ = InfoPoint.departures(bytes)
        for alert in InfoPoint.alerts(bytes) ?? [] { precondition(!alert.title.isEmpty) }
    }

    /// A list of lines: it is rejected, or its own text reads as the same list.
    static let lineLists = FuzzTarget(name: "linelists", corpus: [LineList.cata.json]) { bytes in
        guard let list = try? LineList(json: bytes) else { return }
        precondition((try? LineList(json: list.json)) == list)
    }

    private static let files = [
        "stop_id,stop_lat,arrival_time\r\nA,1.5,25:10:00\r\n\"B, \"\"x\"\"\n\",-2,7:00:00\r\n", "stop_id\n\n1\n2",
    ]

    private static let responses = [
        #"[{"RouteId":57,"Name":"B1","Latitude":40.79,"Longitude":-77.86,"Heading":359.7,"Speed":20,"OnBoard":null}]"#,
        #"""
        [{"StopId":3,"RouteDirections":[{"RouteId":57,"Direction":"Loop","Departures":[{"SDT":"/Date(1520119790000-0500)/",\#
        "EDT":"/Date(1520119890000-0500)/"}],"IsHeadway":true,"HeadwayDepartures":[{"NextDeparture":"Due"}]}]}]
        """#,
        #"[{"Header":"Detour","Message":"Detour on College Ave","Routes":[57],"FromDate":"/Date(1520119790000-0500)/"}]"#,
    ]
}
