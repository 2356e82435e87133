package import Domain

/// Why a fetch failed, and when the next one may start.
package struct FetchFailure: Error, Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        case noResponse(HTTPError)
        /// A status other than 200, 204 and 304.
        case status(Int)
        /// A redirection to a host, such as the login page of a network.
        case redirected(toHost: String)
        /// A body of another format, such as a page for people.
        case unexpectedContent
        /// The fetch did not start: too many in the last hour. A fetch that does not start because an earlier one failed
        /// has the cause of that one.
        case limited
        /// The fetch did not start: too many wait for the host.
        case busy

        /// Whether other addresses of the host may respond all the same.
        package var isOfAddress: Bool {
            switch self {
            case .status(let status): (400..<500).contains(status) && status != 429
            case .unexpectedContent: true
            default: false
            }
        }
    }

    package var cause: Cause
    package var host: String
    package var retryAt: Instant

    package init(_ cause: Cause, host: String, retryAt: Instant) {
        self.cause = cause
        self.host = host
        self.retryAt = retryAt
    }
}

extension FetchFailure: CustomStringConvertible {
    /// A reason for users, at most 64 Unicode scalars.
    package var description: String { Self.shortened(text, 64) }

    private static func shortened(_ text: String, _ limit: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= limit ? text : String(scalars.prefix(limit - 1)) + "…"
    }

    private var text: String {
        let host = Self.shortened(host, 22)
        return switch cause {
        case .noResponse(.unresolved): "no network: cannot resolve \(host)"
        case .noResponse(.unreachable): "cannot connect to \(host)"
        case .noResponse(.timedOut): "\(host) does not respond in time"
        case .noResponse(.certificateNotYetValid): "clock not set? \(host): certificate not valid yet"
        case .noResponse(.certificate): "the certificate of \(host) is not valid"
        case .noResponse(.tooLong): "the response of \(host) is too long"
        case .noResponse(.incomplete): "the response of \(host) is cut off"
        case .noResponse(.other(let text)): "\(host): \(text)"
        case .noResponse(.unsent(let error)): FetchFailure(.noResponse(error), host: host, retryAt: retryAt).text
        case .status(403): "\(host) refuses requests (403)"
        case .status(404), .status(410): "\(host) has no such service (\(status))"
        case .status(429): "\(host) limits requests (429)"
        case .status(500...): "\(host) has an error (\(status))"
        case .status: "\(host) rejects the request (\(status))"
        case .redirected(let other): "login page? \(host) redirects to \(other)"
        case .unexpectedContent: "login page? \(host) sends something else"
        case .limited: "waiting: enough requests to \(host)"
        case .busy: "too many requests wait for \(host)"
        }
    }

    private var status: Int {
        if case .status(let status) = cause { status } else { 0 }
    }
}
