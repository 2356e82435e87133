import Domain
import JSONCoding
import TestKit
import Testing
import Wire

@Suite struct StateBlockTests {
    private static let settings = {
        var settings = Settings()
        settings.useHeartRateZones = true
        settings.zones = try! Zones([100, 120, 140, 160, 180])
        return settings
    }()

    private func lines(_ state: State, _ settings: Settings = Self.settings) -> StateLines {
        var lines = StateLines(settings: settings)
        lines.encode(state, sequence: 7)
        return lines
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func lineWithoutBlocksIsTheStateLine() {
        var writer = JSONWriter()
        writer.stateLine(.example, sequence: 7)
        var lines = lines(.example)
        #expect(lines.line(with: []) == writer.bytes)
        _ = lines.line(with: [.fields, .lap, .zones])
        #expect(lines.line(with: []) == writer.bytes)
    }

    @Test func blocksFollowTheMembersInAFixedOrder() throws {
        var lines = lines(.example)
        let plain = text(lines.line(with: []))
        let all = text(lines.line(with: [.zones, .lap, .fields]))
        #expect(all.hasPrefix(plain.dropLast(2) + #","blocks":{"fields":{"time":12.3,"#))
        #expect(all.hasSuffix("]}}}\n"))
        let blocks = try #require(try JSON(parsing: all.utf8)["blocks"])
        #expect(blocks["lap"]?["number"] == .integer(1))
        #expect(blocks["zones"]?["lowest_bpm"]?.array?.count == 5)
        #expect(all.contains(#/"blocks":\{"fields":\{.*\},"lap":\{.*\},"zones":\{/#))
    }

    @Test func eachSetHasItsBlocksOnly() throws {
        var lines = lines(.example)
        for (set, names) in [
            (StateBlocks.fields, ["fields"]), (.zones, ["zones"]), ([.fields, .lap], ["fields", "lap"]),
            (.sensors, ["sensors"]),
        ] {
            let line = try JSON(parsing: lines.line(with: set))
            guard case .object(let blocks)? = line["blocks"] else {
                Issue.record("no blocks")
                continue
            }
            #expect(blocks.keys.sorted() == names)
        }
    }

    @Test func variabilityWithoutValuesHasThePartOfArtefacts() throws {
        var state = State.example
        var lines = lines(state)
        #expect(text(lines.line(with: .hrv)).hasSuffix(#","blocks":{}}"# + "\n"))
        state.activity?.variability = .example
        lines.encode(state, sequence: 8)
        #expect(
            text(lines.line(with: .hrv)).hasSuffix(
                #","blocks":{"hrv":{"mean_rr_ms":428.1,"rmssd_ms":7.3,"sdnn_ms":24.9,"pnn50_percent":0.4,"#
                    + #""dfa_alpha1":0.75,"artifact_percent":1.3,"respiration_per_min":31.2,"#
                    + #""respiration_quality":"good"}}}"# + "\n"))
        state.activity?.variability = HeartRateVariability()
        lines.encode(state, sequence: 9)
        #expect(text(lines.line(with: .hrv)).hasSuffix(#","blocks":{"hrv":{"artifact_percent":0}}}"# + "\n"))
    }

    @Test(arguments: [
        (0, #"{"next":"Earth's Atmosphere","next_distance_m":804.672,"remaining_m":804.67}"#),
        (
            1609.5,
            #"{"earned":"The Moon","earned_distance_m":1609.344,"next":"Earth's Magnetotail","#
                + #""next_distance_m":2414.016,"remaining_m":804.52}"#
        ),
        (42_195.5, #"{"earned":"Interstellar Space","earned_distance_m":42195}"#),
    ])
    func badgesBlockHasTheLastAndTheNextBadge(metres: Double, block: String) {
        var state = State.example
        state.activity?.total.distanceMetres = metres
        var lines = lines(state)
        #expect(text(lines.line(with: .badges)).hasSuffix(#","blocks":{"badges":\#(block)}}"# + "\n"))
        state = .idle(at: Instant(milliseconds: 5))
        lines.encode(state, sequence: 8)
        #expect(text(lines.line(with: .badges)).hasSuffix(#","blocks":{}}"# + "\n"))
    }

    @Test func `The course has a block while it is loaded`() {
        var state = State.idle(at: Instant(milliseconds: 5))
        var lines = lines(state)
        #expect(text(lines.line(with: [.course, .partner])).hasSuffix(#","blocks":{}}"# + "\n"))
        state.course = CourseStatus(lengthMetres: 9876.54)
        state.course?.returnMetres = 812
        state.course?.returnBearing = 44.96
        lines.encode(state, sequence: 8)
        #expect(
            text(lines.line(with: [.course, .partner])).hasSuffix(
                #","blocks":{"course":{"status":"off","length_m":9876.5,"return_m":812,"return_bearing_deg":45}}}"#
                    + "\n"))
        state.course = .example
        lines.encode(state, sequence: 9)
        let block = """
            {"id":3,"name":"Teufelsberg","status":"on","length_m":9876.5,"progress_m":1200.1,"remaining_m":8676.4,\
            "cross_track_m":-3.2,\
            "cue":{"type":"slight-left","name":"Mill Lane","derived":true,"distance_m":120,"in_s":14.5},\
            "second_cue":{"type":"summit","distance_m":940.3},"arrival_s":3021,"ascent_m":312,\
            "remaining_ascent_m":290.5,"grade_percent":-2.5,\
            "climb":{"number":1,"count":3,"start_m":0,"top_m":640,"ascent_m":44.1,"average_grade_percent":6.9,\
            "grade_ahead_percent":8.2},"ascent_difference_m":-1.5}
            """
        #expect(text(lines.line(with: .course)).hasSuffix(#","blocks":{"course":\#(block)}}"# + "\n"))
    }

    @Test func `The partner is of a constant pace or has a name`() {
        var state = State.example
        state.partner = PartnerStatus(pace: 0.3, secondsAhead: 12.34, metresAhead: 41.27)
        var lines = lines(state)
        #expect(
            text(lines.line(with: .partner)).hasSuffix(
                #","blocks":{"partner":{"pace_s_per_m":0.3,"ahead_s":12.3,"ahead_m":41.3}}}"# + "\n"))
        state.partner = PartnerStatus(name: SanitizedText("Morning"), secondsAhead: nil, metresAhead: -5)
        lines.encode(state, sequence: 8)
        #expect(
            text(lines.line(with: .partner)).hasSuffix(
                #","blocks":{"partner":{"name":"Morning","ahead_m":-5}}}"# + "\n"))
    }

    @Test func nextStateReplacesTheBlocks() {
        var lines = lines(.example)
        let first = lines.line(with: .fields)
        var state = State.example
        state.activity?.total.elapsedMilliseconds += 100
        lines.encode(state, sequence: 8)
        #expect(text(first).contains(#""fields":{"time":12.3,"#))
        #expect(text(lines.line(with: .fields)).contains(#""fields":{"time":12.4,"#))
    }

    @Test func idleStateHasNoLapAndUnsetZonesHaveNoBlock() {
        var lines = lines(.idle(at: Instant(milliseconds: 5)), Settings())
        #expect(
            text(lines.line(with: [.fields, .lap, .zones])).hasSuffix(#""faults":[],"blocks":{"fields":{}}}"# + "\n"))
    }

    @Test func everyFieldWithAValueIsWritten() throws {
        var state = State.example
        state.power = PowerStatus(batteryPercent: 62)
        state.heart.percentOfMaximum = 74.5
        state.heart.percentOfReserve = 65
        state.activity?.lap.maximumHeartRate = 141
        state.addSensorValues()
        state.course = .example
        state.partner = PartnerStatus(pace: 0.3, secondsAhead: -12, metresAhead: -40)
        state.sun = .example
        state.wind = .example
        var lines = lines(state)
        let fields = try #require(try JSON(parsing: lines.line(with: .fields))["blocks"]?["fields"])
        for field in DataField.allCases { #expect(fields[field.rawValue] != nil, "\(field.rawValue)") }
        #expect(fields["time_of_day"] == .string("2026-03-01T07:30:12.300Z"))
        #expect(fields["pace"]?.number == 0.3124)
        #expect(fields["normalized_power"]?.number == 231)
        #expect(fields["temperature"]?.number == -3.5)
        #expect(fields["speed_3s"]?.number == 3.2)
        #expect(fields["heart_rate_percent_max"]?.number == 74.5)
        #expect(fields["arrival"] == .string("2026-03-01T08:20:33.300Z"))
        #expect(fields["off_course"]?.number == 3.2)
    }

    private static let power = LEAddress(BluetoothAddress(value: 0xC605_0403_0201), .random)

    private static var stateWithSensors: State {
        var state = State.example
        var power = SensorStatus(
            .bluetooth(Self.power), kinds: [.cyclingSpeedCadence, .cyclingPower],
            link: LinkStatus(.connected, address: Self.power.address, name: SanitizedText("Assioma")))
        power.batteryPercent = 90
        power.manufacturer = SanitizedText("Favero")
        power.model = SanitizedText("Duo")
        state.sensors = [power, SensorStatus(.board, kinds: [.environment], link: LinkStatus(.connected))]
        state.readings[0].watts = 0
        state.readings[0].cadence = 87.5
        state.readings[0].measuredAt = state.at - .milliseconds(2_999)
        state.readings[1].pressure = 101_325.1
        state.readings[1].measuredAt = state.at - .seconds(60)
        return state
    }

    @Test func sensorsHaveTheValuesThatTheyMeasure() throws {
        var lines = lines(Self.stateWithSensors)
        let line = text(lines.line(with: .sensors))
        let power =
            #"{"id":"C6:05:04:03:02:01/random","kinds":["speed-cadence","power"],"name":"Assioma","#
            + #""address":"C6:05:04:03:02:01","link":"connected","battery_percent":90,"manufacturer":"Favero","#
            + #""model":"Duo","power_w":0,"cadence_rpm":87.5,"age_ms":2999,"stale":false}"#
        let board =
            #"{"id":"board","kinds":["environment"],"link":"connected","pressure_pa":101325.1,"age_ms":60000,"#
            + #""stale":false}"#
        #expect(line.hasSuffix("\"sensors\":[\(power),\(board)]}}\n"), "\(line)")
    }

    @Test func measurementsAreStaleAfterThreeSeconds() throws {
        var state = Self.stateWithSensors
        state.readings[0].measuredAt = state.at - .seconds(3)
        state.readings[0].watts = nil
        state.readings[1].measuredAt = nil
        var lines = lines(state)
        let sensors = try #require(try JSON(parsing: lines.line(with: .sensors))["blocks"]?["sensors"]?.array)
        #expect(sensors[0]["stale"] == .bool(true) && sensors[0]["power_w"] == nil)
        #expect(sensors[1]["stale"] == nil && sensors[1]["age_ms"] == nil, "it has sent nothing yet")
    }

    @Test func aDeviceWithoutSensorsHasAnEmptyList() {
        var lines = lines(.example)
        #expect(text(lines.line(with: .sensors)).hasSuffix(#""blocks":{"sensors":[]}}"# + "\n"))
    }

    /// Every text as long as it may be, and every number with as many digits as it can have.
    @Test func longestLineIsUnder8KiB() {
        var state = State.example
        let name = SanitizedText(String(repeating: "\u{1F6B4}", count: SanitizedText.characterLimit))
        state.heart.link.name = name
        state.gpsd.name = name
        var total = Totals()
        total.elapsedMilliseconds = 10_000_000_000_100
        total.movingMilliseconds = 10_000_000_000_100
        total.distanceMetres = 123_456_789_012.34
        total.maximumSpeed = 123_456.78
        total.averageHeartRate = 255
        total.maximumHeartRate = 255
        state.activity = Activity(
            id: .max, sport: .other, total: total, pace: 3.5999, speed: 123_456.78, lap: total, lapNumber: 1_000_000)
        state.activity?.lastLap = total
        state.faults = FaultName.allCases.map {
            Fault(name: $0, since: state.at, message: String(repeating: "m", count: 200))
        }
        var course = CourseStatus.example
        course.name = name
        course.cue?.name = name
        course.secondCue = course.cue
        state.course = course
        state.partner = PartnerStatus(name: name, pace: 0.3333, secondsAhead: -123_456.7, metresAhead: -123_456.7)
        state.sun = .example
        state.wind = .example
        var lines = lines(state)
        #expect(lines.line(with: [.fields, .lap, .zones]).count < 8192)
        for index in 0..<SensorReadings.capacity {
            let address = LEAddress(BluetoothAddress(value: UInt64(index)), .random)
            var sensor = SensorStatus(
                .bluetooth(address), kinds: SensorKind.allCases,
                link: LinkStatus(.disconnected, reason: .parametersRefused, address: address.address, name: name))
            (sensor.batteryPercent, sensor.manufacturer, sensor.model) = (100, name, name)
            state.sensors.append(sensor)
            state.readings[index].measuredAt = Instant(nanoseconds: 0)
            (state.readings[index].heartRate, state.readings[index].watts) = (240, -32768)
            (state.readings[index].cadence, state.readings[index].speed) = (65_535.5, 123_456.78)
            (state.readings[index].pressure, state.readings[index].temperature) = (429_496_729.5, -273.15)
            (state.readings[index].humidity, state.readings[index].vehicles) = (99.99, 8)
            (state.readings[index].vehicleDistance, state.readings[index].vehicleSpeed) = (255, 70.83)
        }
        state.addOwnFields(named: name)
        lines.encode(state, sequence: 8)
        let all = StateBlocks.names.reduce(into: StateBlocks()) { $0.formUnion($1.1) }
        #expect(lines.line(with: all).count < 64 * 1024)
    }
}

extension State {
    /// Sets all values of power, cadence, radar and environment.
    fileprivate mutating func addSensorValues() {
        activity?.power = 250
        activity?.power3s = 240
        activity?.power10s = 235
        activity?.percentOfFTP = 100
        activity?.powerZone = 4
        activity?.leftBalance = 49.5
        activity?.cadence = 90
        activity?.variability = .example
        activity?.total.energyKilocalories = 612.5
        activity?.total.trainingImpulse = 81.5
        activity?.total.averagePower = 220
        activity?.total.maximumPower = 700
        activity?.total.normalizedPower = 230.6
        activity?.total.workJoules = 2706
        activity?.total.averageCadence = 88
        activity?.total.maximumCadence = 120
        activity?.lap.averagePower = 220
        activity?.lap.normalizedPower = 230
        activity?.lap.averageCadence = 88
        activity?.grade = -4.5
        activity?.gradeAdjustedPace = 0.3
        activity?.total.gradeAdjustedPace = 0.31
        activity?.lap.gradeAdjustedPace = 0.32
        activity?.verticalSpeed = -0.2
        activity?.total.ascent = 120
        activity?.total.descent = 90
        activity?.lap.ascent = 20
        activity?.lap.descent = 9
        sensors = [SensorStatus(.board, kinds: [.environment, .radar], link: LinkStatus(.connected))]
        readings[0].vehicles = 2
        readings[0].vehicleDistance = 40
        readings[0].vehicleSpeed = 8.3
        readings[0].pressure = 100_165
        readings[0].temperature = -3.5
        readings[0].humidity = 61
    }
}

extension CourseStatus {
    static var example: CourseStatus {
        var course = CourseStatus(number: 3, name: SanitizedText("Teufelsberg"), lengthMetres: 9876.54)
        course.status = .on
        course.progressMetres = 1200.1
        course.crossTrackMetres = -3.2
        course.cue = CueAhead(
            .slightLeft, name: SanitizedText("Mill Lane"), isDerived: true, metres: 120, seconds: 14.5)
        course.secondCue = CueAhead(.summit, name: nil, isDerived: false, metres: 940.3, seconds: nil)
        course.arrivalSeconds = 3021
        course.ascentMetres = 312
        course.remainingAscentMetres = 290.5
        course.grade = -2.5
        course.climb = ClimbAhead(
            number: 1, count: 3, startMetres: 0, topMetres: 640, ascentMetres: 44.1, averageGrade: 6.9, gradeAhead: 8.2)
        course.ascentDifference = -1.5
        return course
    }
}

extension HeartRateVariability {
    fileprivate static var example: HeartRateVariability {
        var figures = HeartRateVariability()
        figures.meanInterval = 428.12
        figures.rmssd = 7.26
        figures.sdnn = 24.94
        figures.pnn50 = 0.4
        figures.alpha1 = 0.753
        figures.artifactPercent = 1.26
        figures.respiration = 31.2
        figures.isRespirationGood = true
        return figures
    }
}
