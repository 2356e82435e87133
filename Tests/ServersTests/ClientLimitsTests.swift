import Glibc
import Linux
import Servers
import Testing

/// The limits count each user separately.
@Test func limitsCountEachUserSeparately() throws {
    let limits = ClientLimits(total: 4, perUser: 2)
    let client = try FileDescriptor.open("/dev/null", O_RDONLY)
    func refusal(of user: UInt32, among users: [UInt32]) -> String? {
        limits.rejection(of: client, from: user, among: users.map { ($0, client.number) })
    }
    #expect(refusal(of: 7, among: []) == nil)
    #expect(refusal(of: 7, among: [7]) == nil)
    #expect(refusal(of: 7, among: [7, 7]) == "too many clients of user 7: at most 2")
    #expect(refusal(of: 8, among: [7, 7]) == nil)
    #expect(refusal(of: 0, among: [0, 0, 7]) == "too many clients of user 0: at most 2")
    #expect(refusal(of: 9, among: [7, 7, 8, 8]) == "too many clients: at most 4")
}

@Test func spareDescriptorsAreKeptFromClients() throws {
    let limits = ClientLimits(total: 4, perUser: 4)
    let file = try FileDescriptor.open("/dev/null", O_RDONLY)
    let last = fcntl(file.number, F_DUPFD_CLOEXEC, FileDescriptor.limit - ClientLimits.spareDescriptors)
    let client = FileDescriptor(owning: last)
    #expect(last > 0)
    #expect(limits.rejection(of: client, from: 7, among: [])?.contains("LimitNOFILE") == true)
    #expect(limits.rejection(of: client, from: 7, among: [], keeping: 0) == nil)
    let before = FileDescriptor(owning: fcntl(file.number, F_DUPFD_CLOEXEC, last - 1 - 1))
    #expect(limits.rejection(of: before, from: 7, among: []) == nil)
}

@Test func closedClientsDoNotCountForTheirUser() throws {
    let limits = ClientLimits(total: 4, perUser: 2)
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let ours = FileDescriptor(owning: ends[0])
    let client = try FileDescriptor.open("/dev/null", O_RDONLY)
    let others = [(user: UInt32(7), number: ours.number), (user: 7, number: client.number)]
    #expect(limits.rejection(of: client, from: 7, among: others) != nil)
    // The client shuts down its sending side, but still reads.
    shutdown(ends[1], Int32(SHUT_WR))
    #expect(limits.rejection(of: client, from: 7, among: others) != nil)
    close(ends[1])
    #expect(limits.rejection(of: client, from: 7, among: others) == nil)
    #expect(limits.rejection(of: client, from: 7, among: others + others) != nil)
}
