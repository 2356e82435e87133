import Console
import Testing

/// Which daemon and which recordings a command means that names neither.
@Suite struct DaemonChoiceTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var daemon: DaemonChoice.Owner
        var recordings: DaemonChoice.Owner
        var situation = DaemonChoice.Situation()

        init(
            _ description: String, _ daemon: DaemonChoice.Owner, _ recordings: DaemonChoice.Owner,
            _ set: (inout DaemonChoice.Situation) -> Void
        ) {
            testDescription = description
            (self.daemon, self.recordings) = (daemon, recordings)
            set(&situation)
        }
    }

    private static let cases: [Case] = [
        Case("nothing is there", .user, .user) { _ in },
        Case("nothing is there, without XDG_RUNTIME_DIR", .service, .user) { $0.userMayHaveSockets = false },
        Case("nothing is there, as root", .service, .service) { $0.isRoot = true },
        Case("root has a journal of its own", .service, .user) { ($0.isRoot, $0.userHasJournal) = (true, true) },
        Case("the service is stopped", .service, .service) { $0.serviceIsInstalled = true },
        Case("the service is stopped, and its journal is hidden from the user, who has one", .service, .service) {
            ($0.serviceIsInstalled, $0.userHasJournal) = (true, true)
        },
        Case("the service runs", .service, .service) { ($0.serviceIsInstalled, $0.serviceHasSockets) = (true, true) },
        Case("the service and the user's own daemon run", .service, .service) {
            ($0.serviceIsInstalled, $0.serviceHasSockets, $0.userHasSockets) = (true, true, true)
        },
        Case("the service is stopped, and the user's own daemon runs", .user, .user) {
            ($0.serviceIsInstalled, $0.serviceHasJournal, $0.userHasSockets) = (true, true, true)
        },
        Case("root runs paced without a unit", .service, .service) { $0.serviceHasSockets = true },
        Case("root ran paced without a unit", .user, .service) { $0.serviceHasJournal = true },
        Case("the user's own daemon runs, without a service", .user, .user) {
            ($0.userHasSockets, $0.serviceHasJournal) = (true, true)
        },
    ]

    @Test(arguments: cases)
    func serviceComesFirstThenTheUsersOwnDaemon(each: Case) {
        let choice = DaemonChoice(each.situation)
        #expect(choice.daemon == each.daemon && choice.recordings == each.recordings)
    }
}
