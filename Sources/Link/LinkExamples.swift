import Domain
import HTTP
import JSONCoding

/// What `paced-link --check` prints: an example of every message that the configuration would send.
///
/// The values are made up, and reduced as real ones are.
enum LinkExamples {
    private static let device = "00000000-0000-4000-8000-000000000001"
    private static let activity = "00000000-0000-4000-8000-000000000002"

    private static let state = #"""
        {"class":"STATE","boot_ms":3600000,"time":"2026-05-01T08:00:00.000Z","clock":"system","run":"active","activity":17,
        "sport":"ride","elapsed_ms":1800000,"moving_ms":1790000,"distance_m":12345.6,"speed_mps":7.2,"ascent_m":120,
        "descent_m":80,"grade_percent":1.5,"heart":{"bpm":140,"stale":false,"battery_percent":80},
        "position":{"latitude":52.5163,"longitude":13.3777,"altitude_m":34.1,"accuracy_m":4.1,"speed_mps":7.2,"track_deg":87,
        "age_ms":180,"stale":false},"power":{"battery_percent":71,"charging":false},
        "recorder":{"state":"writing","sync_age_ms":800,"free_mib":20113},"faults":[],
        "blocks":{"fields":{"power":201,"cadence":88}}}
        """#
    private static let events = [
        #"{"class":"EVENT","seq":7,"boot_ms":1000,"event":"fault","fault":"battery-low","active":true,"message":"the battery is at 15 % or less: charge it"}"#,
        #"{"class":"EVENT","seq":8,"boot_ms":2000,"event":"pause","activity":17,"elapsed_ms":1800000,"distance_m":12345.6,"trigger":"command"}"#,
        #"{"class":"EVENT","seq":9,"boot_ms":3000,"event":"mark","activity":17,"mark":1,"kind":"generic","elapsed_ms":1800000,"distance_m":12345.6,"latitude":52.5163,"longitude":13.3777}"#,
    ]
    private static let sample =
        #"{"n":2,"row":"sample","at_ms":1000,"elapsed_ms":1000,"distance_m":7.2,"latitude":52.5163,"longitude":13.3777,"speed_mps":7.2,"power_w":201"#
    private static let beats = #"{"n":1,"row":"beats","at_ms":900,"rr_1024":[440,438]}"#
    private static let summary =
        #"{"id":17,"uuid":"00000000-0000-4000-8000-000000000002","sport":"ride","elapsed_ms":3600000,"distance_m":25000,"average_bpm":139}"#

    /// The lines to print.
    static func text(_ configuration: LinkConfiguration, host: String?) -> String {
        guard let uuid = UUID(device), let activity = UUID(activity), let state = try? JSON(parsing: state.utf8) else {
            return ""
        }
        let messages = LinkMessages(device: uuid)
        let level = configuration.level
        var lines: [String] = []
        func add(_ topic: String, _ payload: [UInt8], _ note: String) {
            lines.append("\(topic)  (\(note))\n  \(String(decoding: payload, as: UTF8.self))")
        }
        if host == nil, configuration.uploads.isEmpty, configuration.plans.isEmpty {
            return
                "Nothing is sent: Host= of [Mqtt] and [OwnTracks] are off, and there is no [Upload NAME] and no [Plan NAME].\n"
        }
        if let host {
            lines.append(
                "Level=\(level.word). To \(host), with made-up values and this device: \(device).\n")
        }
        if configuration.host != nil {
            add(messages.status, Array("online".utf8), "retained; offline when the connection ends")
            let members = (configuration.members ?? LiveMember.all).filter { $0.level <= level }
            var live = LivePosition(level)
            let now = Instant(nanoseconds: 0)
            _ = live.ingest(state, hidden: nil, at: now)
            let position = live.ingest(state, hidden: nil, at: now + .seconds(600))
            if level > .none {
                add(
                    messages.state, LinkMessages.state(state, members, activity: activity, position: position),
                    "each \(configuration.interval.components.seconds) s")
                for event in events {
                    guard let event = try? JSON(parsing: event.utf8), let payload = LinkMessages.event(event, level)
                    else { continue }
                    add(messages.event, payload, "as it happens")
                }
            }
            if !configuration.sinks.isEmpty { addRows(messages, activity, level, add) }
            if let prefix = configuration.discoveryPrefix {
                let payload = HomeAssistant.discovery(
                    of: uuid, name: "the name of the device", members: members, interval: configuration.interval,
                    tracker: configuration.ownTracks.mode == .mqtt ? "owntracks/…" : nil)
                add("\(prefix)/device/\(uuid)/config", payload, "retained")
            }
        }
        if configuration.ownTracks.mode != .off, let fix = OwnTracks.Fix(state) {
            var tracks = OwnTracks(configuration.ownTracks, device: uuid)
            let name =
                configuration.ownTracks.url
                ?? "owntracks/\(configuration.ownTracks.user ?? device)/\(configuration.ownTracks.device)"
            for message in tracks.ingest(fix, at: Instant(nanoseconds: 0)) {
                switch message {
                case .location(let payload): add(name, payload, "each 1 to 60 s, by movement")
                case .transition(let payload):
                    add(
                        configuration.ownTracks.url ?? name + "/event", payload,
                        "at the begin, and when the region is entered or left")
                }
            }
        }
        for upload in configuration.uploads { lines.append(text(of: upload, activity)) }
        for plan in configuration.plans {
            guard let request = plan.source?.request(plan, days: ("2026-05-01", "2026-05-07")) else { continue }
            lines.append(
                "[Plan \(plan.name)]  (once a day, and for 'pacectl plan fetch')\n  \(request.method ?? "GET") \(request.url)"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What a service gets of each activity.
    private static func text(of upload: UploadSettings, _ activity: UUID) -> String {
        guard let service = upload.service else { return "" }
        let name = SanitizedText("Morning ride")
        let job = UploadJob(
            settings: upload, id: activity, name: name, sport: .ride, started: UTC(milliseconds: 1_777_622_400_000),
            file: "FILE")
        let hidden =
            upload.hiddenRadius > 0 ? ", without the positions of \(upload.hiddenRadius) m around start and end" : ""
        var lines = [
            "[Upload \(upload.name)]  (each activity that ends, as a FIT file with positions and heart rate\(hidden))"
        ]
        if case .none = service.access {
            lines.append("  the file \(upload.path ?? "")/\(job.fileName)")
            return lines.joined(separator: "\n")
        }
        let request = service.request(.send("1"), job)
        switch request.content {
        case .file: lines.append("  PUT \(request.url)")
        case .form(let parts):
            lines.append("  POST \(request.url)")
            for part in parts {
                switch part {
                case .text(let name, let value): lines.append("    \(name): \(value)")
                case .file(let name, _, let fileName, _): lines.append("    \(name): \(fileName)")
                }
            }
        default: break
        }
        return lines.joined(separator: "\n")
    }

    private static func addRows(
        _ messages: LinkMessages, _ activity: UUID, _ level: LinkLevel,
        _ add: (String, [UInt8], String) -> Void
    ) {
        guard let summary = try? JSON(parsing: summary.utf8) else { return }
        let rows =
            level == .full ? "\(beats),\(sample),\"bpm\":140}" : "\(sample)}"
        add(
            messages.rows,
            messages.head(activity, revision: 1, isOpen: false, end: 3600, summary: level.reduced(summary)),
            "packed by gzip, at the begin and the end of an activity and after a change")
        add(
            messages.rows, messages.batch(activity, revision: 1, from: 1, next: 3, rows: Array(rows.utf8)),
            "packed by gzip, until a collector has it")
        add(messages.rows, messages.tombstone(activity, revision: 2), "packed by gzip, after a deletion")
    }
}
