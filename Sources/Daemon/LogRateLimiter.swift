import Domain

/// Bounds the log, for each subject by itself: ``burst`` lines at once and one more each ``pace``, so that neither a client nor a link that
/// comes and goes fills the disk.
///
/// After a line that was left out none of its subject is taken until it has been told how many were.
struct LogRateLimiter {
    /// What a line is about, in a word that can be told.
    enum Subject: String, CaseIterable {
        case clock, commands, exports, faults, links, position, recording, run, settings, straps
    }

    static let burst = 20
    static let period = Duration.seconds(60)

    private struct Account {
        var bucket = TokenBucket(burst: LogRateLimiter.burst, interval: LogRateLimiter.period)
        var leftOut = 0
    }

    private var accounts: [Subject: Account] = [:]

    /// Whether a line is to be written; one that is not is counted.
    mutating func allows(_ subject: Subject, at now: Instant) -> Bool {
        var account = accounts[subject] ?? Account()
        let isTaken = account.leftOut == 0 && account.bucket.consume(at: now)
        if !isTaken { account.leftOut += 1 }
        accounts[subject] = account
        return isTaken
    }

    /// How many lines were left out, of each subject that has room for a line again.
    mutating func popSuppressed(at now: Instant) -> [(subject: Subject, count: Int)] {
        var told: [(subject: Subject, count: Int)] = []
        for subject in Subject.allCases {
            guard var account = accounts[subject], account.leftOut > 0, account.bucket.consume(at: now) else {
                continue
            }
            told.append((subject, account.leftOut))
            account.leftOut = 0
            accounts[subject] = account
        }
        return told
    }
}
