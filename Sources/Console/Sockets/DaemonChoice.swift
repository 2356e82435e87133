import Glibc
import Linux
import Storage

/// Which daemon, and which recordings, a command means that names neither: the service's, or those of the user's own
/// daemon. The service comes first, also while it is stopped.
package struct DaemonChoice: Equatable {
    package enum Owner {
        case service, user
    }

    /// What decides.
    package struct Situation: Equatable {
        package var isRoot = false
        package var serviceIsInstalled = false
        package var serviceHasSockets = false
        /// Whether `/var/lib/paced` has a journal that this user may see.
        package var serviceHasJournal = false
        package var userHasSockets = false
        package var userHasJournal = false
        /// Whether there is a directory for sockets of the user, `XDG_RUNTIME_DIR`.
        package var userMayHaveSockets = true

        package init() {}
    }

    package private(set) var daemon: Owner
    package private(set) var recordings: Owner

    package init(_ situation: Situation) {
        if situation.serviceHasSockets {
            daemon = .service
        } else if situation.userHasSockets {
            daemon = .user
        } else {
            let isUsers = !situation.serviceIsInstalled && !situation.isRoot && situation.userMayHaveSockets
            daemon = isUsers ? .user : .service
        }
        if situation.serviceHasSockets || situation.userHasSockets || situation.serviceIsInstalled {
            recordings = daemon
        } else if situation.serviceHasJournal {
            recordings = .service
        } else {
            recordings = situation.isRoot && !situation.userHasJournal ? .service : .user
        }
    }

    /// The directories of the service.
    static let serviceRuntime = "/run/paced"
    static let serviceState = "/var/lib/paced"

    /// The directories of the user's own daemon; nil without `XDG_RUNTIME_DIR`, or without a home.
    static var userRuntime: String? { environment("XDG_RUNTIME_DIR").map { $0 + "/paced" } }
    static var userState: String? {
        (environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }).map { $0 + "/paced" }
    }

    /// The choice on this machine, by its files.
    static var here: DaemonChoice {
        func holdsSockets(_ directory: String) -> Bool {
            ["/state.sock", "/control.sock"].contains { access(directory + $0, F_OK) == 0 }
        }
        func holdsJournal(_ directory: String) -> Bool { access(JournalFile.path(in: directory), F_OK) == 0 }
        var situation = Situation()
        situation.isRoot = geteuid() == 0
        situation.serviceIsInstalled = serviceIsInstalled
        situation.serviceHasSockets = holdsSockets(serviceRuntime)
        situation.serviceHasJournal = holdsJournal(serviceState)
        situation.userHasSockets = userRuntime.map(holdsSockets) ?? false
        situation.userHasJournal = userState.map(holdsJournal) ?? false
        situation.userMayHaveSockets = userRuntime != nil
        return DaemonChoice(situation)
    }

    /// Whether systemd runs here and has the unit.
    static var serviceIsInstalled: Bool {
        access("/run/systemd/system", F_OK) == 0
            && ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].contains {
                access($0 + "/systemd/system/paced.service", F_OK) == 0
            }
    }
}
