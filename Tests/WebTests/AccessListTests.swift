import Domain
import Linux
import TestKit
import Testing
import Web

@Suite struct AccessListTests {
    private static let now = Instant(nanoseconds: 0)
    private static let day = AccessToken.dayMilliseconds
    private static let start = UTC(milliseconds: Release.date.milliseconds + 10 * day)

    private var list = AccessList()
    private var random = SeededRandom(seed: 1)

    private mutating func signIn(_ scope: AccessScope = .watch) throws -> Secret {
        let code = list.makeCode(scope, at: Self.now, random: &random)
        let name = try #require(SanitizedText("Firefox"))
        return try list.exchange(code, name: name, at: Self.now, Self.start, random: &random).secret
    }

    @Test mutating func codeMakesOneToken() throws {
        let code = list.makeCode(.control, at: Self.now, random: &random)
        let name = try #require(SanitizedText("Firefox"))
        let made = try list.exchange(code, name: name, at: Self.now + .seconds(119), Self.start, random: &random)
        #expect(made.token.scope == .control && made.token.id == 1)
        #expect(list.token(made.secret.text, at: Self.start) == made.token)
        var again = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try again.exchange(code, name: name, at: Self.now + .seconds(119), Self.start, random: &random)
        }
    }

    @Test mutating func codeEndsAfterTwoMinutes() throws {
        let code = list.makeCode(.watch, at: Self.now, random: &random)
        let name = try #require(SanitizedText("Firefox"))
        var late = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try late.exchange(code, name: name, at: Self.now + .seconds(120), Self.start, random: &random)
        }
    }

    @Test mutating func oldestOfNineCodesEnds() throws {
        let codes = (0..<9).map { _ in list.makeCode(.watch, at: Self.now, random: &random) }
        let name = try #require(SanitizedText("Firefox"))
        var copy = list
        #expect(throws: AccessList.Refusal.wrongCode) {
            try copy.exchange(codes[0], name: name, at: Self.now, Self.start, random: &random)
        }
        #expect(try list.exchange(codes[1], name: name, at: Self.now, Self.start, random: &random).token.id == 1)
    }

    @Test mutating func tokenExpiresAfter90DaysWithoutUse() throws {
        let secret = try signIn()
        let used = UTC(milliseconds: Self.start.milliseconds + 89 * Self.day)
        #expect(list.token(secret.text, at: used)?.used == used)
        let later = UTC(milliseconds: used.milliseconds + 90 * Self.day)
        #expect(list.token(secret.text, at: later) != nil)
        #expect(list.token(secret.text, at: UTC(milliseconds: later.milliseconds + 90 * Self.day + 1)) == nil)
        #expect(list.tokens.isEmpty)
    }

    @Test mutating func clockThatIsNotSetExpiresNothing() throws {
        let secret = try signIn()
        let first = list.token(secret.text, at: UTC(milliseconds: 0))
        #expect(first?.used == Self.start)
        #expect(list.tokens.count == 1)
    }

    @Test mutating func useIsStoredOnceADay() throws {
        let secret = try signIn()
        list.isChanged = false
        _ = list.token(secret.text, at: UTC(milliseconds: Self.start.milliseconds + Self.day - 1))
        #expect(!list.isChanged)
        _ = list.token(secret.text, at: UTC(milliseconds: Self.start.milliseconds + Self.day))
        #expect(list.isChanged)
    }

    @Test mutating func revokedTokenIsUnknownAndItsNumberIsNotUsedAgain() throws {
        let first = try signIn()
        #expect(list.revoke(7) == [])
        #expect(list.revoke(1) == [1])
        #expect(list.token(first.text, at: Self.start) == nil)
        let second = try signIn()
        #expect(list.token(second.text, at: Self.start)?.id == 2)
        _ = try signIn()
        #expect(list.revoke(nil) == [2, 3])
    }

    @Test mutating func sixtyFourTokensAtMost() throws {
        for _ in 0..<64 { _ = try signIn() }
        let code = list.makeCode(.watch, at: Self.now, random: &random)
        let name = try #require(SanitizedText("Firefox"))
        var copy = list
        #expect(throws: AccessList.Refusal.tooManyTokens) {
            try copy.exchange(code, name: name, at: Self.now, Self.start, random: &random)
        }
    }

    @Test mutating func fileHoldsTheTokensAndNoSecret() throws {
        let directory = TemporaryDirectory()
        let file = TokenFile(in: directory.path)
        let secret = try signIn(.control)
        try file.write(list)
        var read = try file.read()
        #expect(read.tokens == list.tokens && read.lastID == 1)
        #expect(read.token(secret.text, at: Self.start)?.scope == .control)
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
        #expect(list.token("0RMFVC4M0MCPAFVVSBKX4RRGB6", at: UTC(milliseconds: 1_795_666_081_828))?.id == 3)
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
