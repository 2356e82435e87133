package import Domain

/// Reads an activity of a Training Center Database, version 1 or 2.
///
/// A second track in a lap follows a pause; the first track of a lap continues the lap before.
package struct TCXTrack: TrackParser {
    private enum Place {
        case document, container, activity, lap, track, point
        /// Elements that contain other elements only.
        case position, extensions, lapExtensions, creator, identity
        /// An element with its number in a Value.
        case valued(Field)
        case value(Field, String)
        case skipped
    }

    private enum Field {
        case point(ParsedTrackPoint.Field)
        case lapTime, lapDistance, lapCalories, lapAverageHeartRate, lapMaximumHeartRate, lapTrigger
        case lapAverageCadence, lapMaximumCadence, lapAveragePower, lapMaximumPower
        case notes, creatorName, uuid
    }

    private var places: [Place] = [.document]
    private var track = TrackRows()
    private var point = ParsedTrackPoint()
    /// The number of the activity to read, from 0; nil for the first.
    private let wanted: Int?
    /// The number of activities so far.
    private var activities = 0
    private var tracksOfLap = 0
    private var sport = Sport.other
    private var isSwim = false
    private var name: SanitizedText?
    private var uuid: UUID?
    private var creator: SanitizedText?

    /// - Parameter activity: the number of the activity in the file, from 0; nil for the first, with the others as left out.
    package init(activity: Int? = nil) {
        wanted = activity
    }

    package mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = try next(name, attributes)
        places.append(place)
        if case .value = place { return .whole }
        return .none
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> Place {
        switch (places.last, name) {
        case (.document, "TrainingCenterDatabase"), (.container, "Activities"), (.container, "MultiSportSession"),
            (.container, "FirstSport"), (.container, "NextSport"):
            return .container
        case (.container, "Activity"):
            activities += 1
            guard activities - 1 == wanted ?? 0 else {
                if wanted == nil { track.skipped.count("another activity") }
                return .skipped
            }
            sport = attributes["Sport"].map { Sport(named: $0) } ?? .other
            isSwim = attributes["Sport"].map { Sport.isSwim(named: $0) } ?? false
            return .activity
        case (.activity, "Lap"):
            tracksOfLap = 0
            try track.beginLap(.init(began: attributes["StartTime"].flatMap { UTC(iso8601: $0.trimmed) }))
            return .lap
        case (.activity, "Notes"): return .value(.notes, name)
        case (.activity, "Id"): return .skipped
        case (.activity, "Creator"): return .creator
        case (.activity, "Extensions"): return .identity
        case (.identity, Identity.activity): return .value(.uuid, name)
        case (.creator, "Name"): return .value(.creatorName, name)
        case (.lap, "Track"):
            tracksOfLap += 1
            if tracksOfLap > 1 { track.beginPart() }
            return .track
        case (.track, "Trackpoint"):
            point = ParsedTrackPoint()
            return .point
        case (.lap, _), (.lapExtensions, _): return lapValue(name)
        case (.point, _), (.position, _), (.extensions, _), (.valued, _): return value(name)
        case (.container, _), (.activity, _), (.track, _):
            track.skipped.count(name)
            return .skipped
        default: return .skipped
        }
    }

    /// Returns the place of an element of a lap with a value, or of one that contains such elements.
    private mutating func lapValue(_ name: String) -> Place {
        switch (places.last, name) {
        case (.lap, "TotalTimeSeconds"): return .value(.lapTime, name)
        case (.lap, "DistanceMeters"): return .value(.lapDistance, name)
        case (.lap, "Calories"): return .value(.lapCalories, name)
        case (.lap, "AverageHeartRateBpm"): return .valued(.lapAverageHeartRate)
        case (.lap, "MaximumHeartRateBpm"): return .valued(.lapMaximumHeartRate)
        case (.lap, "TriggerMethod"): return .value(.lapTrigger, name)
        case (.lap, "Extensions"), (.lapExtensions, "LX"): return .lapExtensions
        case (.lap, "Cadence"), (.lapExtensions, "AvgRunCadence"): return .value(.lapAverageCadence, name)
        case (.lapExtensions, "MaxBikeCadence"), (.lapExtensions, "MaxRunCadence"):
            return .value(.lapMaximumCadence, name)
        case (.lapExtensions, "AvgWatts"): return .value(.lapAveragePower, name)
        case (.lapExtensions, "MaxWatts"): return .value(.lapMaximumPower, name)
        default:
            track.skipped.count(name)
            return .skipped
        }
    }

    /// Returns the place of an element with a value, or of one that contains such elements.
    private mutating func value(_ name: String) -> Place {
        switch (places.last, name) {
        case (.point, "Time"): return .value(.point(.time), name)
        case (.point, "Position"): return .position
        case (.position, "LatitudeDegrees"): return .value(.point(.latitude), name)
        case (.position, "LongitudeDegrees"): return .value(.point(.longitude), name)
        case (.point, "AltitudeMeters"): return .value(.point(.altitude), name)
        case (.point, "DistanceMeters"): return .value(.point(.distance), name)
        case (.point, "HeartRateBpm"): return .valued(.point(.heartRate))
        case (.point, "Cadence"), (.extensions, "RunCadence"): return .value(.point(.cadence), name)
        case (.point, "Extensions"), (.extensions, "TPX"): return .extensions
        case (.extensions, "Speed"): return .value(.point(.speed), name)
        case (.extensions, "Watts"): return .value(.point(.power), name)
        case (.valued(let field), "Value"): return .value(field, name)
        default:
            track.skipped.count(name)
            return .skipped
        }
    }

    package mutating func end(_ text: String) throws(FileError) {
        switch places.popLast() {
        case .point: try endPoint()
        case .value(let field, let name):
            if !set(field, text) { track.skipped.count("unreadable \(name)") }
        default: break
        }
    }

    private mutating func set(_ field: Field, _ text: String) -> Bool {
        if case .point(let field) = field { return point.set(field, text) }
        let number = ParsedTrackPoint.number(text)
        switch field {
        case .point: break
        case .notes: name = SanitizedText(String(text.trimmed))
        case .uuid:
            guard let value = UUID(text.trimmed) else { return false }
            uuid = value
        case .creatorName: creator = SanitizedText(String(text.trimmed))
        case .lapTrigger: track.changeLap { $0.trigger = Event.Trigger(tcxName: text.trimmed) }
        case .lapTime:
            guard let number, (0...1e9).contains(number) else { return false }
            track.changeLap { $0.elapsedMilliseconds = Int64((number * 1000).rounded()) }
        case .lapDistance:
            guard let number, (0...1e9).contains(number) else { return false }
            track.changeLap { $0.distanceMetres = number }
        case .lapCalories:
            guard let number, (0...65_535).contains(number) else { return false }
            track.changeLap { $0.energyKilocalories = number }
        case .lapAverageHeartRate:
            guard let number, (1...255).contains(number) else { return false }
            track.changeLap { $0.averageHeartRate = number }
        case .lapMaximumHeartRate:
            guard let number, (1...255).contains(number) else { return false }
            track.changeLap { $0.maximumHeartRate = Int(number) }
        case .lapAverageCadence:
            guard let number, (0...254).contains(number) else { return false }
            track.changeLap { $0.averageCadence = number }
        case .lapMaximumCadence:
            guard let number, (0...254).contains(number) else { return false }
            track.changeLap { $0.maximumCadence = number }
        case .lapAveragePower:
            guard let number, (0...65_535).contains(number) else { return false }
            track.changeLap { $0.averagePower = number }
        case .lapMaximumPower:
            guard let number, (0...65_535).contains(number) else { return false }
            track.changeLap { $0.maximumPower = Int(number) }
        }
        return true
    }

    private mutating func endPoint() throws(FileError) {
        guard let time = point.time else {
            track.skipped.count("points without time")
            return
        }
        point.sample.coordinate = point.coordinate
        if point.coordinate == nil, point.latitude != nil || point.longitude != nil {
            track.skipped.count("points without a valid position")
        }
        try track.add(point.sample, at: time)
    }

    package mutating func drainRows() -> [RecordingRow] {
        track.drainRows()
    }

    package mutating func finish() throws(FileError) -> ImportedRecording {
        guard activities > 0 else { throw FileError("the file has no activity") }
        let count = wanted == nil ? 1 : activities
        var recording = try track.finish(sport: sport, needs: "a time")
        recording.isSwim = isSwim
        recording.uuid = uuid
        recording.name = name
        recording.sourceTotals = track.sourceTotals(creator: creator)
        var imported = ImportedRecording(recording: recording, skipped: track.skipped)
        imported.activities = count
        return imported
    }
}

extension Event.Trigger {
    fileprivate init(tcxName: Substring) {
        switch tcxName {
        case "Distance": self = .distance
        case "Time": self = .time
        case "Location", "HeartRate": self = .auto
        default: self = .command
        }
    }
}
