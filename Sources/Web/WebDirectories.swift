import Domain
import Linux
import Program
import Tiles

/// The directories in use.
struct WebDirectories: Equatable {
    /// Of code.sock and admin.sock; nil if systemd has created them.
    var runtime: String?
    var state: String
    var pages: String
    /// Of the imported map; nil without a home and `/var/lib/paced-maps`.
    var maps: String?
    var places: WebServer.Places

    init(
        _ options: WebOptions, hasSockets: Bool, _ environment: ProgramEnvironment
    ) throws(UsageError) {
        if !hasSockets {
            runtime = try environment.directory(.runtime, "paced-web", ("--runtime-dir", options.runtimeDirectory))
        }
        state = try environment.directory(.state, "paced-web", ("--state-dir", options.stateDirectory))
        // With prefix=/usr/local the pages are in /usr/local/share/paced-web.
        pages = options.pageDirectory ?? (Machine.programDirectory ?? "/usr/bin") + "/../share/paced-web"
        maps = options.mapsDirectory ?? MapsDirectory.path { environment.variable($0) }
        let paced = try environment.runtimeDirectory(of: "paced", ("--paced-dir", options.pacedDirectory))
        let net = try environment.runtimeDirectory(of: "paced-net", ("--net-dir", options.netDirectory))
        let link = try environment.runtimeDirectory(of: "paced-link", ("--link-dir", options.linkDirectory))
        let programOptions =
            ["--runtime-dir", paced] + (options.journalDirectory.map { ["--state-dir", $0] } ?? [])
        places = WebServer.Places(
            stateSocket: paced + "/state.sock", controlSocket: paced + "/control.sock",
            networkSocket: net + "/net.sock", linkSocket: link + "/link.sock",
            temporary: environment.variable("TMPDIR") ?? "/tmp",
            photos: maps.map { $0 + "/" + PhotoName.directory },
            program: Machine.programBeside("pacectl") ?? "/usr/bin/pacectl",
            programOptions: programOptions,
            mapOptions: options.mapsDirectory.map { ["--maps-dir", $0] } ?? [],
            netOptions: options.netDirectory.map { ["--net-dir", $0] } ?? [])
    }
}
