import Domain
import Linux
import TestKit
import Testing
import Web

@Suite struct SharedPlacesTests {
    private var places = SharedPlaces(16)

    private func token(_ scope: AccessScope) throws -> AccessToken {
        var (list, random) = (AccessList(), SeededRandom(seed: 1))
        let (now, name) = (Instant(nanoseconds: 0), try #require(SanitizedText("Firefox")))
        let code = Secret(random: &random)
        list.makeCode(scope, by: .init(user: 0, isMember: true), at: now, code)
        let clock = PlausibleClock.Reading(Release.date, isPlausible: true)
        return try list.exchange(code, name: name, at: now, clock, Secret(random: &random))
    }

    /// How many of so many attempts of a token get a place.
    private mutating func places(of attempts: Int, _ token: AccessToken) -> Int {
        (0..<attempts).count { _ in places.take(for: token) }
    }

    @Test mutating func tokenHasSixPlaces() throws {
        let token = try token(.control)
        let first = places(of: 10, token)
        places.leave(token)
        let later = places(of: 10, token)
        #expect(first == 6 && later == 1 && places.count == 6)
    }

    @Test mutating func lastPlacesAreForTokensThatMayCommand() throws {
        var (watch, control) = (try token(.watch), try token(.control))
        var counts: [Int] = []
        for id in 1...3 {
            watch.id = id
            counts.append(places(of: 6, watch))
        }
        control.id = 4
        counts.append(places(of: 6, control))
        #expect(counts == [6, 6, 0, 4])
    }
}
