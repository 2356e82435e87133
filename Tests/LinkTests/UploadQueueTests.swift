import Domain
import HTTP
import JSONCoding
import Link
import Storage
import Testing
import Wire

@Suite struct UploadQueueTests {
    private static let time = UTC(milliseconds: 1_777_622_400_000)
    private static let start = Instant(nanoseconds: 0)

    /// A service of this test: one row, whose answers are texts.
    private static func service(isRepeatable: Bool = true) -> UploadService {
        UploadService(
            "made", url: "https://made.example", access: .password { _ in "user" },
            first: isRepeatable ? .look : .send(nil), isRepeatable: isRepeatable,
            request: { step, job in
                OutgoingRequest(
                    url: job.settings.address + (step == .look ? "/find/" : "/take/") + "\(job.id)",
                    content: step == .look ? nil : .file(job.file), bodyLimit: 100, timeout: .seconds(1))
            },
            outcome: { step, answer, _ in
                guard answer.status == 200 else { return nil }
                if step == .look, answer.json == .null { return .next(.send(nil)) }
                return answer.json?.string.map { .done($0) }
            })
    }

    private static func queue(_ count: Int = 1, isRepeatable: Bool = true) -> UploadQueue {
        UploadQueue(
            (0..<count).map {
                var settings = UploadSettings(name: "s\($0)")
                settings.service = service(isRepeatable: isRepeatable)
                return settings
            })
    }

    private static func uuid(_ number: Int) -> UUID { .derived(from: [UInt8(number)]) }

    private static func recorded(_ ids: Int..., open: Int? = nil, trashed: Int? = nil) -> JournalReader.Recorded {
        .init(
            ids.map { .init(uuid: uuid($0), id: $0) }, last: max(ids.max() ?? 0, open ?? 0, trashed ?? 0),
            lastEnded: max(ids.max() ?? 0, trashed ?? 0))
    }

    private static func finish(
        _ queue: inout UploadQueue, _ outcome: UploadService.Outcome, at now: Instant = start, isSent: Bool = true
    ) throws {
        let order = try #require(queue.next(at: now).first)
        queue.begin(order)
        if isSent { queue.send(order) }
        queue.finish(order, outcome, at: now, time: time, jitter: 0)
    }

    private static func state(_ queue: UploadQueue, _ id: Int) -> LinkRequest.UploadState {
        queue.services[0].entries[uuid(id)]?.state ?? .none
    }

    @Test func activitiesThatEndAfterTheServiceWasEnabledAreUploaded() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded(1, 2, open: 3))
        #expect(queue.next(at: Self.start).isEmpty)
        queue.survey(Self.recorded(1, 2, 3, open: 4))
        #expect(queue.next(at: Self.start).map(\.id) == [3])
        try Self.finish(&queue, .done("x"))
        #expect(Self.state(queue, 3) == .done)
        queue.survey(Self.recorded(1, 2, 3, 4))
        #expect(queue.next(at: Self.start).map(\.id) == [4])
    }

    @Test func anOlderActivityIsUploadedOnDemand() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded(1, 2))
        queue.ask(Self.uuid(1), 1, to: 0)
        #expect(queue.next(at: Self.start).map(\.id) == [1])
        try Self.finish(&queue, .done(nil))
        queue.ask(Self.uuid(1), 1, to: 0)
        #expect(queue.next(at: Self.start).isEmpty)
    }

    @Test func anotherJournalDoesNotUploadWhatItHas() {
        var queue = Self.queue()
        queue.survey(Self.recorded(7, 8))
        queue.survey(Self.recorded(1, 2))
        #expect(queue.next(at: Self.start).isEmpty)
        queue.survey(Self.recorded(1, 2, 3))
        #expect(queue.next(at: Self.start).map(\.id) == [3])
    }

    @Test func anOlderActivityThatComesOutOfTheTrashIsNotUploaded() {
        var queue = Self.queue()
        queue.survey(Self.recorded(1, 2))
        queue.survey(Self.recorded(1, trashed: 2))
        queue.survey(Self.recorded(1, 2))
        #expect(queue.next(at: Self.start).isEmpty)
    }

    @Test func oneActivityAtATimeGoesToEachService() throws {
        var queue = Self.queue(2)
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1, 2))
        let orders = queue.next(at: Self.start)
        #expect(orders.map(\.service) == [0, 1])
        #expect(orders.map(\.id) == [1, 1])
        queue.begin(orders[0])
        #expect(queue.next(at: Self.start).map(\.service) == [1])
    }

    @Test func anUnclearEndIsTriedAgainUntilNobodyCanTell() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1, 2))
        var now = Self.start
        for attempt in 1...16 {
            try Self.finish(&queue, .unclear("cut"), at: now)
            #expect(Self.state(queue, 1) == (attempt < 16 ? .waiting : .unknown))
            // Others go on meanwhile.
            if attempt == 1 {
                try Self.finish(&queue, .done(nil), at: now + .seconds(60))
                #expect(Self.state(queue, 2) == .done)
            }
            now = now + .seconds(6 * 3600)
        }
        #expect(queue.nextTime(after: now) == nil)
    }

    @Test func anUnclearEndIsNotTriedAgainWhereAServiceTakesTwo() throws {
        var queue = Self.queue(isRepeatable: false)
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1))
        try Self.finish(&queue, .unclear("cut"))
        #expect(Self.state(queue, 1) == .unknown)
        queue.ask(Self.uuid(1), 1, to: 0)
        #expect(Self.state(queue, 1) == .waiting)
    }

    @Test(arguments: [(true, LinkRequest.UploadState.waiting), (false, .unknown)])
    func afterAKillWhileItWasSentNobodyKnows(_ isRepeatable: Bool, _ expected: LinkRequest.UploadState) {
        var queue = Self.queue(isRepeatable: isRepeatable)
        queue.load(.init(id: 1, state: .sending), of: Self.uuid(1), to: 0)
        #expect(Self.state(queue, 1) == expected)
        #expect(queue.next(at: Self.start).map(\.step) == (isRepeatable ? [.look] : []))
    }

    @Test func aServiceThatCannotBeReachedIsTriedForEver() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1))
        var now = Self.start
        for _ in 1...100 {
            try Self.finish(&queue, .unreachable("no network"), at: now)
            let next = try #require(queue.nextTime(after: now))
            #expect(next - now >= .seconds(60) && next - now <= .seconds(6 * 3600))
            #expect(queue.next(at: now).isEmpty)
            now = next
        }
        #expect(Self.state(queue, 1) == .waiting)
    }

    @Test func thePauseThatAServiceAsksForIsKeptAgainstAUser() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1))
        try Self.finish(&queue, .later("limit", .seconds(900)))
        queue.ask(Self.uuid(1), 1, to: 0)
        #expect(queue.next(at: Self.start + .seconds(899)).isEmpty)
        #expect(queue.next(at: Self.start + .seconds(900)).count == 1)
        #expect(queue.services[0].asksFor == UTC(milliseconds: Self.time.milliseconds + 900_000))
    }

    @Test func aRefusedCredentialPausesTheServiceUntilSomebodyActs() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1))
        try Self.finish(&queue, .unauthorised("401"))
        #expect(queue.next(at: Self.start + .seconds(86_400)).isEmpty)
        #expect(queue.nextTime(after: Self.start) == nil)
        queue.resume(0)
        #expect(queue.next(at: Self.start).count == 1)
    }

    @Test func aServiceIsAskedForADayWhatBecameOfAFile() throws {
        var queue = Self.queue()
        queue.survey(Self.recorded())
        queue.survey(Self.recorded(1))
        try Self.finish(&queue, .processing("77"))
        var now = Self.start
        var questions = 0
        while Self.state(queue, 1) == .processing {
            now = try #require(queue.nextTime(after: now))
            #expect(queue.next(at: now).map(\.step) == [.poll("77")])
            try Self.finish(&queue, .processing("77"), at: now, isSent: false)
            questions += 1
        }
        #expect(Self.state(queue, 1) == .unknown)
        #expect(questions == 36)
        #expect(now - Self.start > .seconds(20 * 3600) && now - Self.start < .seconds(30 * 3600))
        // It is asked once more, and not sent once more.
        queue.ask(Self.uuid(1), 1, to: 0)
        #expect(queue.next(at: now).map(\.step) == [.poll("77")])
    }

    @Test func aRowOfTheTableIsAllThatANewServiceNeeds() throws {
        var settings = UploadSettings(name: "s0")
        let service = Self.service()
        settings.service = service
        let job = UploadJob(
            settings: settings, id: Self.uuid(1), name: nil, sport: .run, started: Self.time, file: "f")
        func outcome(_ step: UploadService.Step, _ status: Int, _ body: String) -> UploadService.Outcome {
            let response = HTTPResponse(status: status, headers: [:], body: Array(body.utf8))
            return service.outcome(.success(response), of: step, job, at: Self.time)
        }
        #expect(service.request(.look, job).url == "https://made.example/find/\(Self.uuid(1))")
        #expect(outcome(.look, 200, "null") == .next(.send(nil)))
        #expect(outcome(.send(nil), 200, #""n1""#) == .done("n1"))
        #expect(outcome(.send(nil), 200, "<html>") == .unclear("login page? made.example sends something else"))
        #expect(outcome(.send(nil), 413, "") == .refused("made.example does not take the file (413)"))
        #expect(outcome(.send(nil), 429, "") == .later("made.example limits requests (429)", .seconds(905)))
    }
}
