import Domain
import JSONCoding
import Linux

/// `pacectl web`: signs browsers in at paced-web.
package struct WebCommand: Equatable {
    enum Action: Equatable {
        /// A code that signs a browser in.
        case code(isControl: Bool)
        case tokens
        /// Nil for all.
        case revoke(Int?)
    }

    var action: Action
    /// The directory of the sockets; nil for the default.
    var directory: String?

    /// - Parameter words: those after `web`.
    init(_ words: [String], isControl: Bool, directory: String?) throws(Failure) {
        self.directory = directory
        switch (words.first, words.count) {
        case ("code", 1): action = .code(isControl: isControl)
        case ("tokens", 1): action = .tokens
        case ("revoke", 2) where words[1] == "all": action = .revoke(nil)
        case ("revoke", 2):
            guard let id = Int(words[1]), id > 0 else {
                throw .usage("web revoke needs the number of a token, or all; 'pacectl web tokens' lists them")
            }
            action = .revoke(id)
        default:
            throw .usage(
                "use 'web code [--control]', 'web tokens', 'web revoke ID', 'web revoke all', 'web open [ADDRESS]', "
                    + "'web close' or 'web control on|off'")
        }
    }

    /// code.sock is for those who may watch, admin.sock for those who may command.
    private var socket: String {
        action == .code(isControl: false) ? "code.sock" : "admin.sock"
    }

    private var request: (method: String, parameters: String) {
        switch action {
        case .code(let isControl): ("web.code", isControl ? #"{"control":true}"# : "{}")
        case .tokens: ("web.tokens", "{}")
        case .revoke(let id): ("web.revoke", id.map { #"{"id":\#($0)}"# } ?? "{}")
        }
    }

    /// - Returns: the text to print.
    func perform(isJSON: Bool) throws(Failure) -> String {
        let path = RuntimeDirectory.webDirectory(directory) + "/" + socket
        var client = try ControlClient(path: path, of: .pacedWeb)
        let result = try client.call(request.method, request.parameters)
        if isJSON { return result + "\n" }
        guard let json = try? JSON(parsing: result.utf8) else {
            throw .failed("the response of paced-web is not valid JSON")
        }
        switch action {
        case .code:
            guard let code = PageCode(json, machine: NetworkInterfaces.addresses()) else {
                throw .failed("the response of paced-web has no code")
            }
            return code.text
        case .tokens: return Self.text(ofTokens: json)
        case .revoke:
            return json["revoked"]?.integer == 1
                ? "1 browser is signed out\n" : "\(json["revoked"]?.integer ?? 0) browsers are signed out\n"
        }
    }

    private static func text(ofTokens json: JSON) -> String {
        let tokens = json.array ?? []
        if tokens.isEmpty { return "No browser is signed in; 'pacectl web code' prints a code\n" }
        var table = TextTable([
            .init(head: "ID", isNumber: true), .init(head: "MAY"), .init(head: "LAST USED"), .init(head: "CODE OF"),
            .init(head: "BROWSER"),
        ])
        for token in tokens {
            table.append([
                "\(token["id"]?.integer ?? 0)", token["scope"]?.harmlessText(limit: 16) ?? "",
                String((token["used"]?.string ?? "").prefix(10)), token["user"]?.harmlessText(limit: 32) ?? "",
                token["name"]?.harmlessText(limit: 64) ?? "",
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }
}
