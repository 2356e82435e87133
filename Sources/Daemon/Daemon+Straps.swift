import Adapters
import Domain
import Linux
import Pipeline
import Sensors

/// Which straps are ours, as people say it over control.sock, and how it is kept.
///
/// An option (`--strap` with anything but `auto`) decides it before anybody here does.
extension Daemon {
    /// What is known of straps at the start: what people want is in the journal, else in a list of an earlier release, else configured.
    static func straps(
        _ kept: StrapStore, _ made: UserSettings, _ settings: Settings, _ configuration: Configuration
    ) -> StrapStore {
        var list = kept
        if made.saysStraps || !kept.saysWhatPeopleWant {
            list.ours = settings.straps
            list.isOff = made.strapsAreOff ?? (configuration.straps == .off)
        }
        return list
    }

    /// What the option says; `auto` leaves it to people, and to the configuration file.
    var strapOption: Options.Strap { options.strap ?? .auto }

    /// The straps that were said, by the option or else by people.
    static func strapSetting(_ options: Options, kept list: StrapStore) -> [String] {
        switch options.strap {
        case .ours(let straps): straps
        case .auto, .off, .unix, nil: list.ours
        }
    }

    /// - Throws: ``RPCError`` -32004 where an option decides which strap is used.
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
        return .link(pipeline.state(at: now).heart.link)
    }

    func forget(_ strap: String?, at now: Instant) throws(RPCError) -> ControlResult {
        try checkStrapsAreFree()
        var list = straps
        try list.forget(strap)
        let isSaidAnew = list.ours != straps.ours
        save(list, at: now)
        if isSaidAnew { saveStrapSetting(at: now) }
        strapWays?.forget(strap.map { StrapMatcher($0) } ?? nil, said: patterns)
        return .done
    }

    /// Hears who is there; the answer goes by what is returned.
    func scan(seconds: Int) throws(RPCError) -> PendingResponse.Token {
        try later { strapWays, settle in
            strapWays.scan(for: .seconds(seconds)) { settle(.success(.straps($0))) }
        }
    }

    /// Pairs with a strap; the answer goes by what is returned.
    func pair(_ strap: String) throws(RPCError) -> PendingResponse.Token {
        guard let pattern = StrapMatcher(strap) else { throw .notFound("strap", "no strap goes by this") }
        return try later { strapWays, settle in
            strapWays.pair(pattern) { settle($0.answer) }
        }
    }

    /// Begins what takes a while; its answer is settled then, by the token that is returned.
    private func later(
        _ begin: (StrapBackendSwitch, @escaping (Result<ControlResult, RPCError>) -> Void) -> StrapRequestError?
    ) throws(RPCError) -> PendingResponse.Token {
        guard let strapWays else { throw .unavailable("Bluetooth is not used") }
        let token = nextToken
        nextToken += 1
        switch begin(strapWays, { [unowned self] in control?.complete(token, $0) }) {
        case .busy: throw .busy("another scan or pairing goes on")
        case .hindered(let reason): throw .unavailable("Bluetooth is not to be had: \(reason.rawValue)")
        case nil: return token
        }
    }

    var patterns: [StrapMatcher] {
        pipeline.settings.straps.compactMap { StrapMatcher($0) }
    }

    /// Has the straps that are ours used from now on, or none.
    func applyStraps() {
        if straps.isOff {
            strapWays?.stop()
        } else {
            strapWays?.use(patterns)
        }
    }

    /// Keeps the keys of the straps that have paired.
    func save(_ keys: [LongTermKey]) {
        var list = straps
        list.keys = keys
        save(list, at: Clock.now())
    }

    /// Keeps the straps that have given a beat.
    func remember(_ remembered: [KnownStrap]) {
        var list = straps
        list.remembered = remembered
        save(list, at: Clock.now())
    }

    /// Tells everybody which straps are ours from now on, and has what is known of them written.
    func save(_ list: StrapStore, at now: Instant) {
        guard list != straps else { return }
        // Where an option says which straps are ours, the list changes only in what it remembers.
        let isSaidAnew = list.ours != straps.ours
        let isLearnt = list.remembered != straps.remembered || list.keys != straps.keys
        straps = list
        if isSaidAnew {
            var settings = pipeline.settings
            settings.straps = list.ours
            recollection.receive(.setting(.straps, settings), at: now)
            publisher?.settingsChanged(settings)
        }
        if isLearnt { flushStraps() }
    }

    /// Adds what a file says that could not be read before.
    func adopt(_ kept: StrapStore, at now: Instant) {
        var list = straps
        list.add(kept)
        save(list, at: now)
        // A list that was changed meanwhile may not be in the file.
        if list.remembered != kept.remembered || list.keys != kept.keys { strapsRetryAt = now }
    }

    /// The list is tried again that could not be written.
    func retryStraps(at now: Instant) {
        guard isStateReady, let strapsRetryAt, now >= strapsRetryAt else { return }
        self.strapsRetryAt = nil
        flushStraps()
    }

    /// Has the list written by the clerk, one after another; later where the directory is not ready.
    private func flushStraps() {
        guard let strapFile, !isWritingStraps else { return }
        guard isStateReady else {
            strapsRetryAt = Clock.now()
            return
        }
        let list = straps
        let isAsked = clerk?.submit(.keep(list, in: strapFile)) { [unowned self] answer in
            isWritingStraps = false
            if case .failure(let trouble) = answer { complain("\(trouble)") }
            if list.remembered != straps.remembered || list.keys != straps.keys { flushStraps() }
        }
        isWritingStraps = isAsked == true
        if !isWritingStraps { writeStraps(list) }
    }

    /// Writes the list here and now: waits for the disk.
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
