import Domain
import JSONCoding
import Linux

extension Command {
    static let web =
        [
            Command(
                "web code", options: [Options.control], others: [Options.webDirectory],
                "print the address and a code that sign a browser in to watch, or with --control also to command",
                read: { WebCommand(.code(isControl: $0.has(Options.control)), $0) },
                run: { try $1.perform(isJSON: $0.isJSON) })
        ] + units + [
            Command(
                "web tokens", others: [Options.webDirectory], "list the browsers that are signed in",
                read: { WebCommand(.tokens, $0) }, run: { try $1.perform(isJSON: $0.isJSON) }),
            Command(
                "web revoke", words: [.one("ID|all", "the number of a token, or all", .words(["all"]))],
                others: [Options.webDirectory],
                "sign a browser out, or all; needs paced-web, whose sockets are in --web-dir DIR",
                read: { arguments in
                    let id = Int(arguments.words[0])
                    guard arguments.words[0] == "all" || id ?? 0 > 0 else {
                        throw Failure.usage(
                            "web revoke needs the number of a token, or all; 'pacectl web tokens' lists them")
                    }
                    return WebCommand(.revoke(id), arguments)
                }, run: { try $1.perform(isJSON: $0.isJSON) }),
        ]
}

extension Options {
    fileprivate static let control = CommandOption.flag("--control", "the browser may command")
}

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

    fileprivate init(_ action: Action, _ arguments: Arguments) {
        self.action = action
        directory = arguments[Options.webDirectory]
    }

    /// A code that lets a browser watch.
    init() {
        action = .code(isControl: false)
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
