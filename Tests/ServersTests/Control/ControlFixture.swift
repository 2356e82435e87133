import Domain
import Linux
import Servers
import TestKit
import Testing
import Wire

/// A control server whose daemon has settings and records its requests.
final class ControlFixture {
    let directory = TemporaryDirectory()
    let loop = try! EventLoop()
    var server: ControlServer!
    var asked: [ControlRequest] = []
    var peers: [PeerCredentials] = []
    var settings = Settings()
    var isScanning = false
    /// Runs while a request is executed.
    var meanwhile: () -> Void = {}
    var path: String { directory.path + "/control.sock" }

    init(limits: ClientLimits = ClientLimits(total: 32, perUser: 32), stallLimit: Duration = .seconds(30)) throws {
        let methods = ControlServer.Service(ControlRequest.table) { [unowned self] call, peer, _ in
            let request = call.request
            asked.append(request)
            peers.append(peer)
            meanwhile()
            if case .scan = request {
                if isScanning { return .now(.failure(.busy("a scan is on"))) }
                isScanning = true
                return .later(5)
            }
            if case .pair = request { return .later(6) }
            if case .activities = request { return .later(7) }
            if case .upload = request { return .later(8) }
            return .now(answer(request))
        }
        server = try ControlServer(
            socket: UnixSocket.listen(at: directory.path + "/control.sock"), methods, loop: loop, limits: limits,
            stallLimit: stallLimit)
    }

    private func answer(_ request: ControlRequest) -> Result<ControlResult, RPCError> {
        switch request {
        case .run(.start): return .success(.activity(17))
        case .run(.stop), .run(.discard): return .success(.summary(.example))
        case .run(.resume): return .failure(.notInThisState(CommandRejection(command: "resume", state: .idle)))
        case .startAtPosition: return .success(.waiting)
        case .run: return .success(.run(.paused, elapsedMilliseconds: 12_300))
        case .status: return .success(.state(.example, sequence: 9))
        case .settings: return .success(.settings(settings))
        case .setting(let key): return .success(.setting(key, settings))
        case .change(let change):
            do throws(RPCError) {
                try change.apply(to: &settings)
                return .success(.setting(change.key, settings))
            } catch {
                return .failure(error)
            }
        case .reset(let key): return .success(.setting(key, Settings()))
        case .presentDevice: return .failure(.unavailable("this paced has no name"))
        case .scan, .pair, .zero, .activities, .upload, .device, .lookUp:
            return .failure(.busy("unreachable: it is answered later"))
        case .courses: return .success(.courses([], loaded: nil))
        case .use: return .success(.link(LinkStatus(.disconnected, reason: .searching)))
        case .forget: return .success(.done)
        }
    }

    func client() throws -> SocketClient {
        let client = try SocketClient(path)
        loop.settle()
        return client
    }

    func ask(_ method: String, _ parameters: String? = nil) throws -> String {
        let client = try client()
        client.send(
            #"{"jsonrpc":"2.0","method":"\#(method)"\#(parameters.map { ",\"params\":" + $0 } ?? ""),"id":1}"# + "\n")
        loop.settle()
        return try #require(client.lines().first)
    }
}
