package import Domain

/// Limits the log for each subject: ``burst`` lines at once, then one each
/// ``period``, so that neither a client nor an unstable link fills the disk.
///
/// After a suppressed line, the subject stays suppressed until the number of its suppressed lines has been reported.
package struct LogRateLimiter {
    /// The subject of a line; its name appears in the log.
    package enum Subject: String, CaseIterable {
        case barometer, clock, commands, exports, faults, links, position, recording, run, sensors, settings
    }

    package static let burst = 20
    package static let period = Duration.seconds(60)

    private struct Account {
        var bucket = TokenBucket(burst: LogRateLimiter.burst, interval: LogRateLimiter.period)
        var leftOut = 0
    }

    private var accounts: [Subject: Account] = [:]

    package init() {}

    /// Whether a line may be written. Counts it if not.
    package mutating func allows(_ subject: Subject, at now: Instant) -> Bool {
        var account = accounts[subject] ?? Account()
        let isTaken = account.leftOut == 0 && account.bucket.consume(at: now)
        if !isTaken { account.leftOut += 1 }
        accounts[subject] = account
        return isTaken
    }

    /// The numbers of suppressed lines, for each subject that has a token again.
    package mutating func popSuppressed(at now: Instant) -> [(subject: Subject, count: Int)] {
        var suppressed: [(subject: Subject, count: Int)] = []
        for subject in Subject.allCases {
            guard var account = accounts[subject], account.leftOut > 0, account.bucket.consume(at: now) else {
                continue
            }
            suppressed.append((subject, account.leftOut))
            account.leftOut = 0
            accounts[subject] = account
        }
        return suppressed
    }
}
