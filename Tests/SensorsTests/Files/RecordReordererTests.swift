import Domain
import Formats
import Testing

@Suite struct RecordReordererTests {
    @Test func recordsInOrderAreEmittedAtOnceExceptTheFirst() {
        var order = RecordReorderer<Int>()
        var passed: [Int] = []
        for second in 0..<5 {
            order.append(second, at: Self.time(second)) { record, _ in passed.append(record) }
            #expect(passed.count == (second == 0 ? 0 : second + 1))
        }
        #expect(Self.order([0, 1, 1, 2, 3]).passed == [0, 1, 1, 2, 3])
        #expect(Self.order([7]).passed == [7])
    }

    @Test func recordsThatGoBackAreSkipped() {
        let result = Self.order([0, 1, 2, 1, 0, 3])
        #expect(result.passed == [0, 1, 2, 3])
        #expect(result.backward == 2)
    }

    @Test(arguments: [1, 20])
    func recordsThatJumpAheadAndReturnAreSkipped(count: Int) {
        let jumped = (0..<count).map { 5000 + $0 }
        let result = Self.order([0, 1, 2] + jumped + [3, 4])
        #expect(result.passed == [0, 1, 2, 3, 4])
        #expect(result.ahead == count)
    }

    @Test func lastingJumpAheadIsAccepted() {
        let result = Self.order([0, 1, 2] + (0..<21).map { 5000 + $0 } + [3, 5021])
        #expect(result.passed == [0, 1, 2] + (0..<22).map { 5000 + $0 })
        #expect(result.backward == 1)
        #expect(Self.order([0, 1, 602]).passed == [0, 1, 602], "the file ends before it can come back")
        #expect(Self.order([0, 1, 601, 2]).passed == [0, 1, 601], "ten minutes are no jump")
    }

    @Test func firstRecordFromAnotherTimeIsSkipped() {
        let result = Self.order([900_000, 0, 1, 2])
        #expect(result.passed == [0, 1, 2])
        #expect(result.ahead == 1)
    }

    private static func time(_ second: Int) -> UTC {
        UTC(milliseconds: 1_772_350_212_000 + Int64(second) * 1000)
    }

    private static func order(_ seconds: [Int]) -> (passed: [Int], backward: Int, ahead: Int) {
        var order = RecordReorderer<Int>()
        var passed: [Int] = []
        for second in seconds { order.append(second, at: time(second)) { record, _ in passed.append(record) } }
        order.finish { record, _ in passed.append(record) }
        return (passed, order.backward, order.ahead)
    }
}
