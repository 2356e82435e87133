import Domain
import Foundation
import Linux
import Testing

/// The nice value of the calling thread; field 19 of proc_pid_stat(5).
private func niceness() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8) else { return nil }
    let fields = text.split(separator: ")").last?.split(separator: " ")
    return fields.flatMap { $0.count > 16 ? Int($0[16]) : nil }
}

@Test func nicenessOfAThreadDoesNotChangeItsCaller() throws {
    final class Found: Sendable {
        let niceness = Locked(Int?.none)
    }
    let before = try #require(niceness())
    let found = Found()
    let thread = try WorkerThread("patient", niceness: 17) { found.niceness.withLock { $0 = niceness() } }
    thread.join()
    #expect(found.niceness.withLock { $0 } == 17)
    #expect(niceness() == before)
}
