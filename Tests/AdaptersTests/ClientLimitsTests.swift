import Glibc
import Linux
import Testing

@testable import Adapters

/// Who is taken beside whom.
@Test func usersAreLimitedEachForItself() throws {
    let limits = ClientLimits(total: 4, perUser: 2)
    let client = try FileDescriptor.open("/dev/null", O_RDONLY)
    #expect(limits.refusal(of: client, from: 7, among: []) == nil)
    #expect(limits.refusal(of: client, from: 7, among: [7]) == nil)
    #expect(limits.refusal(of: client, from: 7, among: [7, 7]) == "too many clients of user 7: at most 2")
    #expect(limits.refusal(of: client, from: 8, among: [7, 7]) == nil)
    #expect(limits.refusal(of: client, from: 0, among: [0, 0, 7]) == "too many clients of user 0: at most 2")
    #expect(limits.refusal(of: client, from: 9, among: [7, 7, 8, 8]) == "too many clients: at most 4")
}

@Test func theLastDescriptorsAreNotForClients() throws {
    let limits = ClientLimits(total: 4, perUser: 4)
    let file = try FileDescriptor.open("/dev/null", O_RDONLY)
    let last = fcntl(file.number, F_DUPFD_CLOEXEC, FileDescriptor.limit - ClientLimits.spareDescriptors)
    let client = FileDescriptor(owning: last)
    #expect(last > 0)
    #expect(limits.refusal(of: client, from: 7, among: [])?.contains("LimitNOFILE") == true)
    let before = FileDescriptor(owning: fcntl(file.number, F_DUPFD_CLOEXEC, last - 1 - 1))
    #expect(limits.refusal(of: before, from: 7, among: []) == nil)
}
