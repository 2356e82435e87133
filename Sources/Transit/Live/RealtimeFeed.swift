package import Domain

/// A GTFS-Realtime feed: the live data of trips, vehicles and alerts.
///
/// Source: gtfs.org/documentation/realtime/reference. ``RealtimeFeedLines`` prints all that a feed has; this is what the
/// timetable needs.
package struct RealtimeFeed: Sendable {
    /// What a feed says of a trip.
    package struct Trip: Sendable {
        package enum Kind: Sendable {
            case scheduled, canceled
            /// The timetable lacks the trip, or the feed replaces its stops.
            case added
        }

        package var id: String
        package var line: String?
        package var day: ServiceDay?
        /// Of the first departure, in seconds of the service day.
        package var start: Int?
        package var kind = Kind.scheduled
        /// The delay of the whole trip, if its stops have none.
        package var delay: Int?
        /// The places of its stops in ``RealtimeFeed/stops``.
        package var stops: Range<Int>
    }

    /// What a feed says of a stop of a trip.
    package struct Stop: Sendable {
        /// Its place in ``RealtimeFeed/stopIDs``; nil if only the sequence is known.
        package var stop: Int?
        package var sequence: Int?
        package var kind = LiveTimetable.StopUpdate.Kind.scheduled
        package var arrival: LiveTimetable.Event?
        package var departure: LiveTimetable.Event?
    }

    /// When the feed was made; nil if it does not say so.
    package private(set) var time: UTC?
    package private(set) var trips: [Trip] = []
    /// Of all trips.
    package private(set) var stops: [Stop] = []
    /// Each ID once.
    package private(set) var stopIDs: [String] = []
    package private(set) var vehicles: [LiveVehicle] = []
    package private(set) var alerts: [LiveAlert] = []

    /// The most of each kind. They bound the memory; a feed with more is cut.
    private static let tripLimit = 20_000
    private static let stopLimit = 200_000
    private static let vehicleLimit = 10_000
    private static let alertLimit = 1000
    private static let informedLimit = 200
    private static let textLimit = 1024

    /// Of the feed, while it is read.
    private var bytes: [UInt8]
    private var places: [ArraySlice<UInt8>: Int] = [:]

    /// - Throws: ``ParseError`` for bytes that are no feed.
    package init(_ bytes: [UInt8]) throws(ParseError) {
        self.bytes = bytes
        var reader = ProtobufReader(bytes, in: bytes.indices)
        var hasHeader = false
        while let field = try reader.next() {
            guard case .bytes(let range) = field.value else { continue }
            switch field.number {
            case RealtimeMessage.headerNumber:
                hasHeader = true
                try readHeader(range)
            case RealtimeMessage.entityNumber: try readEntity(range)
            default: break
            }
        }
        guard hasHeader else { throw ParseError(at: bytes.count, expected: "a header") }
        (self.bytes, places) = ([], [:])
    }

    private mutating func readHeader(_ range: Range<Int>) throws(ParseError) {
        try Self.read(bytes, range) { field in
            if case (3, .varint(let seconds)) = (field.number, field.value) { time = Self.time(seconds) }
        }
    }

    private mutating func readEntity(_ range: Range<Int>) throws(ParseError) {
        var (id, isDeleted) = ("", false)
        var parts: [(number: Int, range: Range<Int>)] = []
        try Self.read(bytes, range) { field in
            switch (field.number, field.value) {
            case (1, .bytes(let range)): id = text(range)
            case (2, .varint(let flag)): isDeleted = flag != 0
            case (3...5, .bytes(let range)): parts.append((field.number, range))
            default: break
            }
        }
        if isDeleted { return }
        for part in parts {
            switch part.number {
            case 3: try readTrip(part.range)
            case 4: try readVehicle(part.range, entity: id)
            default: try readAlert(part.range)
            }
        }
    }

    // MARK: Trips

    private struct Descriptor {
        var id = ""
        var line: String?
        var day: ServiceDay?
        var start: Int?
        var kind = Trip.Kind.scheduled
        /// Whether the trip is shown at all.
        var isShown = true
    }

    private func descriptor(_ range: Range<Int>) throws(ParseError) -> Descriptor {
        var trip = Descriptor()
        try Self.read(bytes, range) { field in
            switch (field.number, field.value) {
            case (1, .bytes(let range)): trip.id = text(range)
            case (2, .bytes(let range)): trip.start = FeedTable.seconds(bytes[range])
            case (3, .bytes(let range)): trip.day = ServiceDay(text(range))
            case (4, .varint(let kind)):
                switch kind {
                case 1, 2, 5, 6, 8: trip.kind = .added
                case 3: trip.kind = .canceled
                case 7: (trip.kind, trip.isShown) = (.canceled, false)
                default: trip.kind = .scheduled
                }
            case (5, .bytes(let range)): trip.line = text(range)
            default: break
            }
        }
        return trip
    }

    private mutating func readTrip(_ range: Range<Int>) throws(ParseError) {
        guard trips.count < Self.tripLimit else { return }
        var trip = Descriptor()
        var delay: Int?
        let first = stops.count
        try Self.read(bytes, range) { (field) throws(ParseError) in
            switch (field.number, field.value) {
            case (1, .bytes(let range)): trip = try descriptor(range)
            case (2, .bytes(let range)) where stops.count < Self.stopLimit: stops.append(try stop(range))
            case (5, .varint(let seconds)): delay = Int(Int32(truncatingIfNeeded: seconds))
            default: break
            }
        }
        trips.append(
            Trip(
                id: trip.id, line: trip.line, day: trip.day, start: trip.start, kind: trip.kind, delay: delay,
                stops: first..<stops.count))
    }

    private mutating func stop(_ range: Range<Int>) throws(ParseError) -> Stop {
        var stop = Stop()
        try Self.read(bytes, range) { (field) throws(ParseError) in
            switch (field.number, field.value) {
            case (1, .varint(let number)): stop.sequence = Int(UInt32(truncatingIfNeeded: number))
            case (2, .bytes(let range)): stop.arrival = try event(range)
            case (3, .bytes(let range)): stop.departure = try event(range)
            case (4, .bytes(let range)): stop.stop = place(ofStop: range)
            case (5, .varint(let kind)): stop.kind = kind == 1 ? .skipped : kind == 2 ? .noData : .scheduled
            default: break
            }
        }
        return stop
    }

    private func event(_ range: Range<Int>) throws(ParseError) -> LiveTimetable.Event? {
        var (delay, time): (Int?, Int?)
        try Self.read(bytes, range) { field in
            switch (field.number, field.value) {
            case (1, .varint(let seconds)): delay = Int(Int32(truncatingIfNeeded: seconds))
            case (2, .varint(let seconds)): time = Int(exactly: seconds)
            default: break
            }
        }
        // A time is exact, and a delay needs the right timetable.
        if let time, time > 0, time < Self.timeLimit { return .time(time) }
        return delay.map { .delay($0) }
    }

    /// The year 2200, in seconds since 1970.
    private static let timeLimit = 7_258_118_400

    private mutating func place(ofStop range: Range<Int>) -> Int? {
        if let known = places[bytes[range]] { return known }
        guard range.count <= FeedTable.idLimit else { return nil }
        places[bytes[range]] = stopIDs.count
        stopIDs.append(text(range))
        return stopIDs.count - 1
    }

    // MARK: Vehicles

    private mutating func readVehicle(_ range: Range<Int>, entity: String) throws(ParseError) {
        guard vehicles.count < Self.vehicleLimit else { return }
        var vehicle = LiveVehicle(id: entity, position: Coordinate(latitude: 0, longitude: 0))
        var isPlaced = false
        try Self.read(bytes, range) { (field) throws(ParseError) in
            switch (field.number, field.value) {
            case (1, .bytes(let range)):
                let trip = try descriptor(range)
                vehicle.trip = trip.id.isEmpty ? nil : trip.id
                vehicle.line = trip.line
            case (2, .bytes(let range)): isPlaced = try readPosition(range, of: &vehicle)
            case (5, .varint(let seconds)): vehicle.time = Self.time(seconds)
            case (8, .bytes(let range)):
                var (id, label) = ("", "")
                try Self.read(bytes, range) { field in
                    switch (field.number, field.value) {
                    case (1, .bytes(let range)): id = text(range)
                    case (2, .bytes(let range)): label = text(range)
                    default: break
                    }
                }
                vehicle.id = [label, id, entity].first { !$0.isEmpty } ?? ""
            case (9, .varint(let status)):
                let all = LiveVehicle.Occupancy.allCases
                vehicle.occupancy = status < UInt64(all.count) ? all[Int(status)] : nil
            default: break
            }
        }
        if isPlaced { vehicles.append(vehicle) }
    }

    /// False for a position that does not exist.
    private func readPosition(_ range: Range<Int>, of vehicle: inout LiveVehicle) throws(ParseError) -> Bool {
        var (latitude, longitude): (Double?, Double?)
        try Self.read(bytes, range) { field in
            guard case .fixed32(let bits) = field.value else { return }
            let value = Double(Float(bitPattern: bits))
            switch field.number {
            case 1: latitude = value
            case 2: longitude = value
            case 3: vehicle.bearing = (0...360).contains(value) ? value.truncatingRemainder(dividingBy: 360) : nil
            case 5: vehicle.speed = (0...100).contains(value) ? value : nil
            default: break
            }
        }
        guard let latitude, let longitude, latitude.magnitude <= 90, longitude.magnitude <= 180,
            latitude != 0 || longitude != 0
        else { return false }
        vehicle.position = Coordinate(latitude: latitude, longitude: longitude)
        return true
    }

    // MARK: Alerts

    private mutating func readAlert(_ range: Range<Int>) throws(ParseError) {
        guard alerts.count < Self.alertLimit else { return }
        var alert = LiveAlert(title: "")
        try Self.read(bytes, range) { (field) throws(ParseError) in
            guard case .bytes(let range) = field.value else { return }
            switch field.number {
            case 1 where alert.periods.count < Self.informedLimit:
                var period: (start: UTC?, end: UTC?)
                try Self.read(bytes, range) { field in
                    switch (field.number, field.value) {
                    case (1, .varint(let seconds)): period.start = Self.time(seconds)
                    case (2, .varint(let seconds)): period.end = Self.time(seconds)
                    default: break
                    }
                }
                alert.periods.append(period)
            case 5 where max(alert.lines.count, alert.stops.count) < Self.informedLimit:
                try Self.read(bytes, range) { (field) throws(ParseError) in
                    switch (field.number, field.value) {
                    case (2, .bytes(let range)): alert.lines.append(text(range))
                    case (4, .bytes(let range)):
                        if let line = try descriptor(range).line { alert.lines.append(line) }
                    case (5, .bytes(let range)): alert.stops.append(text(range))
                    default: break
                    }
                }
            case 10: alert.title = try translation(range) ?? ""
            case 11: alert.text = try translation(range)
            default: break
            }
        }
        if alert.title.isEmpty { (alert.title, alert.text) = (alert.text ?? "", nil) }
        if !alert.title.isEmpty { alerts.append(alert) }
    }

    /// The text in the first language of the agency, in one line.
    private func translation(_ range: Range<Int>) throws(ParseError) -> String? {
        var first: String?
        try Self.read(bytes, range) { (field) throws(ParseError) in
            guard first == nil, case (1, .bytes(let range)) = (field.number, field.value) else { return }
            try Self.read(bytes, range) { field in
                if case (1, .bytes(let range)) = (field.number, field.value) {
                    first = SanitizedText.line(String(decoding: bytes[range], as: UTF8.self), limit: Self.textLimit)
                }
            }
        }
        return first
    }

    // MARK: -

    private static func read(
        _ bytes: [UInt8], _ range: Range<Int>, _ body: (ProtobufReader.Field) throws(ParseError) -> Void
    ) throws(ParseError) {
        var reader = ProtobufReader(bytes, in: range)
        while let field = try reader.next() { try body(field) }
    }

    /// An ID, in one line.
    private func text(_ range: Range<Int>) -> String {
        SanitizedText.line(String(decoding: bytes[range].prefix(FeedTable.idLimit), as: UTF8.self), limit: 255) ?? ""
    }

    private static func time(_ seconds: UInt64) -> UTC? {
        seconds > 0 && seconds < UInt64(timeLimit) ? UTC(milliseconds: Int64(seconds) * 1000) : nil
    }
}
