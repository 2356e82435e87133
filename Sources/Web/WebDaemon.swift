import Domain
import Glibc
import HTTPServer
import Linux
import Program
import SQLite
import Servers
import Tiles
import Wire

/// `paced-web`: serves the web page of paced. It is a client of the sockets of paced and paced-net, and signs browsers in
/// on code.sock and admin.sock.
package final class WebDaemon {
    private static let socketNames = ["code", "admin"]
    private static let internetName = "http"
    private static let defaultAddress = ListenAddress(host: "127.0.0.1", port: 8080)

    private let loop: EventLoop
    private let access: AccessService
    private let server: WebServer
    private var plain: HTTPServer?
    private var encrypted: HTTPServer?
    private var listeners: [Listener] = []
    private var controls: [ControlServer] = []

    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        WebOptions.description.main(arguments, start: start)
    }

    private static func log(_ level: LogLevel, _ text: String) {
        level.write(text, of: "paced-web")
    }

    /// Three of each of 96 connections, which may be uploads, and 200 for sockets, streams, requests, programs and their output.
    private static let leastDescriptors: Int32 = 488

    private static func start(_ options: WebOptions) throws -> Int32 {
        try requireDescriptors(of: "paced-web", least: leastDescriptors, most: 1024)
        let configuration = try WebConfiguration.read(options.configuration)
        let certificate = try certificate(of: configuration)
        let service = try ServiceLoop()
        let handed = try ProgramSockets.handed(socketNames, internet: internetName, to: "paced-web")
        if !handed.internet.isEmpty, !options.addresses.isEmpty {
            throw UsageError(
                line: "--listen and the sockets of systemd exclude each other: name addresses in paced-web.socket")
        }
        let directories = try WebDirectories(options, hasSockets: !handed.numbers.isEmpty, .current)
        try prepareDirectory(directories.state, option: "--state-dir")
        var sockets = try ProgramSockets(socketNames, handed.numbers, in: directories.runtime, of: "paced-web")
        for line in sockets.hardLinks { log(.warning, line) }
        let daemon = try WebDaemon(
            configuration, certificate, options, directories, handed.internet, &sockets, loop: service.loop)
        let status = try service.run()
        for control in daemon.controls { control.close() }
        daemon.access.finish()
        sockets.close()
        log(.notice, "stopped")
        return status
    }

    private static func certificate(of configuration: WebConfiguration) throws(StartFailure) -> HTTPServer.Certificate?
    {
        guard let chain = configuration.certificate, let key = configuration.key else { return nil }
        func text(_ path: String) throws(StartFailure) -> String {
            do throws(SystemError) {
                let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: 256 * 1024)
                guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
                    throw SystemError("read", code: EINVAL)
                }
                return text
            } catch {
                throw StartFailure(
                    line: "cannot read \(path): \(error); it must be a file in PEM format that paced-web may read")
            }
        }
        return HTTPServer.Certificate(chain: try text(chain), key: try text(key))
    }

    /// The map of `Tiles=`, else the one that `pacectl map import` makes, now or later.
    private static func tiles(
        _ configuration: WebConfiguration, in directory: String?
    ) throws(StartFailure) -> CurrentTiles? {
        guard let path = configuration.tiles else {
            return directory.map { CurrentTiles($0 + "/" + TileFile.fileName) }
        }
        let tiles = CurrentTiles(path)
        do throws(SQLiteError) {
            guard try tiles.refreshed() != nil else { throw SQLiteError(rejecting: "there is no file") }
            return tiles
        } catch {
            throw StartFailure(line: "cannot read \(path): \(error); Tiles= must name a file of tiles (MBTiles)")
        }
    }

    private init(
        _ configuration: WebConfiguration, _ certificate: HTTPServer.Certificate?, _ options: WebOptions,
        _ directories: WebDirectories, _ handed: [Int32], _ sockets: inout ProgramSockets, loop: EventLoop
    ) throws {
        self.loop = loop
        UploadDirectory.removeAbandoned(in: directories.places.temporary)
        access = try AccessService(
            TokenFile(in: directories.state), loop: loop, places: directories.places, log: Self.log)
        let pages: PageFiles
        do throws(SystemError) {
            pages = try PageFiles(in: directories.pages)
        } catch {
            throw StartFailure(line: "there are no pages in \(directories.pages): \(error); give another --page-dir")
        }
        let own = Machine.hostName.lowercased()
        let rules = RequestRules(names: configuration.names + [own, own + ".local"], plain: configuration.plain)
        server = WebServer(
            loop: loop, rules, pages, access, directories.places,
            tiles: try Self.tiles(configuration, in: directories.maps), log: Self.log)
        let handler: HTTPServer.Decide = { [server] in server.decide($0) }
        plain = try HTTPServer(loop: loop, headers: PageFiles.headers, handler: handler)
        if let certificate {
            do throws(SystemError) {
                encrypted = try HTTPServer(
                    loop: loop, certificate: certificate, headers: PageFiles.headers, handler: handler)
            } catch {
                throw StartFailure(
                    line: "the certificate or its key is no valid PEM file: correct Certificate= and CertificateKey=")
            }
        }
        access.ended = { [unowned self] tokens in
            plain?.end(clients: tokens)
            encrypted?.end(clients: tokens)
        }
        server.connectionCount = { [unowned self] in
            (plain?.connectionCount ?? 0) + (encrypted?.connectionCount ?? 0)
        }
        let addresses = try listen(options, handed)
        access.addresses =
            PageAddresses(
                listening: addresses, isEncrypted: certificate != nil, names: configuration.names, host: own
            ).list
        var paths: [AccessScope: String] = [:]
        for name in Self.socketNames {
            let isAdmin = name == "admin"
            let methods = ControlServer.Service(isAdmin ? WebRequest.adminTable : WebRequest.codeTable) {
                [access] call, peer, _ in .now(access.answer(call.request, of: peer.user))
            }
            // Systemd may pass one of the two only.
            guard let socket = try sockets.listen(name) else { continue }
            if let path = UnixSocket.path(of: socket) { paths[isAdmin ? .control : .watch] = path }
            controls.append(
                try ControlServer(
                    socket: socket, methods, loop: loop, spareDescriptors: ClientLimits.othersSpareDescriptors))
        }
        access.isMember = { [paths] user, scope in paths[scope].map { User.mayWrite($0, user) } ?? false }
        Self.log(.notice, "paced-web \(Release.version) serves \(addresses.map(\.text).joined(separator: ", "))")
    }

    /// Listens for browsers.
    ///
    /// - Returns: the addresses.
    private func listen(_ options: WebOptions, _ handed: [Int32]) throws -> [ListenAddress] {
        var addresses: [ListenAddress] = []
        func serve(_ socket: consuming FileDescriptor) throws(SystemError) {
            guard let address = TCPSocket.address(of: socket) else { throw SystemError("getsockname", code: EINVAL) }
            addresses.append(ListenAddress(host: address.host, port: address.port))
            listeners.append(
                try Listener(socket, loop: loop, accepted: { [unowned self] in accept($0) }, refused: { _ in }))
        }
        for number in handed { try serve(FileDescriptor(owning: number)) }
        if !addresses.isEmpty { return addresses }
        for address in options.addresses.isEmpty ? [Self.defaultAddress] : options.addresses {
            do throws(SystemError) {
                try serve(TCPSocket.listen(host: address.host, port: address.port))
            } catch {
                throw StartFailure(line: "cannot listen at \(address.text): \(error); give another --listen")
            }
        }
        return addresses
    }

    /// Browsers of other machines speak TLS if there is a certificate; those of this machine need none.
    private func accept(_ socket: consuming FileDescriptor) {
        if let encrypted, !TCPSocket.isFromThisMachine(socket) { return encrypted.add(socket) }
        plain?.add(socket)
    }
}
