package import Domain
package import Wire

extension EventRing {
    /// Appends an event with the next number.
    ///
    /// - Returns: Its line.
    @discardableResult
    package mutating func append(_ event: Event) -> [UInt8] {
        let line = EventLine(event, number: retained.upperBound)
        append(line)
        return line.bytes
    }
}
