import Domain

/// What another configuration says otherwise.
struct ConfigurationDiff: Equatable {
    /// The keys that take effect at once, and those that do at the next start.
    var now: [String] = []
    var later: [String] = []
    /// The settings whose defaults are others.
    var settings: [SettingKey] = []

    init(from old: Configuration, to new: Configuration) {
        for key in ConfigurationKey.allCases where !old.agrees(with: new, on: key) {
            if key.isForNextStart { later.append(key.rawValue) } else { now.append(key.rawValue) }
        }
        // The straps are [Bluetooth] Straps.
        settings = old.settings.differences(from: new.settings).filter { $0 != .straps }
    }
}

extension ConfigurationKey {
    /// Whether what it says takes effect at the next start only: links are not torn down for a file.
    var isForNextStart: Bool {
        switch self {
        case .autoStart, .gpsd, .backend, .adapter, .straps: true
        case .syncInterval, .resumeLimit, .exportAtStop, .exportDirectory, .maxStateClients, .maxStateClientsPerUser,
            .maxControlClients, .maxControlClientsPerUser, .warnAtPercent, .closeAtPercent:
            false
        }
    }
}

extension Configuration {
    fileprivate func agrees(with other: Configuration, on key: ConfigurationKey) -> Bool {
        switch key {
        case .syncInterval: syncSeconds == other.syncSeconds
        case .resumeLimit: resumeLimitSeconds == other.resumeLimitSeconds
        case .exportAtStop: exportAtStop == other.exportAtStop
        case .exportDirectory: exportDirectory == other.exportDirectory
        case .autoStart: startsAutomatically == other.startsAutomatically
        case .gpsd: gpsd == other.gpsd
        case .backend: bluetooth == other.bluetooth
        case .adapter: adapter == other.adapter
        case .straps: straps == other.straps
        case .maxStateClients: maxStateClients == other.maxStateClients
        case .maxStateClientsPerUser: maxStateClientsPerUser == other.maxStateClientsPerUser
        case .maxControlClients: maxControlClients == other.maxControlClients
        case .maxControlClientsPerUser: maxControlClientsPerUser == other.maxControlClientsPerUser
        case .warnAtPercent: warnAtPercent == other.warnAtPercent
        case .closeAtPercent: closeAtPercent == other.closeAtPercent
        }
    }

    /// Takes over all but what waits for the next start, which stays as it is in force.
    mutating func adoptLiveKeys(from new: Configuration) {
        let old = self
        self = new
        startsAutomatically = old.startsAutomatically
        gpsd = old.gpsd
        bluetooth = old.bluetooth
        adapter = old.adapter
        straps = old.straps
        settings.straps = old.settings.straps
    }
}
