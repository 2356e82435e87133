import Bluetooth
import Domain
import Linux
import Pipeline
import Sensors
import Servers
import Storage
import Wire

/// The user's choice of straps over control.sock, and the file of known straps.
///
/// The option `--strap` with any value but `auto` has precedence.
extension Daemon {
    /// The straps at the start: the user's choice in the journal or an earlier release's file, else as configured.
    static func straps(
        _ kept: StrapStore, _ made: UserSettings, _ settings: Settings, _ configuration: Configuration
    ) -> StrapStore {
        var list = kept
        if made.saysStraps || !kept.hasSelection {
            list.selected = settings.straps
            list.isOff = made.strapsAreOff ?? (configuration.straps == .off)
        }
        return list
    }

    /// The option's value; with `auto`, the user's choice or the configuration file decides.
    var strapOption: Options.Strap { options.strap ?? .auto }

    /// The straps that the option names, else those that the user chose.
    static func strapSetting(_ options: Options, kept list: StrapStore) -> [String] {
        switch options.strap {
        case .ours(let straps): straps
        case .auto, .off, .unix, nil: list.selected
        }
    }

    /// - Throws: ``RPCError`` -32004 if an option decides which strap is used.
    func checkStrapsAreFree() throws(RPCError) {
        // The demo ignores the option.
        if strapOption != .auto, !options.isDemo { throw .overridden(by: "--strap") }
    }

    func use(_ use: StrapSelection, at now: Instant) throws(RPCError) -> ControlResult {
        try checkStrapsAreFree()
        var list = straps
        try use.apply(to: &list)
        save(list, at: now)
        saveStrapSetting(at: now)
        applyStraps()
        return .link(engine.state(at: now).heart.link)
    }

    func forget(_ strap: String?, at now: Instant) throws(RPCError) -> ControlResult {
        try checkStrapsAreFree()
        var list = straps
        try list.forget(strap)
        let isSaidAnew = list.selected != straps.selected
        save(list, at: now)
        if isSaidAnew { saveStrapSetting(at: now) }
        strapWays?.forget(strap.map { StrapMatcher($0) } ?? nil, remaining: patterns)
        return .done
    }

    /// - Returns: the token of the deferred response.
    func scan(seconds: Int) throws(RPCError) -> PendingResponse.Token {
        try later { strapWays, settle in
            strapWays.scan(for: .seconds(seconds)) { settle(.success(.straps($0))) }
        }
    }

    /// - Returns: the token of the deferred response.
    func pair(_ strap: String) throws(RPCError) -> PendingResponse.Token {
        guard let pattern = StrapMatcher(strap) else {
            throw .notFound("strap", "this is not an address or a name of a strap")
        }
        return try later { strapWays, settle in
            strapWays.pair(pattern) { settle($0.response) }
        }
    }

    /// Starts an operation that takes time. Its result completes the token that is returned.
    private func later(
        _ begin: (StrapBackendSwitch, @escaping (Result<ControlResult, RPCError>) -> Void) -> StrapRequestError?
    ) throws(RPCError) -> PendingResponse.Token {
        guard let strapWays else { throw .unavailable("Bluetooth is not used") }
        let token = nextToken
        nextToken += 1
        switch begin(strapWays, { [unowned self] in control?.complete(token, $0) }) {
        case .busy: throw .busy("another scan or pairing is in progress")
        case .unavailable(let reason): throw .unavailable("Bluetooth is not available: \(reason.rawValue)")
        case nil: return token
        }
    }

    var patterns: [StrapMatcher] {
        engine.settings.straps.compactMap { StrapMatcher($0) }
    }

    /// Applies the chosen straps to the backend, or stops it if none is used.
    func applyStraps() {
        if straps.isOff {
            strapWays?.stop()
        } else {
            strapWays?.use(patterns)
        }
    }

    /// Stores the keys of paired straps.
    func save(_ keys: [LongTermKey]) {
        var list = straps
        list.keys = keys
        save(list, at: Clock.now())
    }

    /// Stores the straps that have sent a beat.
    func remember(_ remembered: [KnownStrap]) {
        var list = straps
        list.remembered = remembered
        save(list, at: Clock.now())
    }

    /// Replaces the list. Publishes a changed choice of straps; writes changed known straps and keys to the file.
    func save(_ list: StrapStore, at now: Instant) {
        guard list != straps else { return }
        // With the option `--strap`, the setting stays and only known straps and keys change.
        let isSaidAnew = list.selected != straps.selected
        let isLearnt = list.remembered != straps.remembered || list.keys != straps.keys
        straps = list
        if isSaidAnew {
            var settings = engine.settings
            settings.straps = list.selected
            step(.setting(.straps, settings), at: now)
            stateServer?.settingsChanged(settings)
        }
        if isLearnt { flushStraps() }
    }

    /// Merges the list of a file that could not be read at the start.
    func adopt(_ kept: StrapStore, at now: Instant) {
        var list = straps
        list.add(kept)
        save(list, at: now)
        // The file may lack changes that were made since the start.
        if list.remembered != kept.remembered || list.keys != kept.keys { strapsRetryAt = now }
    }

    /// Retries a failed write of the list when it is due.
    func retryStraps(at now: Instant) {
        guard isStateReady, let strapsRetryAt, now >= strapsRetryAt else { return }
        self.strapsRetryAt = nil
        flushStraps()
    }

    /// Submits the list to the disk worker, one write at a time. Waits until the state directory is ready.
    private func flushStraps() {
        guard let strapFile, !isWritingStraps else { return }
        guard isStateReady else {
            strapsRetryAt = Clock.now()
            return
        }
        let list = straps
        let isAsked = diskWorker?.submit(.write(list, in: strapFile)) { [unowned self] answer in
            isWritingStraps = false
            if case .failure(let trouble) = answer { complain("\(trouble)") }
            if list.remembered != straps.remembered || list.keys != straps.keys { flushStraps() }
        }
        isWritingStraps = isAsked == true
        if !isWritingStraps { writeStraps(list) }
    }

    /// Writes the list on the calling thread. Blocks on the disk.
    func writeStraps(_ list: StrapStore) {
        do {
            try strapFile?.write(list)
        } catch {
            complain("\(error)")
        }
    }

    private func complain(_ trouble: String) {
        Log.write(
            .warning, about: .straps,
            "cannot write \(strapFile?.path ?? ""): \(trouble); the straps are kept in memory, retrying each minute")
        strapsRetryAt = Clock.now() + .seconds(60)
    }
}
