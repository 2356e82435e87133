import Domain
import HTTP
import JSONCoding

extension UploadService {
    /// The kinds of services.
    package static let all = [intervals, strava, fitTrackee, webDAV, directory]

    // MARK: intervals.icu

    /// Source: https://intervals.icu/api-docs.html, "uploadActivity", "listActivities".
    private static let intervals = UploadService(
        "intervals", url: "https://intervals.icu", access: .password { _ in "API_KEY" }, first: .look,
        page: { "\($1.address)/activities/\($0)" },
        request: { step, job in
            let path = "/api/v1/athlete/\((job.settings.user ?? "0").percentEncoded(keeping: ""))/activities"
            guard case .look = step else {
                let name = job.name.map { "&name=" + $0.text.percentEncoded(keeping: "") } ?? ""
                return job.request(path + "?external_id=\(job.id)" + name, content: .form([job.filePart]))
            }
            // Days are those of the athlete's own zone.
            let days = [-1, 1].map { job.started.milliseconds + Int64($0) * 86_400_000 }
                .map { UploadJob.day(UTC(milliseconds: $0)) }
            return job.request(path + "?oldest=\(days[0])&newest=\(days[1])&fields=id,external_id")
        },
        outcome: { step, answer, job in
            guard (200..<300).contains(answer.status) else { return nil }
            guard case .look = step else { return answer.json?["id"].flatMap(name).map { .done($0) } }
            guard let activities = answer.json?.array else { return nil }
            // intervals.icu may add the end of the file's name.
            let found = activities.first { $0["external_id"]?.string?.hasPrefix("\(job.id)") == true }
            return found.map { .done($0["id"].flatMap(name)) } ?? .next(.send(nil))
        })

    // MARK: Strava

    /// Source: https://developers.strava.com/docs/uploads.
    private static let strava = UploadService(
        "strava", url: "https://www.strava.com", needs: [.client],
        access: .token(
            OAuth(
                authorisation: "/oauth/authorize", token: "/oauth/token", scope: "activity:write",
                parameters: "&approval_prompt=auto", hasChallenge: false, endsUnused: false)),
        first: .send(nil), page: { "\($1.address)/activities/\($0)" },
        request: { step, job in
            if case .poll(let upload) = step { return job.request("/api/v3/uploads/\(upload)") }
            var parts: [OutgoingRequest.FormPart] = [
                .text(name: "data_type", "fit"), .text(name: "external_id", "\(job.id)"),
            ]
            if let name = job.name { parts.append(.text(name: "name", name.text)) }
            return job.request("/api/v3/uploads", content: .form(parts + [job.filePart]))
        },
        outcome: { step, answer, job in
            guard (200..<300).contains(answer.status), let json = answer.json else { return nil }
            if let error = json["error"]?.string, !error.isEmpty {
                if let number = duplicate(in: error) { return .done(number) }
                return .refused("Strava: \(SanitizedText.line(error, limit: 128) ?? "the file is not accepted")")
            }
            if let activity = json["activity_id"].flatMap(name) { return .done(activity) }
            if json["status"]?.string?.hasSuffix("has been deleted.") == true {
                return .refused("Strava: the activity was made, and has been deleted there")
            }
            return (json["id_str"] ?? json["id"]).flatMap(name).map { .processing($0) }
        })

    /// The number of the activity that an error names, such as "duplicate of <a href='/activities/17'>"; empty if it names none.
    private static func duplicate(in error: String) -> String? {
        let words = Array(error.lowercased().utf8)
        let phrase = Array("duplicate of".utf8)
        guard words.count >= phrase.count,
            let start = (0...words.count - phrase.count).first(where: { words[$0...].starts(with: phrase) })
        else { return nil }
        let digits = words[(start + phrase.count)...].drop { !(48...57).contains($0) }.prefix { (48...57).contains($0) }
        return String(decoding: digits.prefix(20), as: UTF8.self)
    }

    // MARK: FitTrackee

    /// The names of our sports there.
    private static let fitTrackeeSports: [Sport: String] = [
        .run: "Running", .walk: "Walking", .hike: "Hiking", .ride: "Cycling (Sport)",
    ]

    /// Source: https://docs.fittrackee.org, "API documentation".
    private static let fitTrackee = UploadService(
        "fittrackee", needs: [.url, .client],
        access: .token(
            OAuth(
                authorisation: "/profile/apps/authorize", token: "/api/oauth/token",
                scope: "workouts:read workouts:write", parameters: "", hasChallenge: true, endsUnused: true)),
        first: .look, page: { "\($1.address)/workouts/\($0)" },
        request: { step, job in
            switch step {
            case .look: return job.request("/api/workouts?notes=\(job.id)")
            case .prepare: return job.request("/api/sports")
            case .send(let sport):
                var data = JSONWriter(capacity: 256)
                data.object {
                    $0.member("sport_id", sport.flatMap { Int($0) } ?? 1)
                    // By the notes the workout is found again.
                    $0.member("notes", "\(job.id)")
                    $0.member("title", job.name?.text)
                }
                let text = String(decoding: data.bytes, as: UTF8.self)
                return job.request("/api/workouts", content: .form([.text(name: "data", text), job.filePart]))
            case .poll: return job.request("")
            }
        },
        outcome: { step, answer, job in
            guard (200..<300).contains(answer.status), let data = answer.json?["data"] else { return nil }
            switch step {
            case .look:
                guard let workouts = data["workouts"]?.array else { return nil }
                return workouts.first.map { .done($0["id"].flatMap(name)) } ?? .next(.prepare)
            case .prepare:
                guard let sports = data["sports"]?.array else { return nil }
                guard let label = fitTrackeeSports[job.sport],
                    let id = sports.first(where: { $0["label"]?.string == label })?["id"].flatMap(name)
                else { return .refused("FitTrackee has no sport for \(job.sport.rawValue)") }
                return .next(.send(id))
            case .send, .poll:
                return data["workouts"]?.array?.first.map { .done($0["id"].flatMap(name)) }
            }
        })

    // MARK: WebDAV

    /// Source: RFC 4918, RFC 9110 (If-None-Match).
    private static let webDAV = UploadService(
        "webdav", needs: [.url, .user], access: .password { $0.user ?? "" }, first: .send(nil),
        request: { step, job in
            guard case .prepare = step else {
                return job.request(
                    "/" + job.fileName, content: .file(job.file),
                    headers: ["If-None-Match: *", "Content-Type: application/vnd.ant.fit"])
            }
            return job.request("", method: "MKCOL")
        },
        outcome: { step, answer, job in
            switch (step, answer.status) {
            // 405: the folder is there.
            case (.prepare, 201), (.prepare, 405): .next(.send(nil))
            case (.prepare, 409): .unreachable("the folder above that of Url= does not exist (409)")
            case (_, 201), (_, 204), (_, 412): .done(nil)
            case (_, 409): .next(.prepare)
            case (_, 507): .unreachable("\(Fetcher.host(of: job.settings.address)) is full (507)")
            default: nil
            }
        })

    // MARK: A directory

    /// The file is exported to its place: nothing is asked.
    private static let directory = UploadService(
        "directory", needs: [.path], access: .none, first: .send(nil),
        request: { _, job in job.request("") }, outcome: { _, _, _ in nil })

    /// A number or a text that names something.
    private static func name(_ json: JSON) -> String? {
        let text = json.integer.map { "\($0)" } ?? json.string
        guard let text, (1...64).contains(text.utf8.count),
            text == text.percentEncoded(keeping: "-_")
        else { return nil }
        return text
    }
}
