import Domain
import Gnss
import Linux
import Testing

/// A gpsd client and its reports.
final class Heard {
    private(set) var fixes: [Fix] = []
    private(set) var links: [LinkStatus] = []
    private(set) var client: GpsdClient?
    /// The time of an event to measure.
    var moment = Instant(nanoseconds: 0)

    var link: LinkStatus? { links.last }

    func listen(host: String?, port: UInt16, device: String? = nil, loop: EventLoop) throws {
        client = try GpsdClient(host: host, port: port, device: device, loop: loop) { [unowned self] input in
            switch input {
            case .fix(let fix): fixes.append(fix)
            case .gpsdLink(let link): links.append(link)
            default: Issue.record("unexpected \(input)")
            }
        }
    }
}
