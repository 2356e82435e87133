import Linux

/// How many clients one socket takes: of all users together, and of each, so that none of them keeps the others out.
package struct ClientLimits: Equatable, Sendable {
    package var total: Int
    /// Root's too.
    package var perUser: Int

    /// Descriptors that are left for devices and the disk, however many clients there are.
    static let spareDescriptors: Int32 = 16

    /// Descriptors beside these that clients of state.sock leave for those of control.sock.
    static let controlDescriptors: Int32 = 8

    package init(total: Int, perUser: Int) {
        self.total = total
        self.perUser = perUser
    }

    /// Why no client more is taken, for people; nil where there is room for it.
    ///
    /// - Parameters:
    ///   - client: its connection, accepted already.
    ///   - others: the users of the clients that are there, and the numbers of their descriptors.
    ///   - spare: how many of the last descriptors are not for these clients.
    func refusal(
        of client: borrowing FileDescriptor, from user: UInt32, among others: [(user: UInt32, number: Int32)],
        keeping spare: Int32 = spareDescriptors
    ) -> String? {
        if others.count >= total { return "too many clients: at most \(total)" }
        let own = others.filter { $0.user == user }.map(\.number)
        // Those who have hung up are no clients any more, also where what they said last has not been read yet.
        if own.count >= perUser, own.count - UnixSocket.countHungUp(own) >= perUser {
            return "too many clients of user \(user): at most \(perUser)"
        }
        // The kernel gives the lowest number that is free.
        return client.number >= FileDescriptor.limit - spare ? Self.noDescriptor : nil
    }

    /// Why a client is refused that there is no descriptor for, for people.
    static var noDescriptor: String {
        "too many clients: paced may open \(FileDescriptor.limit) files (LimitNOFILE=)"
    }
}
