import Glibc

/// Where the databases of maps are.
package enum MapsDirectory {
    package static let system = "/var/lib/paced-maps"

    /// ``system`` if it exists, else `$XDG_DATA_HOME/paced`. Nil if there is neither.
    ///
    /// - Parameter root: instead of `/`, for tests.
    package static func path(root: String = "", environment: (String) -> String?) -> String? {
        if access(root + system, F_OK) == 0 { return root + system }
        return (environment("XDG_DATA_HOME") ?? environment("HOME").map { $0 + "/.local/share" }).map { $0 + "/paced" }
    }
}
