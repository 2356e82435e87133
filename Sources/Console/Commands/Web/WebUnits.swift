import Domain
import Glibc
import Linux

extension Command {
    /// Those of `web` that change units of systemd.
    static let units = [
        command(
            "web open", words: [.optional("ADDRESS")], options: [Options.certificate, Options.key],
            "open the page to a network, as root; ADDRESS is numeric, with or without a port: 0.0.0.0:8080",
            read: { arguments in
                .open(
                    try PageOpening(
                        arguments.words.first, certificate: arguments[Options.certificate], key: arguments[Options.key])
                )
            }),
        command("web close", "only this machine reaches the page, as root", read: { _ in .close }),
        command(
            "web control", words: [.one("on|off", "on or off", .words(["on", "off"]))],
            "whether browsers may command, as root",
            read: { arguments in
                switch arguments.words[0] {
                case "on": return .control(true)
                case "off": return .control(false)
                default: throw Failure.usage("web control needs on or off")
                }
            }),
    ]

    private static func command(
        _ name: String, words arguments: [CommandArgument] = [], options: [any CommandOptionRow] = [], _ text: String,
        read: @escaping @Sendable (Arguments) throws -> WebUnits.Change
    ) -> Command {
        Command(
            name, words: arguments, options: options, others: [Options.webDirectory], text,
            read: { WebUnits(change: try read($0)) },
            run: { try $1.perform(isJSON: $0.isJSON) })
    }
}

extension Options {
    fileprivate static let certificate = CommandOption.text(
        "--certificate", "FILE", "of the page, in PEM format", needs: "a file in PEM format", .files)
    fileprivate static let key = CommandOption.text(
        "--key", "FILE", "of the certificate, in PEM format", needs: "a file in PEM format", .files)
}

/// `pacectl web open`, `close` and `control`: changes paced-web under systemd by drop-ins, as root.
package struct WebUnits: Equatable {
    enum Change: Equatable {
        case open(PageOpening)
        case close
        case control(Bool)
    }

    var change: Change

    private static let socket = "paced-web.socket"
    private static let service = "paced-web.service"

    /// - Returns: the text to print.
    func perform(isJSON: Bool) throws(Failure) -> String {
        try checkMachine()
        switch change {
        case .open(let opening):
            let dropIns = opening.dropIns(allowsPlain: Self.configurationAllowsOthers())
            try apply(dropIns, in: DropIn.Place.ofOpening, restarting: [Self.socket, Self.service], startsIt: true)
            return try text(of: opening, isJSON: isJSON)
        case .close:
            try apply([], in: DropIn.Place.ofOpening, restarting: [Self.socket, Self.service])
            let others = Self.listenStreams().filter { $0.file.has(".socket.d/") }
            if others.isEmpty { return "Only browsers of this machine reach the page now\n" }
            return others.map { "\($0.place) is not of pacectl, and still listens at \($0.value)\n" }.joined()
        case .control(true):
            try apply(
                [
                    DropIn(
                        .control,
                        "[Service]\nSupplementaryGroups=paced-control\nReadWritePaths=-/var/lib/paced-maps\n")
                ], in: [.control],
                restarting: [Self.service])
            return "A browser with a code of 'pacectl web code --control' can command now\n"
        case .control(false):
            try apply([], in: [.control], restarting: [Self.service])
            let byHand = "/etc/systemd/system/paced-web.service.d/paced-web-control.conf"
            if access(byHand, F_OK) == 0 { return "\(byHand) is not of pacectl, and still lets browsers command\n" }
            return "Browsers only watch now\n"
        }
    }

    private func checkMachine() throws(Failure) {
        guard access("/run/systemd/system", F_OK) == 0 else {
            throw .failed(
                "systemd does not run here: name the addresses to paced-web, such as paced-web --listen 0.0.0.0:8080")
        }
        guard geteuid() == 0 else {
            throw .failed("this changes units of systemd: call it with sudo")
        }
        guard Self.show(["LoadState"], of: Self.socket)["LoadState"] == "loaded" else {
            throw .failed("paced-web is not installed: sudo apt install paced-web, or its .deb file")
        }
    }

    /// Replaces our files in these places, and restarts the units with them. If they fail, all is as before.
    private func apply(
        _ dropIns: [DropIn], in places: [DropIn.Place], restarting units: [String], startsIt: Bool = false
    ) throws(Failure) {
        var before: [DropIn] = []
        for place in places { if let dropIn = try DropIn.read(place) { before.append(dropIn) } }
        try Self.replace(places, with: dropIns)
        let verb = startsIt ? "restart" : "try-restart"
        if try Self.systemctl(["daemon-reload"]), try Self.systemctl([verb] + units) {
            if startsIt { _ = try Self.systemctl(["--quiet", "enable", Self.service]) }
            return
        }
        try Self.replace(places, with: before)
        _ = try Self.systemctl(["daemon-reload"])
        _ = try Self.systemctl(["try-restart"] + units)
        throw .failed(
            "paced-web does not start with this, and all is as before; why: journalctl -n 20 -u \(Self.socket) -u \(Self.service)"
        )
    }

    private static func replace(_ places: [DropIn.Place], with dropIns: [DropIn]) throws(Failure) {
        for place in places where !dropIns.contains(where: { $0.place == place }) { DropIn.remove(place) }
        for dropIn in dropIns { try dropIn.write() }
    }

    /// Whether paced-web.conf has a certificate, or allows plain HTTP.
    private static func configurationAllowsOthers() -> Bool {
        let assignments = (try? ConfigurationFile.read("/etc/paced/paced-web.conf")) ?? []
        return assignments.contains {
            $0.key == "Certificate" && !$0.value.isEmpty
                || $0.key == "AllowPlain" && ["live", "all"].contains($0.value)
        }
    }

    private func text(of opening: PageOpening, isJSON: Bool) throws(Failure) -> String {
        let code = try WebCommand().perform(isJSON: isJSON)
        if isJSON { return code }
        let isEncrypted = opening.certificate != nil || code.has("https://")
        return "paced-web listens at \(opening.address), now and after each boot; 'pacectl web close' ends that.\n\n"
            + code + (isEncrypted ? "" : Self.costOfPlainHTTP)
    }

    private static let costOfPlainHTTP = """

        Plain HTTP: everybody in the same network can read your position and your heart rate, and the screen of
        the phone goes dark by its own timeout. Browsers of other machines get what AllowPlain= allows, by
        default the live page. With a certificate: web open --certificate FILE --key FILE

        """

    /// The addresses of the page's socket, by its files.
    static func listenStreams() -> [ListenStream] {
        let properties = show(["FragmentPath", "DropInPaths"], of: socket)
        let paths =
            [properties["FragmentPath"] ?? ""]
            + (properties["DropInPaths"] ?? "").split(separator: " ").map(String.init)
        return ListenStream.list(
            of: paths.compactMap { path in
                guard let file = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK) else { return nil }
                return (path, file.readText(limit: 64 * 1024))
            })
    }

    /// The properties of a unit; empty if systemd does not answer.
    private static func show(_ names: [String], of unit: String) -> [String: String] {
        let text = Subprocess.output(
            ["systemctl", "show", "--no-pager", "-p", names.joined(separator: ","), unit], within: .seconds(10))
        var properties: [String: String] = [:]
        for line in (text ?? "").split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return properties
    }

    /// Runs systemctl, whose errors the user sees.
    ///
    /// - Returns: whether it succeeded.
    private static func systemctl(_ words: [String]) throws(Failure) -> Bool {
        do throws(SystemError) {
            return try PipedProcess(["systemctl"] + words).wait() == 0
        } catch {
            throw .failed("cannot start systemctl: \(error)")
        }
    }
}
