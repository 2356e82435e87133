import Domain
import Formats
import HTTP

/// Why a search found no route.
enum RouteFailure: Error, Equatable {
    case noResponse(HTTPError, timeout: Duration)
    /// Status 429, with the time of Retry-After.
    case limited(for: Duration?)
    /// Another status than 200, with what the engine says.
    case status(Int, String?)
    case redirected
    /// An HTML page, such as the login page of a network.
    case page
    /// The body does not have the format of the dialect.
    case format(RouteDialect, FileError)
    /// The engine says that there is no route.
    case noRoute(String?)
    /// The route is too far from a requested place.
    case snapped(Place, metres: Double)
    /// The route is longer than the search allows.
    case tooFar(metres: Double)

    enum Place: String {
        case start
        case end = "destination"
        case via = "place on the way"
    }

    /// One word for programs.
    var reason: String {
        switch self {
        case .noResponse(.unresolved, _): "unresolved"
        case .noResponse(.unreachable, _): "unreachable"
        case .noResponse(.timedOut, _): "timeout"
        case .noResponse(.incomplete, _): "cut-off"
        case .noResponse(.tooLong, _): "too-long"
        case .noResponse(.certificate, _), .noResponse(.certificateNotYetValid, _): "certificate"
        case .noResponse(.other, _), .noResponse(.unsent, _): "other"
        case .limited: "limited"
        case .status(500..., _): "server-error"
        case .status: "rejected"
        case .redirected: "redirected"
        case .page: "page"
        case .format: "format"
        case .noRoute: "no-route"
        case .snapped: "outside-map"
        case .tooFar: "too-far"
        }
    }

    /// A line for users.
    func text(_ host: String) -> String {
        let engine = "the route engine at \(host)"
        return switch self {
        case .noResponse(.unresolved, _): "no network: cannot resolve \(host); a local route engine needs none"
        case .noResponse(.unreachable, _): "cannot connect to \(engine): start it, or name another one with --engine"
        case .noResponse(.timedOut, let timeout):
            "\(engine) does not respond within \(timeout.wholeMilliseconds / 1000) s; try a nearer destination"
        case .noResponse(.incomplete, _): "the response of \(engine) is cut off; try again"
        case .noResponse(.tooLong, _): "the response of \(engine) has more than \(RouteAnswer.sizeLimit >> 10) KiB"
        case .noResponse(.certificateNotYetValid, _):
            "clock not set? the certificate of \(host) is not valid yet"
        case .noResponse(.certificate, _):
            "the certificate of \(host) is not valid; name its authority in paced-net.conf (Authorities=)"
        case .noResponse(.other(let text), _): "\(engine): \(text)"
        case .noResponse(.unsent(let error), let timeout): RouteFailure.noResponse(error, timeout: timeout).text(host)
        case .limited(let duration?):
            "\(engine) limits requests; try again in \((duration.wholeMilliseconds + 999) / 1000) s"
        case .limited(nil): "\(engine) limits requests; try again later"
        case .status(500..., let words): "\(engine) has an error" + Self.quoted(words) + "; see its log"
        case .status(let status, let words):
            "\(engine) rejects the request" + (Self.quoted(words ?? "status \(status)"))
        case .redirected: "\(host) redirects to another address: a login page, or a wrong address of the route engine"
        case .page: "\(host) sends a page for people: a login page, or no route engine"
        case .format(let dialect, let error):
            "\(host) does not answer as \(dialect.title) does (\(error)); name the engine, such as valhalla+http://…"
        case .noRoute(let words): "\(engine) finds no route" + Self.quoted(words)
        case .snapped(let place, let metres):
            "the nearest road or path to the \(place.rawValue) is \(Self.distance(metres)) away: "
                + "the map of \(engine) does not cover it"
        case .tooFar(let metres):
            "the route is \(Self.distance(metres)) long, more than \(Self.distance(RouteAnswer.lengthLimit)): "
                + "name a nearer destination"
        }
    }

    private static func quoted(_ words: String?) -> String { words.map { " (\($0))" } ?? "" }

    private static func distance(_ metres: Double) -> String {
        metres < 1000
            ? "\(Int(metres)) m" : (DecimalFormat.text(metres / 1000, decimals: 1) ?? "many") + " km"
    }
}
