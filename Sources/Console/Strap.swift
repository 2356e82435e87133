import Domain
import Glibc
import JSONCoding
import Sensors

extension Invocation {
    /// Commands about straps.
    enum StrapCommand: Equatable {
        case status, auto, off
        case use(String, isAdded: Bool)
        case pair(String)
        /// Nil means all.
        case forget(String?)

        init(_ words: [String], isAdded: Bool) throws(Failure) {
            switch (words.first, words.count) {
            case (nil, _), ("status", 1): self = .status
            case ("auto", 1): self = .auto
            case ("off", 1): self = .off
            case ("use", 2): self = .use(words[1], isAdded: isAdded)
            case ("pair", 2): self = .pair(words[1])
            case ("forget", 1): self = .forget(nil)
            case ("forget", 2): self = .forget(words[1])
            default:
                throw .usage(
                    "use 'strap status', 'strap use STRAP', 'strap auto', 'strap off', 'strap pair STRAP' or "
                        + "'strap forget [STRAP]'")
            }
        }
    }

    /// - Returns: the text to print.
    func perform(_ command: StrapCommand) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        switch command {
        case .status: return try strapStatus(&control)
        case .auto:
            return try use(
                #""strap":"auto""#, "Selected: the known strap, or the one in range", &control)
        case .off: return try use(#""strap":"off""#, "Straps are switched off", &control)
        case .use(let strap, let isAdded):
            let members = "\"strap\":\(JSONText.string(strap))" + (isAdded ? #","add":true"# : "")
            return try use(
                members, (harmless(strap, limit: 64) ?? "") + (isAdded ? " is added" : " is selected"), &control)
        case .pair(let strap): return try pair(strap, &control)
        case .forget(let strap):
            let result = try control.call("strap.forget", strap.map { "{\"strap\":\(JSONText.string($0))}" } ?? "{}")
            if isJSON { return result + "\n" }
            return (strap.flatMap { harmless($0, limit: 64) }.map { "Forgotten: " + $0 } ?? "All straps are forgotten")
                + ".\n"
        }
    }

    private func use(_ members: String, _ words: String, _ control: inout ControlClient) throws(Failure) -> String {
        let result = try control.call("strap.use", "{" + members + "}")
        return isJSON ? result + "\n" : words + ".\n"
    }

    /// Pairing may take a minute, so the instructions are printed first.
    private func pair(_ strap: String, _ control: inout ControlClient) throws(Failure) -> String {
        let name = harmless(strap, limit: 64) ?? ""
        if !isJSON, isatty(STDOUT_FILENO) == 1 {
            try writeOut("Pairing with \(name), for a minute at most: put it on and keep it near.\n")
        }
        let result = try control.call(
            "strap.pair", "{\"strap\":\(JSONText.string(strap))}", lasting: PairingResult.limit)
        if isJSON { return result + "\n" }
        return name + " is paired. If it is not selected yet, select it with 'pacectl strap use'.\n"
    }

    private func strapStatus(_ control: inout ControlClient) throws(Failure) -> String {
        let straps = try control.call("settings.get", #"{"key":"straps"}"#)
        let state = try control.call("status")
        if isJSON {
            let members = JSONText.members(of: state).filter { ["heart", "bluetooth", "faults"].contains($0.name) }
            return "{\"straps\":\(straps)" + members.map { ",\"\($0.name)\":\($0.value)" }.joined() + "}\n"
        }
        guard let json = try? JSON(parsing: state.utf8), let line = StateLine(json) else {
            throw .failed("the STATE from paced is invalid")
        }
        let selected = (try? JSON(parsing: straps.utf8))?.array?.compactMap { $0.harmlessText() } ?? []
        var rows = [("Strap", StatusText(metric: true).strap(line))]
        if line.heart.link.reason == LinkReason.ambiguous.rawValue, let names = line.heart.link.name {
            rows.append(("In range", names + "; 'pacectl strap use STRAP' selects one"))
        }
        rows.append(
            (
                "Selected",
                StatusText.isOff(line.heart.link)
                    ? "none; 'pacectl strap auto' or 'pacectl strap use STRAP' selects one"
                    : selected.isEmpty ? "auto: the known strap, or the one in range" : selected.joined(separator: ", ")
            ))
        rows.append(
            ("Bluetooth", (line.bluetooth.name ?? "not known") + (line.bluetooth.reason.map { ": " + $0 } ?? "")))
        return rows.map { $0 + String(repeating: " ", count: 11 - $0.count) + $1 + "\n" }.joined()
    }
}
