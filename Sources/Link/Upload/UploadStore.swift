import Domain
import SQLite
import Wire

/// The state of uploads in `link.sqlite`.
extension LinkStore {
    /// Without a service: one that is added later begins anew.
    func forgetUploads() throws(SQLiteError) {
        try database.execute("DELETE FROM service; DELETE FROM upload")
    }

    /// Forgets services that the configuration no longer has, or has with another address.
    func load(into queue: inout UploadQueue, at now: Instant, time: UTC) throws(SQLiteError) {
        let services = try database.prepare("SELECT name, identity, enabled, until_ms FROM service")
        var forgotten: [String] = []
        while try services.step() {
            guard let name = services.text(0) else { continue }
            guard
                let index = queue.services.firstIndex(where: {
                    $0.settings.name == name && identity(of: $0.settings) == services.text(1)
                })
            else {
                forgotten.append(name)
                continue
            }
            queue.services[index].enabled = services.integer(2).map { Int($0) }
            // A pause that seems longer than any was set by another clock.
            if let until = services.integer(3), until > time.milliseconds,
                until - time.milliseconds <= UploadQueue.longestPause.wholeMilliseconds
            {
                queue.services[index].asksFor = UTC(milliseconds: until)
                queue.services[index].retryAt = now + .milliseconds(until - time.milliseconds)
            }
        }
        for name in forgotten {
            try run("DELETE FROM service WHERE name = ?", name)
            try run("DELETE FROM upload WHERE service = ?", name)
        }
        let uploads = try database.prepare("SELECT service, activity, id, state, tries, remote, reason FROM upload")
        while try uploads.step() {
            guard let index = queue.services.firstIndex(where: { $0.settings.name == uploads.text(0) }),
                let uuid = uploads.text(1).flatMap({ UUID($0) }),
                let state = uploads.text(3).flatMap({ LinkRequest.UploadState(rawValue: $0) })
            else { continue }
            var entry = UploadQueue.Entry(id: Int(uploads.integer(2) ?? 0), state: state)
            entry.tries = Int(uploads.integer(4) ?? 0)
            (entry.remote, entry.reason) = (uploads.text(5), uploads.text(6))
            queue.load(entry, of: uuid, to: index)
        }
    }

    /// What a service is. With another one, or with the journal of another board, uploads begin anew.
    private func identity(of settings: UploadSettings) -> String { "\(settings.identity) \(device)" }

    /// Stores what has changed, in one transaction.
    func save(_ queue: inout UploadQueue) throws(SQLiteError) {
        if queue.changes.isEmpty { return }
        let changed = queue
        try database.transaction { () throws(SQLiteError) in
            for change in changed.changes { try save(change, changed.services[change.service]) }
        }
        queue.changes = []
    }

    private func save(_ change: UploadQueue.Change, _ service: UploadQueue.Service) throws(SQLiteError) {
        let name = service.settings.name
        guard let uuid = change.activity else {
            let statement = try database.prepare("INSERT OR REPLACE INTO service VALUES (?, ?, ?, ?)")
            try statement.bind(name, identity(of: service.settings), service.enabled, service.asksFor?.milliseconds)
            _ = try statement.step()
            return
        }
        guard let entry = service.entries[uuid] else {
            let statement = try database.prepare("DELETE FROM upload WHERE service = ? AND activity = ?")
            try statement.bind(name, uuid.description)
            _ = try statement.step()
            return
        }
        let statement = try database.prepare("INSERT OR REPLACE INTO upload VALUES (?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            name, uuid.description, entry.id, entry.state.rawValue, entry.tries, entry.remote, entry.reason)
        _ = try statement.step()
    }
}
