import Domain
import SQLite

/// What was planned, in `link.sqlite`.
extension LinkStore {
    /// What a source had at its last fetch.
    struct Plan {
        /// The day (local time) of the last fetch.
        var day: String?
        /// The setting `workout` as this program has loaded it, a JSON text.
        var loaded: String?
        var items: [PlannedWork] = []
    }

    /// Forgets sources that the configuration no longer has, or has with another address.
    func plans(_ settings: [PlanSettings]) throws(SQLiteError) -> [Plan] {
        var plans = settings.map { _ in Plan() }
        var forgotten: [String] = []
        let sources = try database.prepare("SELECT name, identity, day, loaded FROM plan")
        while try sources.step() {
            guard let name = sources.text(0) else { continue }
            guard let index = settings.firstIndex(where: { $0.name == name && $0.identity == sources.text(1) }) else {
                forgotten.append(name)
                continue
            }
            (plans[index].day, plans[index].loaded) = (sources.text(2), sources.text(3))
        }
        for name in forgotten {
            try run("DELETE FROM plan WHERE name = ?", name)
            try run("DELETE FROM planned WHERE source = ?", name)
        }
        let items = try database.prepare(
            "SELECT source, kind, id, day, name, version, state, reason FROM planned ORDER BY rowid")
        while try items.step() {
            guard let index = settings.firstIndex(where: { $0.name == items.text(0) }),
                let kind = items.text(1).flatMap({ PlannedItem.Kind(rawValue: $0) }),
                let state = items.text(6).flatMap({ PlannedWork.State(rawValue: $0) })
            else { continue }
            plans[index].items.append(
                PlannedWork(
                    kind: kind, id: items.text(2) ?? "", day: items.text(3), name: items.text(4) ?? "",
                    version: items.text(5) ?? "", state: state, reason: items.text(7)))
        }
        return plans
    }

    func save(_ plan: Plan, of settings: PlanSettings) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let source = try database.prepare("INSERT OR REPLACE INTO plan VALUES (?, ?, ?, ?)")
            try source.bind(settings.name, settings.identity, plan.day, plan.loaded)
            _ = try source.step()
            try run("DELETE FROM planned WHERE source = ?", settings.name)
            for item in plan.items {
                let statement = try database.prepare("INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                try statement.bind(
                    settings.name, item.kind.rawValue, item.id, item.day, item.name, item.version, item.state.rawValue,
                    item.reason)
                _ = try statement.step()
            }
        }
    }
}
