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
        var hasHeader = false
        try Self.read(bytes, bytes.indices) { (field: FeedField, value) throws(ParseError) in
            switch (field, value) {
            case (.header, .bytes(let range)):
                hasHeader = true
                try readHeader(range)
            case (.entity, .bytes(let range)): try readEntity(range)
            default: break
            }
        }
        guard hasHeader else { throw ParseError(at: bytes.count, expected: "a header") }
        (self.bytes, places) = ([], [:])
    }

    private mutating func readHeader(_ range: Range<Int>) throws(ParseError) {
        try Self.read(bytes, range) { (field: HeaderField, value) in
            if case (.timestamp, .varint(let seconds)) = (field, value) { time = Self.time(seconds) }
        }
    }

    private mutating func readEntity(_ range: Range<Int>) throws(ParseError) {
        var (id, isDeleted) = ("", false)
        var parts: [(field: EntityField, range: Range<Int>)] = []
        try Self.read(bytes, range) { (field: EntityField, value) in
            switch (field, value) {
            case (.id, .bytes(let range)): id = text(range)
            case (.isDeleted, .varint(let flag)): isDeleted = flag != 0
            case (.tripUpdate, .bytes(let range)), (.vehicle, .bytes(let range)), (.alert, .bytes(let range)):
                parts.append((field, range))
            default: break
            }
        }
        if isDeleted { return }
        for part in parts {
            switch part.field {
            case .tripUpdate: try readTrip(part.range)
            case .vehicle: try readVehicle(part.range, entity: id)
            case .alert: try readAlert(part.range)
            case .id, .isDeleted: break
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
    }

    private func descriptor(_ range: Range<Int>) throws(ParseError) -> Descriptor {
        var trip = Descriptor()
        try Self.read(bytes, range) { (field: TripField, value) in
            switch (field, value) {
            case (.id, .bytes(let range)): trip.id = text(range)
            case (.startTime, .bytes(let range)): trip.start = FeedTable.seconds(bytes[range])
            case (.startDate, .bytes(let range)): trip.day = ServiceDay(text(range))
            case (.relationship, .varint(let number)):
                trip.kind =
                    switch TripRelationship(rawValue: number) {
                    case .added, .unscheduled, .replacement, .duplicated, .new: .added
                    case .canceled, .deleted: .canceled
                    case .scheduled, nil: .scheduled
                    }
            case (.routeID, .bytes(let range)): trip.line = text(range)
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
        try Self.read(bytes, range) { (field: TripUpdateField, value) throws(ParseError) in
            switch (field, value) {
            case (.trip, .bytes(let range)): trip = try descriptor(range)
            case (.stopTimeUpdate, .bytes(let range)) where stops.count < Self.stopLimit: stops.append(try stop(range))
            case (.delay, .varint(let seconds)): delay = Int(Int32(truncatingIfNeeded: seconds))
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
        try Self.read(bytes, range) { (field: StopTimeUpdateField, value) throws(ParseError) in
            switch (field, value) {
            case (.stopSequence, .varint(let number)): stop.sequence = Int(UInt32(truncatingIfNeeded: number))
            case (.arrival, .bytes(let range)): stop.arrival = try event(range)
            case (.departure, .bytes(let range)): stop.departure = try event(range)
            case (.stopID, .bytes(let range)): stop.stop = place(ofStop: range)
            case (.relationship, .varint(let number)):
                stop.kind =
                    switch StopRelationship(rawValue: number) {
                    case .skipped: .skipped
                    case .noData: .noData
                    case .scheduled, .unscheduled, nil: .scheduled
                    }
            default: break
            }
        }
        return stop
    }

    private func event(_ range: Range<Int>) throws(ParseError) -> LiveTimetable.Event? {
        var (delay, time): (Int?, Int?)
        try Self.read(bytes, range) { (field: StopTimeEventField, value) in
            switch (field, value) {
            case (.delay, .varint(let seconds)): delay = Int(Int32(truncatingIfNeeded: seconds))
            case (.time, .varint(let seconds)): time = Int(exactly: seconds)
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
        try Self.read(bytes, range) { (field: VehiclePositionField, value) throws(ParseError) in
            switch (field, value) {
            case (.trip, .bytes(let range)):
                let trip = try descriptor(range)
                vehicle.trip = trip.id.isEmpty ? nil : trip.id
                vehicle.line = trip.line
            case (.position, .bytes(let range)): isPlaced = try readPosition(range, of: &vehicle)
            case (.timestamp, .varint(let seconds)): vehicle.time = Self.time(seconds)
            case (.vehicle, .bytes(let range)):
                var (id, label) = ("", "")
                try Self.read(bytes, range) { (field: VehicleField, value) in
                    switch (field, value) {
                    case (.id, .bytes(let range)): id = text(range)
                    case (.label, .bytes(let range)): label = text(range)
                    default: break
                    }
                }
                vehicle.id = [label, id, entity].first { !$0.isEmpty } ?? ""
            case (.occupancyStatus, .varint(let status)):
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
        try Self.read(bytes, range) { (field: PositionField, value) in
            guard case .fixed32(let bits) = value else { return }
            let value = Double(Float(bitPattern: bits))
            switch field {
            case .latitude: latitude = value
            case .longitude: longitude = value
            case .bearing:
                vehicle.bearing = (0...360).contains(value) ? value.truncatingRemainder(dividingBy: 360) : nil
            case .speed: vehicle.speed = (0...100).contains(value) ? value : nil
            case .odometer: break
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
        try Self.read(bytes, range) { (field: AlertField, value) throws(ParseError) in
            guard case .bytes(let range) = value else { return }
            switch field {
            case .activePeriod:
                if alert.periods.count < Self.informedLimit { alert.periods.append(try period(range)) }
            case .informedEntity: try readInformed(range, of: &alert)
            case .headerText: alert.title = try translation(range) ?? ""
            case .descriptionText: alert.text = try translation(range)
            default: break
            }
        }
        if alert.title.isEmpty { (alert.title, alert.text) = (alert.text ?? "", nil) }
        if !alert.title.isEmpty { alerts.append(alert) }
    }

    private func period(_ range: Range<Int>) throws(ParseError) -> (start: UTC?, end: UTC?) {
        var period: (start: UTC?, end: UTC?)
        try Self.read(bytes, range) { (field: TimeRangeField, value) in
            guard case .varint(let seconds) = value else { return }
            switch field {
            case .start: period.start = Self.time(seconds)
            case .end: period.end = Self.time(seconds)
            }
        }
        return period
    }

    private func readInformed(_ range: Range<Int>, of alert: inout LiveAlert) throws(ParseError) {
        guard max(alert.lines.count, alert.stops.count) < Self.informedLimit else { return }
        try Self.read(bytes, range) { (field: InformedEntityField, value) throws(ParseError) in
            guard case .bytes(let range) = value else { return }
            switch field {
            case .routeID: alert.lines.append(text(range))
            case .trip:
                if let line = try descriptor(range).line { alert.lines.append(line) }
            case .stopID: alert.stops.append(text(range))
            case .agencyID, .routeType: break
            }
        }
    }

    /// The text in the first language of the agency, in one line.
    private func translation(_ range: Range<Int>) throws(ParseError) -> String? {
        var first: String?
        try Self.read(bytes, range) { (_: TranslatedTextField, value) throws(ParseError) in
            guard first == nil, case .bytes(let range) = value else { return }
            try Self.read(bytes, range) { (_: TranslationField, value) in
                guard case .bytes(let range) = value else { return }
                first = SanitizedText.line(String(decoding: bytes[range], as: UTF8.self), limit: Self.textLimit)
            }
        }
        return first
    }

    // MARK: -

    /// Calls `body` with each field of a message that `Field` has.
    private static func read<Field: RealtimeField>(
        _ bytes: [UInt8], _ range: Range<Int>, _ body: (Field, ProtobufReader.Value) throws(ParseError) -> Void
    ) throws(ParseError) {
        var reader = ProtobufReader(bytes, in: range)
        while let next = try reader.next() {
            if let field = Field(number: next.number) { try body(field, next.value) }
        }
    }

    /// An ID, in one line.
    private func text(_ range: Range<Int>) -> String {
        SanitizedText.line(String(decoding: bytes[range].prefix(FeedTable.idLimit), as: UTF8.self), limit: 255) ?? ""
    }

    private static func time(_ seconds: UInt64) -> UTC? {
        seconds > 0 && seconds < UInt64(timeLimit) ? UTC(milliseconds: Int64(seconds) * 1000) : nil
    }
}
