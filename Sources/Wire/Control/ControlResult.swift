package import Domain
package import JSONCoding
package import Sensors

/// The successful result of a request on control.sock.
package indirect enum ControlResult: Equatable, Sendable {
    /// The number of the activity that was started.
    case activity(Int)
    /// The start waits for a position.
    case waiting
    /// The state of the run after a command.
    case run(RunState, elapsedMilliseconds: Int64)
    /// The activity that has ended.
    case summary(ActivitySummary)
    case state(State, sequence: Int)
    case settings(Settings)
    case setting(SettingKey, Settings)
    /// The results of a scan.
    case sensors([ScanResult])
    /// The status of the link to the strap.
    case link(LinkStatus)
    /// The zero offset of a power meter before its compensation, if known.
    case zeroOffset(ZeroOffset?)
    /// Activities, newest first.
    case activities([ActivitySummary])
    /// An activity, with its laps from `fromLap` on.
    case recording(ActivitySummary, RecordedActivity, fromLap: Int)
    case track(Track)
    /// The size of an upload so far.
    case uploaded(bytes: Int)
    /// The number of the imported activity.
    case imported(Int)
    /// Courses, newest first.
    case courses([CourseSummary], loaded: CourseHash?)
    /// The profile of the loaded course.
    case profile(CourseSamples)
    case course(CourseSummary, isLoaded: Bool)
    /// The virtual partner; nil if there is none.
    case partner(Partner?)
    /// The number of the stored course, and whether it was in the list.
    case storedCourse(Int, isPresent: Bool)
    /// How much was erased.
    case erased(activities: Int, courses: Int)
    case device(Device)
    /// A value of net.sock, as JSON.
    case encoded([UInt8])
    /// Success without a value.
    case done
}

extension JSONWriter {
    /// The result of a response: one value.
    package mutating func result(_ result: ControlResult) {
        switch result {
        case .activity(let id): object { $0.member("activity", number: id) }
        case .erased(let activities, let courses):
            object {
                $0.member("activities", number: activities)
                $0.member("courses", number: courses)
            }
        case .waiting: object { $0.member("waiting", "position") }
        case .run(let state, let elapsed):
            object {
                $0.member("run", state.rawValue)
                $0.member("elapsed_ms", elapsed)
            }
        case .summary(let summary): self.summary(summary)
        case .device(let device): object { $0.members(of: device) }
        case .state(let state, let sequence): self.state(state, sequence: sequence)
        case .settings(let settings): self.settings(settings)
        case .setting(let key, let settings): value(key, of: settings)
        case .sensors(let sensors): self.sensors(sensors)
        case .link(let status):
            object {
                $0.member("link", status.state.rawValue)
                $0.member("reason", status.reason?.rawValue)
            }
        case .zeroOffset(let offset):
            object { line in
                guard let offset else { return }
                line.member("offset", offset.value, decimals: 2)
                line.member("unit", offset.isTorque ? "Nm" : "N")
            }
        case .activities(let summaries): self.summaries(summaries)
        case .recording(let summary, let recording, let lap): activity(summary, recording, fromLap: lap)
        case .track(let track): self.track(track)
        case .uploaded(let bytes): object { $0.member("bytes", bytes) }
        case .imported(let id): object { $0.member("id", id) }
        case .courses(let courses, let loaded): self.courses(courses, loaded: loaded)
        case .profile(let samples): self.samples(samples)
        case .partner(let partner): self.partner(partner)
        case .course(let course, let isLoaded): self.course(course, isLoaded: isLoaded)
        case .storedCourse(let id, let isPresent):
            object { line in
                line.member("id", id)
                if isPresent { line.member("present", true) }
            }
        case .encoded(let json): value(written: json)
        case .done: null()
        }
    }

    /// The most sensors of a list, and the most bytes. Only very long names exceed the latter.
    private static let sensorsLimit = 48 * 1024

    /// Writes the strongest signal first, and omits the sensors that do not fit.
    private mutating func sensors(_ sensors: [ScanResult]) {
        array { line in
            let strongest = sensors.sorted { $0.rssi ?? .min > $1.rssi ?? .min }
            for sensor in strongest.prefix(StrapSelector.scanResultLimit) {
                var one = JSONWriter(capacity: 256)
                one.sensor(sensor)
                if line.bytes.count + one.bytes.count < Self.sensorsLimit { line.value(written: one.bytes) }
            }
        }
    }

    private mutating func sensor(_ sensor: ScanResult) {
        object { line in
            line.member("address", sensor.address.address)
            line.member("address_type", sensor.address.type.rawValue)
            line.member("name", sensor.name?.text)
            line.member("rssi_dbm", sensor.rssi)
            line.array("kinds") { line in
                for kind in SensorKind.allCases where sensor.kinds.contains(kind) { line.value(kind.rawValue) }
            }
            line.array("services") { for service in sensor.services { $0.value(service.description) } }
        }
    }
}

extension PairingResult {
    /// The result of the request for the client.
    package var response: Result<ControlResult, RPCError> {
        switch self {
        case .paired, .pairedAlready: .success(.done)
        case .absent:
            .failure(
                .notFound(
                    "sensor",
                    "no such sensor was found: wake it (a strap: put it on), keep it away from phones and watches, and try again"
                ))
        case .refused:
            .failure(
                .unavailable(
                    "the sensor rejected the pairing: some sensors pair only in the first minute after they are put on, or "
                        + "have their maximum of paired devices; remove one in the maker's app, and try again"))
        }
    }
}

extension ZeroOffsetResult {
    /// The result of the request for the client.
    package var response: Result<ControlResult, RPCError> {
        switch self {
        case .compensated(let offset): .success(.zeroOffset(offset))
        case .busy: .failure(.busy("another zero offset is in progress"))
        case .absent:
            .failure(
                .notFound(
                    "sensor", "no such power meter is connected: turn the crank to wake it; see 'pacectl sensors'"))
        case .ambiguous:
            .failure(.notFound("sensor", "several power meters are connected: name one; see 'pacectl sensors'"))
        case .notSupported: .failure(.unavailable("this power meter cannot set its zero offset over Bluetooth"))
        case .failed:
            .failure(
                .unavailable(
                    "the power meter did not set its zero offset: keep the crank still, take the load off the pedals, "
                        + "and try again"))
        case .needsPairing:
            .failure(.unavailable("the power meter requires pairing: pair it with sensor.pair, then try again"))
        case .unanswered:
            .failure(.unavailable("the power meter did not respond: keep it near and awake, and try again"))
        }
    }
}
