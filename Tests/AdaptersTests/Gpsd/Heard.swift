import Adapters
import Domain
import Linux
import Testing

/// A client of gpsd, and what it reported.
final class Heard {
    private(set) var fixes: [Fix] = []
    private(set) var links: [LinkStatus] = []
    private var client: GpsdClient?
    /// When something happened, for what is measured.
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
