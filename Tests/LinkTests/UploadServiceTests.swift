import Domain
import HTTP
import Link
import Testing

/// The rows of the services, against answers as their documents have them.
@Suite struct UploadServiceTests {
    private static let id = UUID.derived(from: [1])

    private static func job(_ word: String) -> UploadJob {
        var settings = UploadSettings(name: "mine")
        settings.service = UploadService.all.first { $0.word == word }
        if settings.address.isEmpty { settings.url = "https://example.org/folder" }
        (settings.user, settings.client) = (word == "webdav" ? "anna" : nil, "12")
        return UploadJob(
            settings: settings, id: id, name: SanitizedText("Way & home"), sport: .ride,
            started: UTC(milliseconds: 1_777_622_400_000), file: "/tmp/a.fit")
    }

    private static func outcome(
        _ word: String, _ step: UploadService.Step, _ status: Int, _ body: String = "",
        _ headers: [String: String] = [:]
    ) throws -> UploadService.Outcome {
        let job = job(word)
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        return try #require(job.settings.service).outcome(.success(response), of: step, job, at: job.started)
    }

    private static func request(_ word: String, _ step: UploadService.Step) throws -> OutgoingRequest {
        let job = job(word)
        return try #require(job.settings.service).request(step, job)
    }

    @Test func intervalsIsAskedByDayAndGetsTheUUID() throws {
        let base = "https://intervals.icu/api/v1/athlete/0/activities"
        #expect(
            try Self.request("intervals", .look).url
                == base + "?oldest=2026-04-30&newest=2026-05-02&fields=id,external_id")
        let request = try Self.request("intervals", .send(nil))
        #expect(request.url == base + "?external_id=\(Self.id)&name=Way%20%26%20home")
        #expect(
            request.content
                == .form([
                    .file(
                        name: "file", path: "/tmp/a.fit", fileName: "2026-05-01_\(Self.id).fit",
                        type: "application/vnd.ant.fit")
                ]))
        #expect(try Self.outcome("intervals", .look, 200, "[]") == .next(.send(nil)))
        #expect(
            try Self.outcome("intervals", .look, 200, #"[{"id":"i7","external_id":"\#(Self.id)"}]"#) == .done("i7"))
        #expect(try Self.outcome("intervals", .send(nil), 201, #"{"id":"i8"}"#) == .done("i8"))
    }

    @Test(arguments: [
        (#"{"id":5,"id_str":"5","error":null,"activity_id":null}"#, UploadService.Outcome.processing("5")),
        (#"{"id":5,"error":null,"activity_id":123}"#, .done("123")),
        (#"{"id":5,"error":"a.fit duplicate of activity 123","activity_id":null}"#, .done("123")),
        (#"{"id":5,"error":"Duplicate of <a href='/activities/123' target='_blank'>Ride</a>"}"#, .done("123")),
        (
            #"{"id":5,"error":null,"status":"The created activity has been deleted.","activity_id":null}"#,
            .refused("Strava: the activity was made, and has been deleted there")
        ),
        (#"{"id":5,"error":"The file is malformed.","activity_id":null}"#, .refused("Strava: The file is malformed.")),
    ])
    func stravaTellsWhatBecameOfAFile(_ body: String, _ expected: UploadService.Outcome) throws {
        #expect(try Self.outcome("strava", .poll("5"), 200, body) == expected)
    }

    @Test func fitTrackeeIsAskedForTheSport() throws {
        #expect(try Self.outcome("fittrackee", .look, 200, #"{"data":{"workouts":[]}}"#) == .next(.prepare))
        #expect(try Self.outcome("fittrackee", .look, 200, #"{"data":{"workouts":[{"id":"Ab1"}]}}"#) == .done("Ab1"))
        let sports = #"{"data":{"sports":[{"id":1,"label":"Cycling (Sport)"},{"id":5,"label":"Running"}]}}"#
        #expect(try Self.outcome("fittrackee", .prepare, 200, sports) == .next(.send("1")))
        #expect(
            try Self.outcome("fittrackee", .prepare, 200, #"{"data":{"sports":[]}}"#)
                == .refused("FitTrackee has no sport for ride"))
        guard case .form(let parts) = try Self.request("fittrackee", .send("1")).content else {
            Issue.record("no form")
            return
        }
        #expect(parts.first == .text(name: "data", #"{"sport_id":1,"notes":"\#(Self.id)","title":"Way & home"}"#))
        #expect(
            try Self.outcome("fittrackee", .send("1"), 201, #"{"data":{"workouts":[{"id":"Ab2"}]}}"#) == .done("Ab2"))
    }

    @Test func aWebDAVFolderIsMadeOnce() throws {
        #expect(try Self.request("webdav", .send(nil)).url == "https://example.org/folder/2026-05-01_\(Self.id).fit")
        #expect(try Self.request("webdav", .prepare).method == "MKCOL")
        #expect(try Self.outcome("webdav", .send(nil), 201) == .done(nil))
        #expect(try Self.outcome("webdav", .send(nil), 412) == .done(nil))
        #expect(try Self.outcome("webdav", .send(nil), 409) == .next(.prepare))
        #expect(try Self.outcome("webdav", .prepare, 405) == .next(.send(nil)))
        #expect(
            try Self.outcome("webdav", .prepare, 409)
                == .unreachable("the folder above that of Url= does not exist (409)"))
    }

    @Test(arguments: ["intervals", "strava", "fittrackee", "webdav"])
    func everyServiceReadsFailuresAlike(_ word: String) throws {
        let job = Self.job(word)
        let host = Fetcher.host(of: job.settings.address)
        #expect(try Self.outcome(word, .send("1"), 401) == .unauthorised("\(host) refuses the credential (401)"))
        #expect(try Self.outcome(word, .send("1"), 403) == .unauthorised("\(host) refuses the credential (403)"))
        #expect(try Self.outcome(word, .send("1"), 413) == .refused("\(host) does not take the file (413)"))
        #expect(
            try Self.outcome(word, .send("1"), 429, "", ["retry-after": "30"])
                == .later("\(host) limits requests (429)", .seconds(30)))
        #expect(try Self.outcome(word, .send("1"), 500) == .unclear("\(host) has an error (500)"))
        #expect(
            try Self.outcome(word, .send("1"), 503, "", ["retry-after": "7"])
                == .later("\(host) has an error (503)", .seconds(7)))
        #expect(try Self.outcome(word, .send("1"), 404) == .unreachable("\(host) has no such service (404)"))
        #expect(
            try Self.outcome(word, .send("1"), 302) == .unreachable("login page? \(host) redirects to another address"))
        #expect(
            try Self.outcome(word, .send("1"), 200, "<html>") == .unclear("login page? \(host) sends something else"))
        let service = try #require(job.settings.service)
        #expect(
            service.outcome(.failure(.incomplete), of: .send("1"), job, at: job.started)
                == .unclear("the response of \(host) is cut off"))
        #expect(
            service.outcome(.failure(.certificate), of: .send("1"), job, at: job.started)
                == .unreachable("the certificate of \(host) is not valid"))
    }
}
