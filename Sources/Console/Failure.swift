package import Domain
import Glibc
package import JSONCoding
import Linux

/// Error of a command: one line with the next step for the user, and the exit status.
package struct Failure: Error, Equatable {
    package enum Status: Int32 {
        case failed = 1
        case usage = 2
        /// The daemon is not reachable, or a server that it asks.
        case unreachable = 3
    }

    package var status: Status
    /// Without the program's name and without a newline.
    package var sentence: Sentence

    package var message: String { sentence.description }

    /// The output has said already what failed.
    static let explained = failed("")

    package static func failed(_ sentence: Sentence) -> Failure {
        Failure(status: .failed, sentence: sentence)
    }

    static func usage(_ sentence: Sentence) -> Failure {
        Failure(status: .usage, sentence: sentence + "; see 'pacectl --help'")
    }

    static func unreachable(_ sentence: Sentence) -> Failure {
        Failure(status: .unreachable, sentence: sentence)
    }

    // Texts of other sources, which have no template.

    @_disfavoredOverload package static func failed(_ message: String) -> Failure {
        failed(Sentence(verbatim: message))
    }

    @_disfavoredOverload static func usage(_ message: String) -> Failure {
        usage(Sentence(verbatim: message))
    }

    @_disfavoredOverload static func unreachable(_ message: String) -> Failure {
        unreachable(Sentence(verbatim: message))
    }

    /// The failure for an error of connecting to a socket.
    init(connectingTo path: String, of program: ServerProgram = .paced, _ error: SystemError) {
        switch error.code {
        case ENOENT where program != .paced, ECONNREFUSED where program != .paced:
            let name = program.rawValue
            self = .unreachable(
                "this needs \(name), which is not running at \(path): "
                    + "sudo apt install ./\(name)_*.deb && sudo systemctl enable --now \(name)")
        case ENOENT, ECONNREFUSED:
            let isService = path.hasPrefix(DaemonChoice.serviceRuntime + "/") && DaemonChoice.serviceIsInstalled
            self =
                isService
                ? .unreachable("paced is not running: sudo systemctl start paced")
                : .unreachable("paced is not running at \(path); start it, or name its directory with --runtime-dir")
        case EACCES, EPERM:
            let group =
                ["control.sock", "net.sock", "admin.sock"].contains(where: path.hasSuffix)
                ? "paced-control" : path.hasSuffix("publish.sock") ? "paced-publish" : "paced-watch"
            self = .unreachable("not allowed to open \(path): \(GroupAdvice.text(group))")
        case ENAMETOOLONG:
            self = .usage("\(path) is longer than a socket's path can be, \(UnixSocket.pathLimit) bytes")
        default:
            self = .unreachable("cannot reach \(program.rawValue) at \(path) (\(error)); try again")
        }
    }

    /// The failure for a VERSION line with another protocol; nil for any other line.
    package init?(version line: JSON) {
        guard line["class"]?.string == "VERSION", let number = line["protocol"]?.integer,
            number != Release.protocolNumber
        else { return nil }
        self = .failed(
            "paced speaks protocol \(number), this pacectl \(Release.protocolNumber); install the same release of both")
    }

    package init(status: Status, sentence: Sentence) {
        self.status = status
        self.sentence = sentence
    }

    package init(status: Status, message: String) {
        self.init(status: status, sentence: Sentence(verbatim: message))
    }
}
