/// Version of this program.
package enum Release {
    package static let version = "0.1.0"

    /// Date of the release. A receiver's time before it is wrong.
    package static let date = UTC(year: 2026, month: 11, day: 20)

    /// Version of the protocol of both sockets; it changes only if a field changes its meaning.
    package static let protocolNumber = 1
}
