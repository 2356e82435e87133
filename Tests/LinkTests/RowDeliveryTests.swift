import Domain
import Link
import Testing

/// Which message a collector gets next, and what an acknowledgement changes.
struct RowDeliveryTests {
    private let one = UUID("018e0000-0000-7000-8000-000000000001")!
    private let two = UUID("018e0000-0000-7000-8000-000000000002")!
    private let database = UUID("11111111-1111-4111-8111-111111111111")!
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func activity(
        _ id: Int = 1, end: Int? = 100, isOpen: Bool = false, isDeleted: Bool = false, content: Int64 = 7,
        source: String = "s", journal: String = "j"
    ) -> RowDelivery.Activity {
        RowDelivery.Activity(
            id: id, source: source, end: end, isOpen: isOpen, isDeleted: isDeleted, content: content, journal: journal)
    }

    private func made(_ activities: [UUID: RowDelivery.Activity], for sinks: [String] = ["a"]) -> RowDelivery {
        var delivery = RowDelivery(sinks: sinks, timeout: .seconds(15))
        delivery.survey(activities, journal: "j")
        return delivery
    }

    /// Sends the next message with rows up to `next`.
    private func send(_ delivery: inout RowDelivery, next: Int = 0, at now: Instant, as number: Int32 = 1)
        -> RowDelivery.Order?
    {
        guard let (order, sinks) = delivery.next(at: now) else { return nil }
        delivery.sent(order, next: next, to: sinks, as: number, at: now)
        return order
    }

    private func acknowledge(
        _ delivery: inout RowDelivery, _ activity: UUID, revision: Int, next: Int, epoch: UUID? = nil,
        sink: String = "a"
    ) {
        delivery.acknowledge(
            RowAcknowledgement(epoch: epoch ?? database, activity: activity, revision: revision, next: next),
            sink: sink, at: start)
    }

    @Test func headComesFirstAndFourMessagesAreInFlight() {
        var delivery = made([one: activity()])
        #expect(send(&delivery, at: start) == .head(one, revision: 1))
        #expect(send(&delivery, next: 30, at: start) == .rows(one, from: 0))
        #expect(send(&delivery, next: 60, at: start) == .rows(one, from: 30))
        #expect(send(&delivery, next: 90, at: start) == .rows(one, from: 60))
        #expect(send(&delivery, at: start) == nil)
        acknowledge(&delivery, one, revision: 1, next: 30)
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 90))
        acknowledge(&delivery, one, revision: 1, next: 100)
        #expect(send(&delivery, at: start) == nil)
        #expect(delivery.backlog(of: 0) == 0)
    }

    @Test func olderActivityComesFirst() {
        var delivery = made([two: activity(2), one: activity(1)])
        acknowledge(&delivery, one, revision: 1, next: 0)
        acknowledge(&delivery, two, revision: 1, next: 0)
        #expect(delivery.next(at: start)?.order == .rows(one, from: 0))
    }

    @Test func whatIsNotAcknowledgedInTimeIsSentAgain() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 0)
        #expect(send(&delivery, next: 30, at: start) == .rows(one, from: 0))
        delivery.expire(at: start + .seconds(14))
        #expect(delivery.next(at: start)?.order == .rows(one, from: 30))
        #expect(delivery.nextCheck(after: start) == start + .seconds(15))
        delivery.expire(at: start + .seconds(15))
        #expect(delivery.next(at: start + .seconds(15))?.order == .rows(one, from: 0))
        #expect(delivery.sinks[0].isSilent)
    }

    @Test func lateBatchOfADeletedActivityIsNotCounted() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([one: activity(isDeleted: true)], journal: "j")
        #expect(send(&delivery, at: start) == .tombstone(one, revision: 2))
        // An acknowledgement from before the tombstone, retained by the broker.
        acknowledge(&delivery, one, revision: 1, next: 100)
        #expect(delivery.sinks[0].positions[one]?.next == 0)
        acknowledge(&delivery, one, revision: 2, next: 0)
        #expect(send(&delivery, at: start) == nil)
    }

    @Test func restoredActivityIsSentAnew() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([one: activity(isDeleted: true)], journal: "j")
        acknowledge(&delivery, one, revision: 2, next: 0)
        delivery.survey([one: activity()], journal: "j")
        #expect(send(&delivery, at: start) == .head(one, revision: 3))
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 0))
        acknowledge(&delivery, one, revision: 1, next: 100)
        #expect(delivery.sinks[0].positions[one]?.next == 0)
    }

    @Test func editSendsTheHeadAndNoRows() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([one: activity(content: 8)], journal: "j")
        #expect(send(&delivery, at: start) == .head(one, revision: 2))
        #expect(send(&delivery, at: start) == nil)
    }

    @Test func otherRowsAtTheSamePlacesFollowATombstone() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([one: activity(source: "t")], journal: "j")
        #expect(send(&delivery, at: start) == .tombstone(one, revision: 2))
        acknowledge(&delivery, one, revision: 2, next: 0)
        #expect(send(&delivery, at: start) == .head(one, revision: 3))
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 0))
    }

    @Test func anotherEpochBeginsAnew() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        #expect(delivery.next(at: start) == nil)
        acknowledge(&delivery, one, revision: 1, next: 40, epoch: two)
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 40))
    }

    @Test func anotherEpochSendsTheOtherActivitiesToo() {
        var delivery = made([one: activity(1), two: activity(2)])
        acknowledge(&delivery, one, revision: 1, next: 100)
        acknowledge(&delivery, two, revision: 1, next: 100)
        acknowledge(&delivery, two, revision: 1, next: 100, epoch: two)
        #expect(send(&delivery, at: start) == .head(one, revision: 1))
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 0))
    }

    @Test func collectorThatKnowsMoreRevisionsGetsAHigherOne() {
        // The file of what was delivered was lost, and the collector has deleted the activity before.
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 6, next: 0)
        #expect(send(&delivery, at: start) == .head(one, revision: 7))
        acknowledge(&delivery, one, revision: 7, next: 0)
        #expect(send(&delivery, next: 100, at: start) == .rows(one, from: 0))
    }

    @Test func erasedActivityGetsATombstoneAndIsForgottenAfterIt() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([:], journal: "j")
        #expect(send(&delivery, at: start) == .tombstone(one, revision: 2))
        delivery.survey([:], journal: "j")
        #expect(delivery.activities[one] != nil)
        acknowledge(&delivery, one, revision: 2, next: 0)
        delivery.survey([:], journal: "j")
        #expect(delivery.activities[one] == nil)
    }

    @Test func anotherJournalDeletesNothing() {
        var delivery = made([one: activity()])
        acknowledge(&delivery, one, revision: 1, next: 100)
        delivery.survey([:], journal: "other")
        #expect(delivery.next(at: start) == nil)
        #expect(delivery.activities[one]?.isDeleted == false)
    }

    @Test func twoCollectorsAtOnePlaceShareAMessage() {
        let delivery = made([one: activity()], for: ["a", "b"])
        let first = delivery.next(at: start)
        #expect(first?.order == .head(one, revision: 1) && first?.sinks == [0, 1])
    }

    @Test func silentCollectorDoesNotHoldTheOtherOne() {
        var delivery = made([one: activity()], for: ["a", "b"])
        acknowledge(&delivery, one, revision: 1, next: 0, sink: "b")
        for next in stride(from: 30, through: 90, by: 30) {
            _ = send(&delivery, next: next, at: start)
            acknowledge(&delivery, one, revision: 1, next: next, sink: "b")
        }
        while send(&delivery, next: 100, at: start) != nil {}
        acknowledge(&delivery, one, revision: 1, next: 100, sink: "b")
        #expect(delivery.backlog(of: 1) == 0)
        #expect(delivery.backlog(of: 0) == 100)
    }

    @Test func absentCollectorCostsOneMessageAPause() {
        var delivery = made([one: activity()])
        _ = send(&delivery, at: start, as: 5)
        #expect(delivery.hasFlight(5))
        delivery.refuse(5, isAbsent: true, at: start)
        #expect(delivery.next(at: start + .seconds(59)) == nil)
        let later = start + .seconds(60)
        delivery.expire(at: later)
        #expect(send(&delivery, at: later) == .head(one, revision: 1))
        #expect(send(&delivery, at: later) == nil)
    }

    @Test func runningActivityIsSentEachHalfMinute() {
        var delivery = made([one: activity(end: 2, isOpen: true)])
        acknowledge(&delivery, one, revision: 1, next: 0)
        #expect(send(&delivery, next: 2, at: start) == .rows(one, from: 0))
        acknowledge(&delivery, one, revision: 1, next: 2)
        delivery.grow(one, to: 40)
        #expect(delivery.next(at: start + .seconds(29)) == nil)
        #expect(delivery.nextCheck(after: start) == start + .seconds(30))
        #expect(delivery.next(at: start + .seconds(30))?.order == .rows(one, from: 2))
        // After a time without a connection they are not spread.
        delivery.grow(one, to: 102)
        #expect(delivery.next(at: start + .seconds(1))?.order == .rows(one, from: 2))
    }

    @Test func acknowledgementBeyondTheJournalIsNoLoss() {
        var delivery = made([one: activity(end: 50, isOpen: true)])
        acknowledge(&delivery, one, revision: 1, next: 4_000_000)
        #expect(delivery.sinks[0].positions[one]?.next == 50)
        delivery.grow(one, to: 150)
        #expect(delivery.next(at: start)?.order == .rows(one, from: 50))
    }

    @Test func wrongAcknowledgementsAreIgnored() {
        #expect(LinkMessages.acknowledgement(Array("{}".utf8)) == nil)
        #expect(LinkMessages.acknowledgement([0xFF, 0x00]) == nil)
        let text =
            #"{"epoch":"11111111-1111-4111-8111-111111111111","activity":"018e0000-0000-7000-8000-000000000001","revision":-1,"next":3}"#
        #expect(LinkMessages.acknowledgement(Array(text.utf8)) == nil)
        var delivery = made([one: activity()])
        acknowledge(&delivery, two, revision: 1, next: 3)
        acknowledge(&delivery, one, revision: 1, next: 3, sink: "stranger")
        #expect(delivery.sinks[0].positions.isEmpty)
    }
}
