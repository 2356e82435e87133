import Domain

/// Bounds the log, for each subject by itself: ``burst`` lines at once and one more each ``pace``, so that neither a client nor a link that
/// comes and goes fills the disk.
///
/// After a line that was left out none of its subject is taken until it has been told how many were.
struct LogLimit {
    /// What a line is about, in a word that can be told.
    enum Subject: String, CaseIterable {
        case clock, commands, exports, faults, links, position, recording, run, settings, straps
    }

    static let burst = 20
    static let pace = Duration.seconds(60)

    private struct Account {
        var room = LogLimit.burst
        /// Since when there is so much room; it grows from here on.
        var since: Instant
        var leftOut = 0

        mutating func grow(until now: Instant) {
            let more = max((now - since).wholeNanoseconds / LogLimit.pace.wholeNanoseconds, 0)
            room = min(room + Int(more), LogLimit.burst)
            since = room == LogLimit.burst ? now : since + LogLimit.pace * Int(more)
        }
    }

    private var accounts: [Subject: Account] = [:]

    /// Whether a line is to be written; one that is not is counted.
    mutating func takes(_ subject: Subject, at now: Instant) -> Bool {
        var account = accounts[subject] ?? Account(since: now)
        defer { accounts[subject] = account }
        account.grow(until: now)
        guard account.room > 0, account.leftOut == 0 else {
            account.leftOut += 1
            return false
        }
        account.room -= 1
        return true
    }

    /// How many lines were left out, of each subject that has room for a line again.
    mutating func takeLeftOut(at now: Instant) -> [(subject: Subject, count: Int)] {
        var told: [(subject: Subject, count: Int)] = []
        for subject in Subject.allCases {
            guard var account = accounts[subject], account.leftOut > 0 else { continue }
            account.grow(until: now)
            if account.room > 0 {
                told.append((subject, account.leftOut))
                account.room -= 1
                account.leftOut = 0
            }
            accounts[subject] = account
        }
        return told
    }
}
