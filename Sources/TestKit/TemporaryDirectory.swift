import Foundation

/// A new directory with a path short enough for sockets. The deinitialiser removes it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/paced-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func callAsFunction(_ name: String) -> String {
        path + "/" + name
    }
}
