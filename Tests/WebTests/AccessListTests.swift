import Domain
import Linux
import TestKit
import Testing
import Web

@Suite struct AccessListTests {
    private static let now = Instant(nanoseconds: 0)
    private static let day = AccessToken.dayMilliseconds
    private static let start = UTC(milliseconds: Release.date.milliseconds + 10 * day)
    private static let root = AccessToken.Maker(user: 0, isMember: true)

    private var list = AccessList()
    private var random = SeededRandom(seed: 1)

    /// A time of a clock that is plausible, days after the start.
    private static func after(_ days: Int64, _ more: Int64 = 0, isPlausible: Bool = true) -> PlausibleClock.Reading {
        PlausibleClock.Reading(UTC(milliseconds: start.milliseconds + days * day + more), isPlausible: isPlausible)
    }

    @discardableResult
    private mutating func signIn(
        _ scope: AccessScope = .watch, of user: UInt32 = 0, at clock: PlausibleClock.Reading = after(0)
    ) throws -> Secret {
        let maker = AccessToken.Maker(user: user, isMember: true)
        let (code, secret) = (self.code(scope, by: maker), Secret(random: &random))
        let name = try #require(SanitizedText("Firefox"))
        _ = try list.exchange(code, name: name, at: Self.now, clock, secret)
        return secret
    }

    private mutating func code(_ scope: AccessScope, by maker: AccessToken.Maker) -> Secret {
        let code = Secret(random: &random)
        list.makeCode(scope, by: maker, at: Self.now, code)
        return code
    }

    @Test mutating func codeMakesOneToken() throws {
        let code = self.code(.control, by: Self.root)
        let name = try #require(SanitizedText("Firefox"))
        let secret = Secret(random: &random)
        let token = try list.exchange(code, name: name, at: Self.now + .seconds(119), Self.after(0), secret)
        #expect(token.scope == .control && token.id == 1)
        #expect(list.token(secret.text, at: Self.after(0)) == token)
        var again = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try again.exchange(code, name: name, at: Self.now + .seconds(119), Self.after(0), Secret(random: &random))
        }
    }

    @Test mutating func codeEndsAfterTwoMinutes() throws {
        let code = self.code(.watch, by: Self.root)
        let name = try #require(SanitizedText("Firefox"))
        var late = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try late.exchange(code, name: name, at: Self.now + .seconds(120), Self.after(0), Secret(random: &random))
        }
    }

    @Test mutating func oldestOfNineCodesEnds() throws {
        let codes = (0..<9).map { _ in code(.watch, by: Self.root) }
        let name = try #require(SanitizedText("Firefox"))
        var copy = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try copy.exchange(codes[0], name: name, at: Self.now, Self.after(0), Secret(random: &random))
        }
        #expect(try list.exchange(codes[1], name: name, at: Self.now, Self.after(0), Secret(random: &random)).id == 1)
    }

    @Test mutating func tokenExpiresAfter90DaysWithoutUse() throws {
        let secret = try signIn()
        #expect(list.token(secret.text, at: Self.after(89))?.used == Self.after(89).time)
        #expect(list.token(secret.text, at: Self.after(179)) != nil)
        #expect(list.token(secret.text, at: Self.after(269, 1)) == nil)
        #expect(list.tokens.isEmpty)
    }

    @Test mutating func clockThatIsNotPlausibleExpiresAndDatesNothing() throws {
        let secret = try signIn()
        let start = Self.after(0).time
        #expect(list.token(secret.text, at: Self.after(-10_000, isPlausible: false))?.used == start)
        #expect(list.token(secret.text, at: Self.after(91, isPlausible: false))?.used == start)
        // It was used meanwhile, at a time that nobody knows.
        #expect(list.token(secret.text, at: Self.after(91))?.used == Self.after(91).time)
    }

    @Test mutating func tokenOfABoardWithoutAClockIsDatedLater() throws {
        let secret = try signIn(at: Self.after(-10_000, isPlausible: false))
        #expect(list.token(secret.text, at: Self.after(0))?.used == Self.after(0).time)
    }

    @Test mutating func useAtAClockThatWasAheadIsDatedAgain() throws {
        let secret = try signIn(at: Self.after(400))
        #expect(list.token(secret.text, at: Self.after(0))?.used == Self.after(0).time)
        #expect(list.token(secret.text, at: Self.after(91)) == nil)
    }

    @Test mutating func requestEndsNoTokenOfAnotherBrowser() throws {
        let (used, unused) = (try signIn(), try signIn())
        #expect(list.token(used.text, at: Self.after(89)) != nil)
        #expect(list.token(used.text, at: Self.after(91)) != nil)
        #expect(list.tokens.count == 2)
        #expect(list.token(unused.text, at: Self.after(91)) == nil)
    }

    @Test mutating func useIsStoredOnceADay() throws {
        let secret = try signIn()
        list.isChanged = false
        _ = list.token(secret.text, at: Self.after(1, -1))
        #expect(!list.isChanged)
        _ = list.token(secret.text, at: Self.after(1))
        #expect(list.isChanged)
    }

    @Test mutating func revokedTokenIsUnknownAndItsNumberIsNotUsedAgain() throws {
        let first = try signIn()
        #expect(list.revoke(7) == [])
        #expect(list.revoke(1) == [1])
        #expect(list.token(first.text, at: Self.after(0)) == nil)
        let second = try signIn()
        #expect(list.token(second.text, at: Self.after(0))?.id == 2)
        _ = try signIn()
        #expect(list.revoke(nil) == [2, 3])
    }

    @Test mutating func userHas32TokensOfAScopeAtMost() throws {
        for _ in 0..<32 { try signIn(of: 1) }
        #expect(throws: AccessList.Refusal.tooManyTokens) { try signIn(of: 1) }
        try signIn(.control, of: 1)
        try signIn(of: 2)
    }

    @Test mutating func scopeHas64TokensAtMost() throws {
        for number in 0..<64 { try signIn(of: UInt32(number / 32)) }
        #expect(throws: AccessList.Refusal.tooManyTokens) { try signIn(of: 2) }
        try signIn(.control, of: 2)
    }

    @Test mutating func codeStaysValidIfThereAreTooManyTokens() throws {
        for _ in 0..<32 { try signIn() }
        let code = self.code(.watch, by: Self.root)
        let name = try #require(SanitizedText("Firefox"))
        var full = list
        #expect(throws: AccessList.Refusal.tooManyTokens) {
            try full.exchange(code, name: name, at: Self.now, Self.after(0), Secret(random: &random))
        }
        _ = full.revoke(1)
        #expect(try full.exchange(code, name: name, at: Self.now, Self.after(0), Secret(random: &random)).id == 33)
    }

    @Test mutating func oldestExpiredTokenMakesRoom() throws {
        try signIn(at: Self.after(1))
        for _ in 0..<31 { try signIn() }
        try signIn(at: Self.after(95))
        #expect(list.tokens.map(\.id) == [1] + Array(3...33))
        #expect(throws: AccessList.Refusal.tooManyTokens) { try signIn(at: Self.after(95, isPlausible: false)) }
    }

    @Test mutating func nineCodesOfAUserEndNoCodeOfAnother() throws {
        let maker = AccessToken.Maker(user: 1, isMember: true)
        let other = code(.watch, by: maker)
        for _ in 0..<9 { _ = code(.watch, by: Self.root) }
        let name = try #require(SanitizedText("Firefox"))
        let token = try list.exchange(other, name: name, at: Self.now, Self.after(0), Secret(random: &random))
        #expect(token.maker == maker)
    }

    @Test mutating func fileHoldsTheTokensAndNoSecret() throws {
        let directory = TemporaryDirectory()
        let file = TokenFile(in: directory.path)
        let secret = try signIn(.control)
        try file.write(list)
        var read = try file.read()
        #expect(read.tokens == list.tokens && read.lastID == 1)
        #expect(read.token(secret.text, at: Self.after(0))?.scope == .control)
        #expect(!String(decoding: TokenFile.bytes(of: list), as: UTF8.self).contains(secret.text))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"version":2,"last_id":0,"tokens":[]}"#, #"{"version":1,"last_id":0,"tokens":[{}]}"#,
        #"{"version":1,"last_id":0,"tokens":[{"id":1,"hash":"ab","scope":"watch","name":"a","created_ms":0,"used_ms":0}]}"#,
    ])
    func damagedFileIsNamed(_ text: String) throws {
        let directory = TemporaryDirectory()
        try AtomicFile(in: directory.path, name: "tokens.json", mode: 0o600).replace(with: Array(text.utf8))
        let failure = #expect(throws: TokenFile.Failure.self) { try TokenFile(in: directory.path).read() }
        #expect(failure?.line.contains("tokens.json is damaged: remove it") == true)
    }

    @Test func fileOfTheFirstVersionOpens() throws {
        let directory = TemporaryDirectory()
        let text = """
            {"version":1,"last_id":4,"tokens":[{"id":3,\
            "hash":"51dc936f112eae9713bfd4704a71243a5c36712fc312303d59d45b6ed0d47708","scope":"control","name":"curl",\
            "created_ms":1795666081828,"used_ms":1795666081828}]}
            """
        try AtomicFile(in: directory.path, name: "tokens.json", mode: 0o600).replace(with: Array(text.utf8))
        var list = try TokenFile(in: directory.path).read()
        #expect(list.lastID == 4)
        let clock = PlausibleClock.Reading(UTC(milliseconds: 1_795_666_081_828), isPlausible: true)
        let token = list.token("0RMFVC4M0MCPAFVVSBKX4RRGB6", at: clock)
        #expect(token?.id == 3 && token?.maker == nil)
    }
}

@Suite struct SecretTests {
    @Test func secretHas128BitsIn26Digits() {
        var random = SeededRandom(seed: 2)
        let secrets = (0..<1000).map { _ in Secret(random: &random).text }
        #expect(Set(secrets).count == 1000)
        #expect(secrets.allSatisfy { $0.count == 26 })
        // The last digit has the 3 bits that are left of 128.
        #expect(Set(secrets.compactMap(\.last)).count == 8)
        for index in 0..<25 {
            #expect(Set(secrets.map { Array($0)[index] }).count == 32)
        }
    }

    @Test func typedSecretNeedsNoHyphensAndForgivesLookalikes() throws {
        var random = SeededRandom(seed: 3)
        let secret = Secret(random: &random)
        #expect(Secret(typed: secret.grouped) == secret)
        #expect(Secret(typed: secret.text.lowercased()) == secret)
        #expect(Secret(typed: "o" + String(repeating: "l", count: 25))?.text == "0" + String(repeating: "1", count: 25))
        for text in ["", "0", String(secret.text.dropLast()), secret.text + "0", String(repeating: "U", count: 26)] {
            #expect(Secret(typed: text) == nil)
        }
    }
}
