package import Domain
package import Outputs

/// What a request of control.sock has led to, as the daemon knows it.
package enum ControlResult: Equatable, Sendable {
    /// The activity that was begun.
    case activity(Int)
    /// Where the run stands after a command.
    case run(RunState, elapsedMilliseconds: Int64)
    /// The activity that has ended.
    case summary(Summary)
    case state(State, sequence: Int)
    case settings(Settings)
    case setting(SettingKey, Settings)
}

extension LineWriter {
    /// The result of a response: one value.
    package mutating func result(_ result: ControlResult) {
        switch result {
        case .activity(let id): object { $0.member("activity", id) }
        case .run(let state, let elapsed):
            object {
                $0.member("run", state.rawValue)
                $0.member("elapsed_ms", elapsed)
            }
        case .summary(let summary): self.summary(summary)
        case .state(let state, let sequence): self.state(state, sequence: sequence)
        case .settings(let settings): self.settings(settings)
        case .setting(let key, let settings): value(key, of: settings)
        }
    }
}
