import Linux

/// How many clients one socket takes: of all users together, and of each, so that none of them keeps the others out.
package struct ClientLimits: Equatable, Sendable {
    package var total: Int
    /// Root's too.
    package var perUser: Int

    /// So many descriptors are left for devices and the disk, however many clients there may be.
    static let spareDescriptors: Int32 = 16

    package init(total: Int, perUser: Int) {
        self.total = total
        self.perUser = perUser
    }

    /// Why no client more is taken, for people; nil where there is room for it.
    ///
    /// - Parameters:
    ///   - client: its connection, accepted already.
    ///   - others: the users of the clients that are there, and the numbers of their descriptors.
    func refusal(
        of client: borrowing FileDescriptor, from user: UInt32, among others: [(user: UInt32, number: Int32)]
    ) -> String? {
        if others.count >= total { return "too many clients: at most \(total)" }
        let own = others.filter { $0.user == user }.map(\.number)
        // Those who have hung up are no clients any more, also where what they said last has not been read yet.
        if own.count >= perUser, own.count - UnixSocket.countHungUp(own) >= perUser {
            return "too many clients of user \(user): at most \(perUser)"
        }
        // The kernel gives the lowest number that is free.
        if client.number >= FileDescriptor.limit - Self.spareDescriptors {
            return "too many clients: paced may open \(FileDescriptor.limit) files (LimitNOFILE=)"
        }
        return nil
    }
}
