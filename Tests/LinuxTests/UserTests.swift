import Glibc
import Linux
import TestKit
import Testing

@Suite struct UserTests {
    /// Users of Debian's passwd(5); the group of mail has its directory.
    private static let (root, daemon, mail): (UInt32, UInt32, UInt32) = (0, 1, 8)

    @Test(arguments: [
        ("/var/mail", mail, true), ("/var/mail", daemon, false), ("/dev/null", daemon, true),
        ("/etc/passwd", daemon, false),
        ("/etc/passwd", root, true), ("/var/mail", 4_000_000_000, false), ("/missing", root, false),
    ])
    func whoMayConnectDependsOnOwnerGroupAndMode(path: String, user: UInt32, mayWrite: Bool) {
        #expect(User.mayWrite(path, user) == mayWrite)
    }

    @Test func ownerHasTheRightsOfTheOwnerOnly() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/socket"
        _ = try FileDescriptor.open(path, O_WRONLY | O_CREAT)
        #expect(User.mayWrite(path, geteuid()))
        unsafe chmod(path, 0o466)
        #expect(User.mayWrite(path, geteuid()) == (geteuid() == 0))
    }
}
