import Domain

/// The sleep of a strap that was taken off: it is left alone until it advertises after having been silent, since then it was put on.
///
///     before this one    woken by being heard        by itself after
///     worn               at once                     5 min
///     slept              after 5 min                 5 min
///
/// Where nobody can listen it wakes by itself after 1 min, then every 5 min. So a strap that ends each connection is connected at most three times in ten minutes off
/// the body, and one that never falls silent is not lost.
struct StrapSleep: Equatable, Sendable {
    /// The silence after which a strap that is heard was put on.
    static let silence = Duration.seconds(20)

    static let shortest = Duration.seconds(60)
    static let longest = Duration.seconds(300)

    /// When it is tried whether the strap is worn again, whatever is heard.
    let endsAt: Instant

    /// Before this, being heard means nothing.
    private let wakesAt: Instant

    /// How long it was listened and nothing was heard, up to ``countedAt``.
    private var quiet = Duration.zero

    /// Since when it is being listened beyond that; nil while nobody does.
    private var countedAt: Instant?

    /// - Parameter naps: how often in a row the strap fell asleep without having been worn, this time counted.
    init(at now: Instant, naps: Int, canListen: Bool) {
        endsAt = now + (canListen || naps > 1 ? Self.longest : Self.shortest)
        wakesAt = naps > 1 ? endsAt : now
        countedAt = canListen ? now : nil
    }

    /// The air is listened to from now on, or is left alone; until now it was as was told last.
    mutating func listened(at now: Instant, isListening: Bool) {
        if let countedAt { quiet += now - countedAt }
        countedAt = isListening ? now : nil
    }

    /// The strap was heard; true when that wakes it.
    mutating func heard(at now: Instant) -> Bool {
        let silence = quiet + (countedAt.map { now - $0 } ?? .zero)
        quiet = .zero
        if countedAt != nil { countedAt = now }
        return silence >= Self.silence && now >= wakesAt
    }
}
