import Domain

/// Writes the messages of one activity in their order.
struct FitActivity {
    var writer = FitWriter()
    private(set) var loss = ExportLoss()

    private let recording: RecordedActivity
    private let origin: ExportMetadata
    private var clock: FitClock
    private var isRunning = false
    /// The begins and ends of automatic pauses that are not yet written, in milliseconds of active time, by turns.
    private var pauseEdges: ArraySlice<Int64>
    private var isAutoPaused = false
    /// The timestamp of the newest record.
    private var recorded: Int64?
    /// The index of the current lap.
    private var lap = 0
    private var lapBegan: Int64?
    /// The sums of the closed laps, in centimetres and milliseconds.
    private var lapsBefore: (distance: Int64, timer: Int64) = (0, 0)
    /// Whole kilocalories of each lap.
    private let calories: [Int?]
    /// The exact distance of the closed laps, in metres.
    private var lapDistance = 0.0
    /// The own fields of the current lap.
    private var lapFields = OwnFieldMeans()
    /// How many marks are written.
    private var marks = 0

    /// The local types. A definition is valid until its local type is used for another message.
    private enum Local {
        static let fileID: UInt8 = 0
        static let fileCreator: UInt8 = 1
        static let deviceInfo: UInt8 = 2
        static let event: UInt8 = 3
        static let record: UInt8 = 4
        static let beats: UInt8 = 5
        static let lap: UInt8 = 6
        static let timeInZone: UInt8 = 7
        static let session: UInt8 = 8
        static let activity: UInt8 = 9
        static let course: UInt8 = 10
        static let coursePoint: UInt8 = 11
        static let weather: UInt8 = 12
        static let developerData: UInt8 = 13
        static let fieldDescription: UInt8 = 14
    }

    /// - Parameter pauses: the automatic pauses, in milliseconds of active time, in order.
    init(_ recording: RecordedActivity, pauses: AutoPauses, origin: ExportMetadata) {
        var recording = recording
        // Readers require a lap.
        if recording.laps.isEmpty {
            let end = recording.totalMilliseconds
            recording.laps = [RecordingLap(trigger: nil, beganAt: 0, endedAt: end, figures: recording.total)]
        }
        self.recording = recording
        calories = recording.lapCalories
        self.origin = origin
        pauseEdges = pauses.edges[...]
        clock = FitClock(started: recording.started)
    }

    /// Writes the type of the file, its creator, the sensors, the weather and the course.
    mutating func begin() {
        let began = clock.second(of: 0)
        let serialNumber = origin.serialNumber.map { Int64($0) }
        writer.message(
            .fileID, as: Local.fileID,
            [
                .enumeration(Fit.FileID.type, Fit.activityFile),
                .uint16(Fit.FileID.maker, Fit.developmentMaker), .uint16(Fit.FileID.product, 1),
                .uint32z(Fit.FileID.serialNumber, serialNumber), .uint32(Fit.FileID.created, began),
                .text(Fit.FileID.productName, "paced"),
            ])
        writer.message(
            .fileCreator, as: Local.fileCreator, [.uint16(Fit.FileCreator.softwareVersion, Self.softwareVersion)])
        if origin.device != nil || recording.uuid != nil || !recording.fields.isEmpty {
            writer.describeIdentity(as: (Local.developerData, Local.fieldDescription))
            writer.describe(recording.fields, as: Local.fieldDescription)
        }
        writer.message(
            .deviceInfo, as: Local.deviceInfo,
            [
                .uint32(Fit.timestamp, began), .uint8(Fit.DeviceInfo.index, Fit.DeviceInfo.creator),
                .uint16(Fit.DeviceInfo.maker, Fit.developmentMaker), .uint16(Fit.DeviceInfo.product, 1),
                .uint32z(Fit.DeviceInfo.serialNumber, serialNumber),
                .uint16(Fit.DeviceInfo.softwareVersion, Self.softwareVersion),
                .enumeration(Fit.DeviceInfo.source, Fit.DeviceInfo.local),
                .text(Fit.DeviceInfo.productName, "paced"),
            ], developer: [.uuid(Identity.Field.device, origin.device)])
        for (index, sensor) in recording.sensors.enumerated() {
            // A device with several kinds has a message for each, under one index.
            let numbers = sensor.kinds.compactMap(FitSensor.bluetoothNumber)
            for number in numbers { write(sensor, Int64(index + 1), number, Fit.DeviceInfo.bluetooth, at: began) }
            guard numbers.isEmpty else { continue }
            let isOfBoard = sensor.address == nil && sensor.kinds == [.environment]
            write(
                sensor, Int64(index + 1), isOfBoard ? FitSensor.barometer : nil,
                isOfBoard ? Fit.DeviceInfo.local : Fit.DeviceInfo.bluetooth, at: began)
        }
        if let weather = recording.weather { write(weather, at: began) }
        if let course = recording.course { write(course) }
    }

    private mutating func write(_ weather: StartWeather, at second: Int64) {
        let observation = weather.observation
        var direction: Double?
        // A calm has none.
        if case .from(let degrees) = observation.direction, observation.windSpeed ?? 0 > 0 { direction = degrees }
        writer.message(
            .weatherConditions, as: Local.weather,
            [
                .uint32(Fit.timestamp, second),
                .enumeration(Fit.WeatherConditions.report, Fit.WeatherConditions.current),
                .int8(Fit.WeatherConditions.temperature, observation.temperature.flatMap { Self.scaled($0, by: 1) }),
                .enumeration(Fit.WeatherConditions.condition, FitWeather.status(of: observation.phenomena)),
                .uint16(Fit.WeatherConditions.windDirection, direction.flatMap { Self.scaled($0, by: 1) }),
                .uint16(Fit.WeatherConditions.windSpeed, observation.windSpeed.flatMap { Self.scaled($0, by: 1000) }),
                .uint8(Fit.WeatherConditions.humidity, observation.humidity.flatMap { Self.scaled($0, by: 1) }),
                .text(Fit.WeatherConditions.location, observation.station.text),
                // The times of a file without a date mean nothing.
                .uint32(
                    Fit.WeatherConditions.observed,
                    weather.age == nil ? nil : FitClock.second(of: observation.observed)),
            ])
    }

    /// Writes the course that was followed, with its points. Their times would be those of a planned speed.
    private mutating func write(_ loaded: LoadedCourse) {
        guard let course = loaded.course else { return }
        writer.course(loaded.name, course.sport ?? recording.sport, as: Local.course)
        for (index, point) in course.points.enumerated() {
            let place = Coordinate(
                latitude: Double(course.latitudes[point.vertex]) * 1e-7,
                longitude: Double(course.longitudes[point.vertex]) * 1e-7)
            writer.coursePoint(
                index, point, at: place, metres: course.distances[point.vertex], second: nil, as: Local.coursePoint)
        }
    }

    private mutating func write(
        _ sensor: RecordingSensor, _ index: Int64, _ type: Int64?, _ source: Int64, at second: Int64
    ) {
        writer.message(
            .deviceInfo, as: Local.deviceInfo,
            [
                .uint32(Fit.timestamp, second), .uint8(Fit.DeviceInfo.index, index),
                .uint8(Fit.DeviceInfo.type, type),
                .uint16(Fit.DeviceInfo.maker, FitSensor.manufacturerNumber(of: sensor.manufacturer)),
                .uint32z(Fit.DeviceInfo.serialNumber, sensor.serialNumber.flatMap { Int64($0.text) }),
                .uint16(Fit.DeviceInfo.softwareVersion, FitSensor.version(sensor.firmware)),
                .uint8(Fit.DeviceInfo.batteryStatus, sensor.batteryPercent.map(FitSensor.batteryStatus)),
                .enumeration(Fit.DeviceInfo.source, source),
                .text(Fit.DeviceInfo.productName, (sensor.name ?? sensor.model)?.text),
                .text(Fit.DeviceInfo.descriptor, sensor.name == nil ? nil : sensor.model?.text),
                .uint8(Fit.DeviceInfo.batteryLevel, sensor.batteryPercent.map { Int64($0) }),
            ])
    }

    mutating func append(_ row: RecordingRow) {
        closeLaps(before: row.at)
        writeMarks(before: row.at)
        switch row {
        case .begin(let at, let trigger): timer(Fit.Event.start, clock.began(at: at), trigger)
        case .end(let at, let trigger): stop(at: at, trigger)
        case .sample(let sample):
            // A pause begins, or ends, after the sample of its second.
            autoPause(before: sample.elapsedMilliseconds)
            record(sample)
        case .beats(_, let rr, _): beats(rr)
        case .lap, .segment, .autoPause, .autoResume: break
        }
    }

    /// Writes the remaining laps and the totals.
    mutating func end() {
        let total = recording.total
        if isRunning || isAutoPaused { stop(at: recording.totalMilliseconds, .auto) }
        let ended = clock.second(of: recording.totalMilliseconds)
        writeMarks(before: .max)
        // Readers require a record.
        if recorded == nil { record(at: ended, [.uint32(Fit.Record.distance, Self.centimetres(total.distanceMetres))]) }
        closeLaps(before: .max)
        timeInZone(at: ended)
        let began = FitClock(started: recording.started).second(of: 0)
        let (average, maximum) = (cadence(total.averageCadence), cadence(total.maximumCadence))
        writer.message(
            .session, as: Local.session,
            [
                .uint32(Fit.timestamp, ended), .uint16(Fit.messageIndex, 0),
                .enumeration(Fit.Session.event, Fit.Event.session),
                .enumeration(Fit.Session.eventType, Fit.Event.stop),
                .uint32(Fit.Session.start, began),
                .enumeration(Fit.Session.sport, Fit.number(of: recording.sport)),
                .enumeration(Fit.Session.subSport, recording.isIndoor ? Fit.indoorNumber(of: recording.sport) : 0),
                .uint32(Fit.Session.elapsed, recording.totalMilliseconds),
                .uint32(Fit.Session.timer, total.timerMilliseconds),
                .uint32(Fit.Session.distance, Self.centimetres(total.distanceMetres)),
                .uint32(Fit.Session.movingTime, total.movingMilliseconds > 0 ? total.movingMilliseconds : nil),
                .uint8(Fit.Session.averageHeartRate, total.averageHeartRate.flatMap { Self.scaled($0, by: 1) }),
                .uint8(Fit.Session.maximumHeartRate, total.maximumHeartRate.map { Int64($0) }),
                .uint32(Fit.Session.averageSpeed, Self.averageSpeed(total)),
                .uint32(Fit.Session.maximumSpeed, total.maximumSpeed.flatMap { Self.scaled($0, by: 1000) }),
                .uint16(Fit.Session.firstLap, 0), .uint16(Fit.Session.laps, Int64(recording.laps.count)),
                .enumeration(Fit.Session.trigger, 0),
                .uint16(Fit.Session.averagePower, total.averagePower.flatMap { Self.scaled($0, by: 1) }),
                .uint16(Fit.Session.maximumPower, total.maximumPower.map { Int64($0) }),
                .uint16(Fit.Session.normalizedPower, total.normalizedPower.flatMap { Self.scaled($0, by: 1) }),
                .uint32(Fit.Session.work, total.workJoules.flatMap { Self.scaled($0, by: 1) }),
                .uint8(Fit.Session.averageCadence, average?.whole), .uint8(Fit.Session.maximumCadence, maximum?.whole),
                .uint16(Fit.Session.calories, total.energyKilocalories.flatMap { Self.scaled($0, by: 1) }),
                .uint16(Fit.Session.ascent, total.ascent.flatMap(Self.wholeMetres)),
                .uint16(Fit.Session.descent, total.descent.flatMap(Self.wholeMetres)),
                .uint8(Fit.Session.averageFractionalCadence, average?.part),
                .uint8(Fit.Session.maximumFractionalCadence, maximum?.part),
            ], developer: [.uuid(Identity.Field.activity, recording.uuid)])
        writer.message(
            .activity, as: Local.activity,
            [
                .uint32(Fit.timestamp, ended), .uint32(Fit.Activity.timer, total.timerMilliseconds),
                .uint16(Fit.Activity.sessions, 1), .enumeration(Fit.Activity.type, 0),
                .enumeration(Fit.Activity.event, Fit.Event.activity),
                .enumeration(Fit.Activity.eventType, Fit.Event.stop),
                .uint32(Fit.Activity.localTime, ended + Int64(origin.localOffset)),
            ])
    }

    /// Writes the automatic pauses that begin or end before a sample with this active time.
    private mutating func autoPause(before elapsed: Int64) {
        while let edge = pauseEdges.first, edge < elapsed {
            pauseEdges.removeFirst()
            isAutoPaused.toggle()
            guard isRunning == isAutoPaused else { continue }
            timer(isAutoPaused ? Fit.Event.stopAll : Fit.Event.start, clock.second(ofActive: edge), .auto)
        }
    }

    /// Stops the timer. An automatic pause ends here: its stop needs a start before the next stop.
    private mutating func stop(at moment: Int64, _ trigger: RecordingRow.TimerTrigger) {
        let ended = clock.ended(at: moment)
        autoPause(before: clock.active + 1)
        if isAutoPaused {
            pauseEdges = pauseEdges.dropFirst()
            isAutoPaused = false
            timer(Fit.Event.start, ended, .auto)
        }
        timer(Fit.Event.stopAll, ended, trigger)
    }

    private mutating func timer(_ type: Int64, _ second: Int64, _ trigger: RecordingRow.TimerTrigger) {
        isRunning = type == Fit.Event.start
        writer.message(
            .event, as: Local.event,
            [
                .uint32(Fit.timestamp, second), .enumeration(Fit.Event.event, Fit.Event.timer),
                .enumeration(Fit.Event.type, type),
                .uint32(Fit.Event.data, trigger == .command ? Fit.Event.manual : Fit.Event.auto),
            ])
    }

    private mutating func record(_ sample: RecordingSample) {
        let second = clock.sampled(sample)
        // An imported recording may have several samples a second.
        if let recorded, second <= recorded {
            loss.samples += 1
            return
        }
        record(
            at: second,
            [
                .int32(Fit.Record.latitude, sample.coordinate.map { Fit.semicircles(degrees: $0.latitude) }),
                .int32(Fit.Record.longitude, sample.coordinate.map { Fit.semicircles(degrees: $0.longitude) }),
                .uint32(Fit.Record.distance, sample.distanceMetres.flatMap(Self.centimetres)),
                .uint32(Fit.Record.enhancedSpeed, sample.speed.flatMap { Self.scaled($0, by: 1000) }),
                .uint32(Fit.Record.enhancedAltitude, sample.altitude.flatMap { Self.scaled($0 + 500, by: 5) }),
                .int16(Fit.Record.grade, sample.grade.flatMap { Self.scaled($0, by: 100) }),
                .int16(Fit.Record.verticalSpeed, sample.verticalSpeed.flatMap { Self.scaled($0, by: 1000) }),
                .uint16(Fit.Record.power, sample.power.map { Int64($0) }),
                .uint8(Fit.Record.heartRate, sample.heartRate.map { Int64($0) }),
                .uint8(Fit.Record.cadence, sample.cadence.map { Int64($0) }),
                .int8(Fit.Record.temperature, sample.temperature.map { Int64($0) }),
                .uint8(Fit.Record.balance, sample.leftBalance.map { Fit.Record.rightBalance | Int64(100 - $0) }),
            ], sample.fields)
    }

    private mutating func record(at second: Int64, _ fields: [FitField?], _ own: [Double?] = []) {
        recorded = second
        lapFields.add(own)
        writer.message(
            .record, as: Local.record, [.uint32(Fit.timestamp, second)] + fields, developer: FitField.own(own))
    }

    /// Writes the marks of the moments before a row as course points, which follow those of the course.
    private mutating func writeMarks(before moment: Int64) {
        while marks < recording.marks.count, recording.marks[marks].at < moment {
            let mark = recording.marks[marks]
            writer.message(
                .coursePoint, as: Local.coursePoint,
                [
                    .uint16(Fit.messageIndex, Int64((recording.course?.course?.points.count ?? 0) + marks)),
                    .uint32(Fit.CoursePoint.time, clock.second(of: mark.at)),
                    .int32(Fit.CoursePoint.latitude, mark.coordinate.map { Fit.semicircles(degrees: $0.latitude) }),
                    .int32(Fit.CoursePoint.longitude, mark.coordinate.map { Fit.semicircles(degrees: $0.longitude) }),
                    .uint32(Fit.CoursePoint.distance, Self.centimetres(mark.distanceMetres)),
                    .enumeration(Fit.CoursePoint.type, mark.kind.fitNumber),
                    .text(Fit.CoursePoint.name, mark.text?.text),
                ])
            marks += 1
        }
    }

    private mutating func beats(_ rr: [UInt16]) {
        var rest = rr[...]
        while !rest.isEmpty {
            var intervals = rest.prefix(Fit.Beats.count).map { (Int64($0) * 1000 + 512) / 1024 }
            rest = rest.dropFirst(Fit.Beats.count)
            while intervals.count < Fit.Beats.count { intervals.append(Int64(UInt16.max)) }
            writer.message(.beats, as: Local.beats, [.array(Fit.Beats.intervals, .uint16, intervals)])
        }
    }

    /// Writes the laps that ended before a moment, and notes the start of the next.
    private mutating func closeLaps(before moment: Int64) {
        while lap < recording.laps.count {
            let next = recording.laps[lap]
            if lapBegan == nil, next.beganAt <= moment { lapBegan = clock.second(of: next.beganAt) }
            // The last lap ends with the file.
            let isLast = lap == recording.laps.count - 1
            guard moment == .max || (!isLast && next.endedAt < moment) else { return }
            write(next, began: lapBegan ?? clock.second(of: next.beganAt), isLast: isLast)
            lap += 1
            lapBegan = nil
        }
    }

    private mutating func write(_ next: RecordingLap, began: Int64, isLast: Bool) {
        // The sums of the laps must equal the session's totals to the last digit, also for imported recordings.
        lapDistance += next.figures.distanceMetres
        let sums = (
            distance: Self.centimetres(recording.total.distanceMetres) ?? 0, timer: recording.total.timerMilliseconds
        )
        var after = (
            distance: Self.centimetres(lapDistance) ?? 0, timer: lapsBefore.timer + next.figures.timerMilliseconds
        )
        after = isLast ? sums : (min(after.distance, sums.distance), min(after.timer, sums.timer))
        let centimetres = after.distance - lapsBefore.distance
        var figures = next.figures
        figures.distanceMetres = Double(centimetres) / 100
        figures.elapsedMilliseconds = after.timer - lapsBefore.timer
        figures.autoPausedMilliseconds = nil
        lapsBefore = after
        let ended = clock.second(of: next.endedAt)
        let (average, maximum) = (cadence(figures.averageCadence), cadence(figures.maximumCadence))
        writer.message(
            .lap, as: Local.lap,
            [
                .uint32(Fit.timestamp, ended), .uint16(Fit.messageIndex, Int64(lap)),
                .enumeration(Fit.Lap.event, Fit.Event.lap), .enumeration(Fit.Lap.eventType, Fit.Event.stop),
                .uint32(Fit.Lap.start, began), .uint32(Fit.Lap.elapsed, max(next.endedAt - next.beganAt, 0)),
                .uint32(Fit.Lap.timer, figures.elapsedMilliseconds), .uint32(Fit.Lap.distance, centimetres),
                .uint8(Fit.Lap.averageHeartRate, figures.averageHeartRate.flatMap { Self.scaled($0, by: 1) }),
                .uint8(Fit.Lap.maximumHeartRate, figures.maximumHeartRate.map { Int64($0) }),
                .uint32(Fit.Lap.averageSpeed, Self.averageSpeed(figures)),
                .uint32(Fit.Lap.maximumSpeed, figures.maximumSpeed.flatMap { Self.scaled($0, by: 1000) }),
                .enumeration(Fit.Lap.trigger, isLast ? Fit.Lap.sessionEnd : Self.trigger(next.trigger)),
                .enumeration(Fit.Lap.sport, Fit.number(of: recording.sport)),
                .uint16(Fit.Lap.averagePower, figures.averagePower.flatMap { Self.scaled($0, by: 1) }),
                .uint16(Fit.Lap.maximumPower, figures.maximumPower.map { Int64($0) }),
                .uint16(Fit.Lap.normalizedPower, figures.normalizedPower.flatMap { Self.scaled($0, by: 1) }),
                .uint32(Fit.Lap.work, figures.workJoules.flatMap { Self.scaled($0, by: 1) }),
                .uint8(Fit.Lap.averageCadence, average?.whole), .uint8(Fit.Lap.maximumCadence, maximum?.whole),
                .uint16(Fit.Lap.calories, calories[lap].map { Int64($0) }),
                .uint16(Fit.Lap.ascent, figures.ascent.flatMap(Self.wholeMetres)),
                .uint16(Fit.Lap.descent, figures.descent.flatMap(Self.wholeMetres)),
                .uint8(Fit.Lap.averageFractionalCadence, average?.part),
                .uint8(Fit.Lap.maximumFractionalCadence, maximum?.part),
            ], developer: FitField.own(lapFields.values))
        lapFields = OwnFieldMeans()
    }

    private mutating func timeInZone(at second: Int64) {
        guard let zones = recording.zones, recording.zoneMilliseconds.count == zones.bottoms.count + 1 else { return }
        writer.message(
            .timeInZone, as: Local.timeInZone,
            [
                .uint32(Fit.timestamp, second),
                .uint16(Fit.TimeInZone.reference, Int64(Fit.Message.session.rawValue)),
                .uint16(Fit.TimeInZone.index, 0),
                .array(Fit.TimeInZone.heartRate, .uint32, recording.zoneMilliseconds),
                .array(Fit.TimeInZone.boundaries, .uint8, zones.bottoms.map { Int64($0) }),
                .enumeration(Fit.TimeInZone.calculation, Fit.TimeInZone.custom),
            ])
    }
}

/// Values in the units of the profile; nil if a value cannot be represented.
extension FitActivity {
    /// Major, minor and patch version in one number, in hundredths.
    private static let softwareVersion: Int64? = {
        let numbers = Release.version.split(separator: ".").compactMap { Int64($0) }
        return numbers.count == 3 ? numbers[0] * 100 + min(numbers[1] * 10 + numbers[2], 99) : nil
    }()

    private static func scaled(_ value: Double, by scale: Double) -> Int64? {
        DecimalFormat.scaled(value * scale, decimals: 0)
    }

    private static func wholeMetres(_ metres: Double) -> Int64? {
        scaled(metres, by: 1)
    }

    private static func centimetres(_ metres: Double) -> Int64? {
        DecimalFormat.scaled(metres, decimals: 2)
    }

    /// Over the timer, as the profile of FIT has it.
    private static func averageSpeed(_ figures: Totals) -> Int64? {
        guard figures.timerMilliseconds > 0 else { return nil }
        return scaled(figures.distanceMetres / Double(figures.timerMilliseconds), by: 1e6)
    }

    /// The cadence of a file, in whole revolutions, or steps of one foot, and 1/128 of one.
    private func cadence(_ perMinute: Double?) -> (whole: Int64, part: Int64)? {
        guard let perMinute, let units = Self.scaled(perMinute / recording.sport.stepsPerCadence, by: 128),
            (0..<255 * 128).contains(units)
        else { return nil }
        return (units / 128, units % 128)
    }

    private static func trigger(_ trigger: Event.Trigger?) -> Int64 {
        switch trigger {
        case .command, nil: Fit.Lap.manual
        case .distance: Fit.Lap.metres
        case .time, .auto: Fit.Lap.time
        }
    }
}
