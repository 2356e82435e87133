package import Domain
package import HTTP
package import JSONCoding

/// A kind of service: what it needs, how it is asked, and what its answers mean. One row of ``all``.
///
/// Source: docs/link.md.
package struct UploadService: Sendable {
    /// A key of the configuration that the service needs.
    package enum Need: String, Sendable {
        case url = "Url"
        case user = "User"
        case client = "ClientId"
        case path = "Path"
    }

    /// How a request shows who it is from.
    package enum Access: Sendable {
        /// A directory has no requests.
        case none
        /// By Basic authentication, with the credential as password.
        case password(user: @Sendable (UploadSettings) -> String)
        /// By a token of OAuth 2, for which the credential is the secret of the client.
        case token(OAuth)
    }

    /// A request of an upload.
    package enum Step: Equatable, Sendable {
        /// Asks whether the service has the activity.
        case look
        /// What must be there or known before the file is sent.
        case prepare
        /// Sends the file, with what the preparation has found out.
        case send(String?)
        /// Asks how far the service is with an upload.
        case poll(String)
    }

    /// What an answer means.
    package enum Outcome: Equatable, Sendable {
        case next(Step)
        /// The service has the activity, under a name if it tells one.
        case done(String?)
        /// The service has the file and works on it.
        case processing(String)
        /// The service does not take this file.
        case refused(String)
        /// Nobody knows whether the service has the file.
        case unclear(String)
        /// The file could not be made. Nothing was sent.
        case failed(String)
        /// The service cannot be reached, or is another one. Nothing was sent.
        case unreachable(String)
        /// The service asks for a pause.
        case later(String, Duration)
        /// The service does not accept the credential.
        case unauthorised(String)

        /// Why it did not succeed; empty if it did.
        package var reason: String {
            switch self {
            case .refused(let reason), .unclear(let reason), .failed(let reason), .unreachable(let reason),
                .later(let reason, _), .unauthorised(let reason):
                reason
            case .next, .done, .processing: ""
            }
        }
    }

    package let word: String
    /// The address without Url=; nil where there is none.
    package let url: String?
    package let needs: [Need]
    package let access: Access
    package let first: Step
    /// Whether a file whose fate is unclear may be sent again: the service is asked first, or refuses a second one.
    package let isRepeatable: Bool
    package let request: @Sendable (Step, UploadJob) -> OutgoingRequest
    /// The meaning of an answer with a status of 200 to 299, and of others that are special; nil for the usual one.
    package let outcome: @Sendable (Step, Answer, UploadJob) -> Outcome?
    /// The page of an activity; nil if there is none.
    package let page: @Sendable (String, UploadSettings) -> String?

    package struct Answer: Sendable {
        package let status: Int
        /// Nil for a body of another format.
        package let json: JSON?
    }

    package init(
        _ word: String, url: String? = nil, needs: [Need] = [], access: Access, first: Step, isRepeatable: Bool = true,
        page: @escaping @Sendable (String, UploadSettings) -> String? = { _, _ in nil },
        request: @escaping @Sendable (Step, UploadJob) -> OutgoingRequest,
        outcome: @escaping @Sendable (Step, Answer, UploadJob) -> Outcome?
    ) {
        self.word = word
        self.url = url
        self.needs = needs
        self.access = access
        self.first = first
        self.isRepeatable = isRepeatable
        self.page = page
        self.request = request
        self.outcome = outcome
    }
}

/// An activity on its way to a service.
package struct UploadJob: Sendable {
    package let settings: UploadSettings
    /// The uuid of the activity, or one that is derived from it where the start is hidden.
    package let id: UUID
    package let name: SanitizedText?
    package let sport: Sport
    package let started: UTC
    /// The FIT file.
    package let file: String

    package init(settings: UploadSettings, id: UUID, name: SanitizedText?, sport: Sport, started: UTC, file: String) {
        self.settings = settings
        self.id = id
        self.name = name
        self.sport = sport
        self.started = started
        self.file = file
    }

    /// The name of the file at the service.
    package var fileName: String { "\(Self.day(started))_\(id).fit" }

    /// The day of a time (UTC), such as 2026-03-01.
    static func day(_ time: UTC) -> String {
        var text: [UInt8] = []
        text.append(time.fields)
        return String(decoding: text.prefix(10), as: UTF8.self)
    }

    var filePart: OutgoingRequest.FormPart {
        .file(name: "file", path: file, fileName: fileName, type: "application/vnd.ant.fit")
    }

    func request(
        _ path: String, content: OutgoingRequest.Content? = nil, method: String? = nil, headers: [String] = []
    ) -> OutgoingRequest {
        var request = OutgoingRequest(
            url: settings.address + path, headers: headers + ["Accept: application/json", "Expect:"], content: content,
            method: method, bodyLimit: 1024 * 1024, timeout: settings.timeout)
        request.isUnique = content != nil
        return request
    }
}

extension UploadService {
    /// The meaning of a response or of its absence, for a step.
    package func outcome(
        _ result: Result<HTTPResponse, HTTPError>, of step: Step, _ job: UploadJob, at time: UTC
    ) -> Outcome {
        let host = Fetcher.host(of: job.settings.address)
        func failure(_ cause: FetchFailure.Cause) -> String {
            FetchFailure(cause, host: host, retryAt: Instant(nanoseconds: 0)).description
        }
        switch result {
        case .failure(let error):
            switch error {
            case .unresolved, .unreachable, .unsent, .certificate, .certificateNotYetValid:
                return .unreachable(failure(.noResponse(error)))
            case .timedOut, .tooLong, .incomplete, .other: return .unclear(failure(.noResponse(error)))
            }
        case .success(let response):
            let answer = Answer(status: response.status, json: try? JSON(parsing: response.body))
            if let outcome = outcome(step, answer, job) { return outcome }
            return switch response.status {
            case 200..<300: .unclear(failure(.unexpectedContent))
            case 300..<400:
                .unreachable(
                    failure(.redirected(toHost: response.redirection.map(Fetcher.host) ?? "another address")))
            case 401, 403:
                .unauthorised(
                    Self.words(answer).map { "\(host) refuses the credential (\(response.status)): \($0)" }
                        ?? "\(host) refuses the credential (\(response.status))")
            case 404, 405, 410: .unreachable("\(host) has no such service (\(response.status))")
            // 423: locked, as while a file is scanned for viruses; 425: too early.
            case 408, 409, 423, 425: .unclear(failure(.status(response.status)))
            case 429: .later(failure(.status(429)), response.retryAfter(at: time) ?? Self.quarterHour(after: time))
            case 400..<500:
                .refused(
                    Self.words(answer).map { "\(host) does not take the file (\(response.status)): \($0)" }
                        ?? "\(host) does not take the file (\(response.status))")
            case 503 where response.retryAfter(at: time) != nil:
                .later(failure(.status(503)), response.retryAfter(at: time) ?? .zero)
            default: .unclear(failure(.status(response.status)))
            }
        }
    }

    /// The time to the next quarter of an hour, at which Strava counts anew, and 5 s.
    private static func quarterHour(after time: UTC) -> Duration {
        .milliseconds(900_000 - time.milliseconds % 900_000 + 5000)
    }

    /// What a service says of a failure; nil if it says nothing.
    private static func words(_ answer: Answer) -> String? {
        var words = ["message", "error", "detail"].compactMap { answer.json?[$0]?.string }
        // As Strava has them.
        if let error = answer.json?["errors"]?.array?.first {
            words += ["resource", "field", "code"].compactMap { error[$0]?.string }
        }
        return SanitizedText.line(words.joined(separator: " "), limit: 128)
    }
}
