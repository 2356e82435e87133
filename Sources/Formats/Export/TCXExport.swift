import Domain

/// Garmin's Training Center Database v2, with speed, power and the cadence of sports on foot in ActivityExtension v2.
///
/// Each pause starts a new Track. The schema requires calories: 0 if they are unknown.
///
/// Source: https://www8.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd and ActivityExtensionv2.xsd, whose
/// xsd:sequence is the order of the elements here.
enum TCXExport {
    static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var loss = ExportLoss()
        var text = FileText()
        text.write(head)
        text.write("<Activity Sport=\"\(recording.sport.tcxName)\">")
        text.element("Id", recording.started)
        text.write("\n")
        let laps = Laps(recording)
        var lap = 0
        var isInTrack = false
        text.begin(laps, lap, of: recording)
        try rows.each { row in
            switch row {
            case .begin:
                if isInTrack { text.write("</Track>\n") }
                isInTrack = false
            case .end, .lap, .segment, .autoPause, .autoResume: break
            case .beats(_, let rr, _): loss.beats += rr.count
            case .sample(let sample):
                if sample.temperature != nil { loss.temperatures += 1 }
                if sample.leftBalance != nil { loss.balances += 1 }
                while laps.isOver(lap, at: sample.at) {
                    text.end(laps, lap, of: recording, isInTrack: isInTrack)
                    isInTrack = false
                    lap += 1
                    text.begin(laps, lap, of: recording)
                }
                if !isInTrack { text.write("<Track>\n") }
                isInTrack = true
                text.write(sample, of: recording)
                try text.pass(to: sink)
            }
        }
        text.end(laps, lap, of: recording, isInTrack: isInTrack)
        while lap < laps.laps.count - 1 {
            lap += 1
            text.begin(laps, lap, of: recording)
            text.end(laps, lap, of: recording, isInTrack: false)
            try text.pass(to: sink)
        }
        text.element("Notes", escaped: recording.name?.text)
        text.write("<Creator xsi:type=\"Device_t\"><Name>paced</Name>")
        text.element("UnitId", Int(origin.serialNumber ?? 0))
        text.write("<ProductID>0</ProductID><Version>")
        let parts = Release.version.split(separator: ".")
        text.element("VersionMajor", parts.first.flatMap { Int($0) } ?? 0)
        text.element("VersionMinor", parts.dropFirst().first.flatMap { Int($0) } ?? 0)
        text.write("</Version></Creator>\n")
        text.extensions("Extensions", Identity.activity, recording.uuid, device: origin.device)
        text.write("</Activity>\n</Activities>\n</TrainingCenterDatabase>\n")
        try text.end(into: sink)
        return loss
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
        xmlns:ax="http://www.garmin.com/xmlschemas/ActivityExtension/v2" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2 \
        https://www8.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd \
        http://www.garmin.com/xmlschemas/ActivityExtension/v2 \
        https://www8.garmin.com/xmlschemas/ActivityExtensionv2.xsd">
        <Activities>

        """
}

/// The laps of a recording, at least one. A second belongs to the lap that ends with it.
struct Laps {
    let laps: [RecordingLap]
    /// Whole kilocalories of each lap.
    let calories: [Int?]

    init(_ recording: RecordedActivity) {
        let whole = RecordingLap(
            trigger: nil, beganAt: 0, endedAt: recording.totalMilliseconds, figures: recording.total)
        var recording = recording
        if recording.laps.isEmpty { recording.laps = [whole] }
        laps = recording.laps
        calories = recording.lapCalories
    }

    /// Whether a second at this moment belongs to a later lap.
    func isOver(_ index: Int, at moment: Int64) -> Bool {
        index < laps.count - 1 && moment > laps[index].endedAt
    }
}

extension FileText {
    fileprivate mutating func begin(_ laps: Laps, _ index: Int, of recording: RecordedActivity) {
        let lap = laps.laps[index]
        write("<Lap StartTime=\"")
        write(recording.time(at: lap.beganAt))
        write("\">")
        element("TotalTimeSeconds", Double(lap.figures.elapsedMilliseconds) / 1000, decimals: Decimals.seconds)
        element("DistanceMeters", lap.figures.distanceMetres, decimals: Decimals.metres)
        element("MaximumSpeed", lap.figures.maximumSpeed, decimals: Decimals.speed)
        element("Calories", laps.calories[index].map { min(max($0, 0), 65_535) } ?? 0)
        heartRate("AverageHeartRateBpm", lap.figures.averageHeartRate.flatMap { Int(exactly: $0.rounded()) })
        heartRate("MaximumHeartRateBpm", lap.figures.maximumHeartRate)
        write("<Intensity>Active</Intensity>")
        if !recording.sport.isOnFoot { element("Cadence", Self.cadence(lap.figures.averageCadence, recording)) }
        element("TriggerMethod", escaped: lap.trigger.tcxName)
        write("\n")
    }

    fileprivate mutating func end(_ laps: Laps, _ index: Int, of recording: RecordedActivity, isInTrack: Bool) {
        if isInTrack { write("</Track>\n") }
        let figures = laps.laps[index].figures
        let (average, maximum) = (
            Self.cadence(figures.averageCadence, recording), Self.cadence(figures.maximumCadence, recording)
        )
        let watts = figures.averagePower.flatMap { DecimalFormat.scaled($0, decimals: 0) }
            .flatMap { Self.watts(Int($0)) }
        let isOnFoot = recording.sport.isOnFoot
        if maximum != nil || isOnFoot && average != nil || watts != nil {
            write("<Extensions><ax:LX>")
            if isOnFoot {
                element("ax:AvgRunCadence", average)
                element("ax:MaxRunCadence", maximum)
            } else {
                element("ax:MaxBikeCadence", maximum)
            }
            element("ax:AvgWatts", watts)
            element("ax:MaxWatts", figures.maximumPower.flatMap(Self.watts))
            write("</ax:LX></Extensions>\n")
        }
        write("</Lap>\n")
    }

    /// A cadence as files have it; nil if the schema does not allow it.
    private static func cadence(_ perMinute: Double?, _ recording: RecordedActivity) -> Int? {
        guard let perMinute,
            let value = DecimalFormat.scaled(perMinute / recording.sport.stepsPerCadence, decimals: 0)
        else { return nil }
        return (0...254).contains(value) ? Int(value) : nil
    }

    private static func watts(_ value: Int) -> Int? {
        (0...65_535).contains(value) ? value : nil
    }

    private mutating func heartRate(_ name: String, _ value: Int?) {
        guard let value, (1...255).contains(value) else { return }
        write("<")
        write(name)
        write(">")
        element("Value", value)
        write("</")
        write(name)
        write(">")
    }

    fileprivate mutating func write(_ sample: RecordingSample, of recording: RecordedActivity) {
        let isOnFoot = recording.sport.isOnFoot
        write("<Trackpoint>")
        element("Time", recording.time(at: sample.at))
        if let position = sample.position {
            write("<Position>")
            element("LatitudeDegrees", position.latitude, decimals: Decimals.degrees)
            element("LongitudeDegrees", position.longitude, decimals: Decimals.degrees)
            write("</Position>")
        }
        element("AltitudeMeters", sample.altitude, decimals: Decimals.metres)
        element("DistanceMeters", sample.distanceMetres, decimals: Decimals.metres)
        heartRate("HeartRateBpm", sample.heartRate)
        if !isOnFoot { element("Cadence", sample.cadence) }
        let steps = isOnFoot ? sample.cadence : nil
        if sample.speed != nil || steps != nil || sample.power != nil {
            write("<Extensions><ax:TPX>")
            element("ax:Speed", sample.speed, decimals: Decimals.speed)
            element("ax:RunCadence", steps)
            element("ax:Watts", sample.power)
            write("</ax:TPX></Extensions>")
        }
        write("</Trackpoint>\n")
    }
}

extension Sport {
    fileprivate var tcxName: String {
        switch self {
        case .run: "Running"
        case .ride: "Biking"
        case .walk, .hike, .other: "Other"
        }
    }
}

extension Event.Trigger? {
    /// The end of the activity counts as manual.
    fileprivate var tcxName: String {
        switch self {
        case .distance: "Distance"
        case .time: "Time"
        case .command, .auto, nil: "Manual"
        }
    }
}
