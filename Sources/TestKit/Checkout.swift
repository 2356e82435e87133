package import Foundation

/// The directory of the project.
package enum Checkout {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// - Parameter name: for example `Tests/Data/gpsd/sirf2.log`.
    package static func path(_ name: String) -> String {
        root.appending(path: name).path
    }

    /// The Python that `make .build/venv` creates, or that `PACED_PYTHON` names.
    package static var python: String {
        ProcessInfo.processInfo.environment["PACED_PYTHON"] ?? path(".build/venv/bin/python")
    }
}
