package import Domain
package import JSONCoding
package import Sensors

/// The successful result of a request on control.sock.
package enum ControlResult: Equatable, Sendable {
    /// The number of the activity that was started.
    case activity(Int)
    /// The state of the run after a command.
    case run(RunState, elapsedMilliseconds: Int64)
    /// The activity that has ended.
    case summary(ActivitySummary)
    case state(State, sequence: Int)
    case settings(Settings)
    case setting(SettingKey, Settings)
    /// The results of a scan.
    case straps([ScanResult])
    /// The status of the link to the strap.
    case link(LinkStatus)
    /// Activities, newest first.
    case activities([ActivitySummary])
    /// An activity, with its laps from `fromLap` on.
    case recording(ActivitySummary, RecordedActivity, fromLap: Int)
    case track(Track)
    /// The size of an upload so far.
    case uploaded(bytes: Int)
    /// The number of the imported activity.
    case imported(Int)
    /// Success without a value.
    case done
}

extension JSONWriter {
    /// The result of a response: one value.
    package mutating func result(_ result: ControlResult) {
        switch result {
        case .activity(let id): object { $0.member("activity", number: id) }
        case .run(let state, let elapsed):
            object {
                $0.member("run", state.rawValue)
                $0.member("elapsed_ms", elapsed)
            }
        case .summary(let summary): self.summary(summary)
        case .state(let state, let sequence): self.state(state, sequence: sequence)
        case .settings(let settings): self.settings(settings)
        case .setting(let key, let settings): value(key, of: settings)
        case .straps(let straps): self.straps(straps)
        case .link(let status):
            object {
                $0.member("link", status.state.rawValue)
                $0.member("reason", status.reason?.rawValue)
            }
        case .activities(let summaries): self.summaries(summaries)
        case .recording(let summary, let recording, let lap): activity(summary, recording, fromLap: lap)
        case .track(let track): self.track(track)
        case .uploaded(let bytes): object { $0.member("bytes", bytes) }
        case .imported(let id): object { $0.member("id", id) }
        case .done: null()
        }
    }

    /// The most bytes of a list of straps. ``StrapSelector/sightingLimit`` straps exceed it only with very long names.
    private static let strapsLimit = 48 * 1024

    /// Writes the strongest signal first, and omits the straps that do not fit.
    private mutating func straps(_ straps: [ScanResult]) {
        array { line in
            for strap in straps.sorted(by: { $0.rssi ?? .min > $1.rssi ?? .min }) {
                var one = JSONWriter(capacity: 256)
                one.strap(strap)
                if line.bytes.count + one.bytes.count < Self.strapsLimit { line.value(written: one.bytes) }
            }
        }
    }

    private mutating func strap(_ strap: ScanResult) {
        object { line in
            line.member("address", strap.address.address)
            line.member("address_type", strap.address.type.rawValue)
            line.member("name", strap.name?.text)
            line.member("rssi_dbm", strap.rssi)
            line.array("services") { for service in strap.services { $0.value(service.description) } }
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
                    "strap",
                    "no such strap was found: put it on, keep it away from phones and watches, and try again"))
        case .refused:
            .failure(
                .unavailable(
                    "the strap rejected the pairing: some straps pair only in the first minute after they are put on, or "
                        + "have their maximum of paired devices; remove one in the maker's app, and try again"))
        }
    }
}
