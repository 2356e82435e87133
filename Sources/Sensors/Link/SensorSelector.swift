package import Domain

/// Selects the sensors besides the strap: those of the setting `sensors` that are of another kind.
///
///     entry of the setting                                      sensor
///     matches a remembered sensor that is not a strap           that one
///     matches a device that advertises another kind of sensor   the first one heard
///     anything else                                             a strap: see ``StrapSelector``
///
/// A sensor is remembered after its first measurement.
package struct SensorSelector: Sendable {
    /// The largest number of sensors besides the strap.
    package static let limit = SensorDriver.linkLimit - 1

    /// The largest number of remembered sensors. A new one replaces the one that was not used for longest.
    package static let memoryLimit = 16

    private struct Choice: Sendable {
        let entry: SensorMatcher
        var address: LEAddress
    }

    private var entries: [SensorMatcher]
    /// The sensors besides straps that have sent a measurement, the last used first.
    package private(set) var remembered: [KnownSensor]
    /// The entries for which a sensor is known.
    private var choices: [Choice] = []
    /// The devices that were heard, with their names and kinds, and when; bounded by
    /// ``StrapSelector/scanResultLimit``.
    private var heard: [(result: ScanResult, last: Instant)] = []

    /// - Parameter entries: the setting `sensors`.
    package init(_ entries: [SensorMatcher] = [], remembered: [KnownSensor] = []) {
        self.entries = entries
        self.remembered = Array(remembered.filter { !$0.isStrap }.prefix(Self.memoryLimit))
        choose()
    }

    /// The sensors to connect, in the order of the setting.
    package var chosen: [LEAddress] {
        var addresses: [LEAddress] = []
        for choice in choices where !addresses.contains(choice.address) { addresses.append(choice.address) }
        return Array(addresses.prefix(Self.limit))
    }

    /// The entries that may be straps.
    package var strapEntries: [SensorMatcher] {
        entries.filter { entry in !choices.contains { $0.entry == entry } }
    }

    /// Whether the sensor of each entry is known, given the straps that are.
    package func isComplete(with straps: [KnownSensor]) -> Bool {
        strapEntries.allSatisfy { entry in straps.contains { entry.matches($0.address, name: $0.name) } }
    }

    /// The name that a sensor advertises or had at its last use.
    package func name(of address: LEAddress) -> SanitizedText? {
        heard.last { $0.result.address == address }?.result.name ?? remembered.first { $0.address == address }?.name
    }

    /// The kinds that a sensor advertises or had at its last use.
    package func kinds(of address: LEAddress) -> Set<SensorKind> {
        let advertised = heard.last { $0.result.address == address }?.result.kinds ?? []
        return advertised.union(remembered.first { $0.address == address }?.kinds ?? [])
    }

    /// The present devices, for people to choose from.
    package func scanResults(at now: Instant) -> [ScanResult] {
        heard.filter { now - $0.last < StrapSelector.advertisementTTL }.map(\.result)
    }

    /// Applies the setting.
    package mutating func select(_ entries: [SensorMatcher]) {
        self.entries = entries
        choices.removeAll { !entries.contains($0.entry) }
        choose()
    }

    /// Forgets the sensors that a pattern matches, or all if it is nil.
    ///
    /// - Returns: Whether a remembered sensor was forgotten.
    package mutating func forget(_ pattern: SensorMatcher?) -> Bool {
        let before = remembered.count
        remembered.removeAll { pattern?.matches($0.address, name: $0.name) ?? true }
        return remembered.count < before
    }

    /// Receives a device that has advertised, or whose services are read. Straps are ignored.
    package mutating func received(_ result: ScanResult, at now: Instant) {
        let earlier = heard.firstIndex { $0.result.address == result.address }
        let result = earlier.map { result.completed(by: heard[$0].result) } ?? result
        guard !result.kinds.isEmpty, !result.kinds.contains(.heartRate) else { return }
        if let earlier, result.name == heard[earlier].result.name {
            heard[earlier] = (result, now)
            return
        }
        if let earlier { heard.remove(at: earlier) }
        heard = heard.suffix(StrapSelector.scanResultLimit - 1) + [(result, now)]
        choose()
    }

    /// Receives that a sensor has sent a measurement.
    ///
    /// - Returns: Whether ``remembered`` has changed.
    package mutating func measured(_ kinds: Set<SensorKind>, from address: LEAddress) -> Bool {
        let index = remembered.firstIndex { $0.address == address }
        var sensor = index.map { remembered[$0] } ?? KnownSensor(address: address, kinds: kinds)
        sensor.kinds.formUnion(kinds)
        sensor.name = name(of: address) ?? sensor.name
        if index == 0, remembered[0] == sensor { return false }
        if let index { remembered.remove(at: index) }
        remembered = [sensor] + remembered.prefix(Self.memoryLimit - 1)
        choose()
        return true
    }

    /// Completes ``choices``. An address that rotates is replaced by the one that was heard last.
    private mutating func choose() {
        for entry in entries {
            let known = remembered.first { entry.matches($0.address, name: $0.name) }?.address
            let index = choices.firstIndex { $0.entry == entry }
            if let index, choices[index].address.isStable { continue }
            let present = heard.last { entry.matches($0.result.address, name: $0.result.name) }?.result.address
            guard let address = present ?? known else { continue }
            if let index {
                choices[index].address = address
            } else {
                choices.append(Choice(entry: entry, address: address))
            }
        }
        choices.sort { first, second in
            (entries.firstIndex(of: first.entry) ?? 0) < (entries.firstIndex(of: second.entry) ?? 0)
        }
    }
}

extension ScanResult {
    /// The kinds of sensors whose services the device advertises.
    package var kinds: Set<SensorKind> {
        Set(SensorKind.allCases.filter { $0.service.map(services.contains) ?? false })
    }
}
