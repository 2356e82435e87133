import Client
import Domain
import JSONCoding
import Linux
import Storage

extension Command {
    static let device = [
        Command("device", "show the uuid and the name of this board", run: { try $0.device() }),
        Command(
            "device name", words: [.some("NAME", "a name, or '' for none")], "name this board, such as Anna's bike",
            read: { arguments in arguments.words.joined(separator: " ") }, run: { try $0.renameDevice($1) }),
        Command(
            "device keep", "keep the uuid: the disk has moved to this machine, and no other board has it",
            run: { try $0.changeDevice("device.keep") }),
        Command(
            "device new", "give this board another uuid: its disk is a copy of that of another board",
            run: { try $0.changeDevice("device.new") }),
    ]
}

extension Invocation {
    /// Prints the device of the daemon, or that of the state directory while no daemon runs.
    fileprivate func device() throws(Failure) -> String {
        if stateDirectory == nil, let runs = try? Connection(to: RuntimeDirectory(runtimeDirectory).stateSocket) {
            guard case .line(let line) = runs.line(by: Clock.now() + Connection.connectTimeout),
                let json = try? JSON(parsing: line)
            else { throw .unreachable("paced does not respond at \(runs.path); see its log") }
            if let failure = Failure(version: json) { throw failure }
            guard let device = json["device"] else {
                throw .failed("this paced has no name: the demo and a replay have none, else see its log")
            }
            return try text(of: device)
        }
        let directory = StateDirectory(stateDirectory).path
        do {
            guard let device = try DeviceFile(in: directory).read(isOwn: false) else {
                throw DeviceFile.Failure.absent(path: directory + "/" + DeviceFile.name)
            }
            return text(of: device.uuid, device.name?.text)
        } catch {
            throw .failed("\(error)")
        }
    }

    fileprivate func renameDevice(_ name: String) throws(Failure) -> String {
        var parameters = JSONWriter()
        parameters.object { line in
            if name.isEmpty {
                line.key("name")
                line.null()
            } else {
                line.member("name", name)
            }
        }
        return try changeDevice("device.rename", String(decoding: parameters.bytes, as: UTF8.self))
    }

    /// - Returns: the text to print.
    fileprivate func changeDevice(_ method: String, _ parameters: String = "{}") throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call(method, parameters)
        return try text(of: (try? JSON(parsing: result.utf8)) ?? .null)
    }

    /// - Parameter device: an object of the protocol.
    private func text(of device: JSON) throws(Failure) -> String {
        guard let uuid = device["uuid"]?.string.flatMap({ UUID($0) }) else {
            throw .failed("the response of paced has no uuid of the device")
        }
        return text(of: uuid, device["name"]?.harmlessText())
    }

    private func text(of uuid: UUID, _ name: String?) -> String {
        if isJSON {
            var line = JSONWriter()
            line.object {
                $0.member("uuid", uuid)
                $0.member("name", name)
            }
            line.newline()
            return String(decoding: line.bytes, as: UTF8.self)
        }
        return name.map { "\($0)\n\(uuid)\n" } ?? "\(uuid)\n(no name: 'pacectl device name NAME' gives one)\n"
    }
}
