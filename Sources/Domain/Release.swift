/// Which program this is.
package enum Release {
    package static let version = "0.1.0"

    /// The day of the release: a receiver whose date lies before it is not believed.
    package static let date = UTC(year: 2026, month: 11, day: 20)

    /// The number of the protocol of both sockets; it changes only when a field changes its meaning.
    package static let protocolNumber = 1
}
