package import Linux

/// The most clients that one socket serves: in total and for each user, so that no user locks the others out.
package struct ClientLimits: Equatable, Sendable {
    package var total: Int
    /// This limit holds for root too.
    package var perUser: Int

    /// Descriptors reserved for devices and files, whatever the number of clients.
    package static let spareDescriptors: Int32 = 16

    /// Descriptors, beside the spare ones, that clients of state.sock and publish.sock leave free for clients of control.sock.
    static let controlDescriptors: Int32 = 8
    /// What clients of any other socket than control.sock leave free.
    package static let othersSpareDescriptors = spareDescriptors + controlDescriptors

    package init(total: Int, perUser: Int) {
        self.total = total
        self.perUser = perUser
    }

    /// The reason to refuse another client, as text for people. Nil if there is room for it.
    ///
    /// - Parameters:
    ///   - client: the accepted connection.
    ///   - others: the user ids and descriptor numbers of the connected clients.
    ///   - spare: how many of the last descriptors these clients may not use.
    package func rejection(
        of client: borrowing FileDescriptor, from user: UInt32, among others: [(user: UInt32, number: Int32)],
        keeping spare: Int32 = spareDescriptors
    ) -> String? {
        if others.count >= total { return "too many clients: at most \(total)" }
        let own = others.filter { $0.user == user }.map(\.number)
        // Clients that have hung up do not count, even if their last bytes are unread.
        if own.count >= perUser, own.count - UnixSocket.countHungUp(own) >= perUser {
            return "too many clients of user \(user): at most \(perUser)"
        }
        // The kernel assigns the lowest free number.
        return client.number >= FileDescriptor.limit - spare ? Self.noDescriptor : nil
    }

    /// The reason to refuse a client if the process is out of descriptors, as text for people.
    static var noDescriptor: String {
        "too many clients: paced may open \(FileDescriptor.limit) files (LimitNOFILE=)"
    }
}
