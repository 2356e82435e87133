/// `pacectl`, the command line of the daemon.
package enum Console {
    /// - Parameter arguments: the arguments without the program's name.
    /// - Returns: the exit status: 0 done, 1 failed, 2 usage error, 3 daemon not reachable.
    package static func run(_ arguments: [String]) -> Int32 {
        do throws(Failure) {
            let invocation = try Invocation(arguments)
            let text = try invocation.action.run(invocation)
            if !text.isEmpty { try writeOut(text) }
            return 0
        } catch {
            if !error.message.isEmpty { complain(of: error) }
            return error.status.rawValue
        }
    }
}

extension Command {
    /// All commands, in the order of the help.
    package static let all: [Command] =
        status + watch + run + scan + sensors + workout + course + settings + activities + badges + bests + show + edit
        + trash + export + report + importing + recover + replay + rows + publish + weather + route + places + map
        + decode
        + transit + link + upload + plan + web + device + doctor + panel + help + completion
}
