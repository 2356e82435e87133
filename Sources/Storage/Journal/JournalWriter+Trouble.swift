import Domain
import Linux

/// Error handling, and reports to the loop.
extension JournalWriter {
    func fail(_ failure: JournalFailure, at now: Instant, isClosing: Bool) {
        retryAt = now + Self.retryDelay
        switch failure {
        case .database(let error):
            switch error.kind {
            case .full: report { $0.trouble = "the disk is full" + Self.keeping }
            case .readOnly:
                file = nil
                report { $0.trouble = "the file system is read-only" + Self.keeping }
            case .busy: report { $0.trouble = "another program keeps the journal locked" + Self.keeping }
            case .damaged:
                file = nil
                replaceDamaged(at: now)
            case .disk:
                file = nil
                report { $0.trouble = "the disk reports an error (\(error.text))" + Self.keeping }
            case .refused:
                file = nil
                report { $0.trouble = "the journal cannot be written (\(error.text))" + Self.keeping }
            }
        case .directory(let error):
            file = nil
            report { $0.trouble = "\(error)" + Self.keeping }
        case .newer: report { $0.trouble = "\(JournalFile.path(in: directory)): \(failure)" }
        case .replaced, .missing:
            file = nil
            // Reopened at once, unless the directory is gone, too.
            retryAt = now
            report { $0.trouble = "the journal was moved away or removed" + Self.keeping }
        }
    }

    static let keeping = ", keeping up to 10 min in memory"

    private func replaceDamaged(at now: Instant) {
        do {
            let place = try JournalFile.setAside(in: directory, at: Clock.systemTime())
            report { $0.trouble = "the journal was damaged and is renamed to \(place)" }
        } catch {
            report { $0.trouble = "the journal is damaged and cannot be renamed (\(error))" }
        }
    }

    func report(_ change: (inout JournalWriterStatus) -> Void) {
        let isOther = mailbox.news.withLock { news in
            let before = news
            change(&news)
            return news != before
        }
        if isOther { mailbox.changed.signal() }
    }
}
