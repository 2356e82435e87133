import Domain
import Glibc
import Linux

/// How a user gets into a group of paced.
enum GroupAdvice {
    static func text(_ group: String) -> String {
        let name = SanitizedText(User.text(geteuid()))?.text ?? "$USER"
        return text(group, user: name, isAssigned: isAssigned(to: group, name))
    }

    static func text(_ group: String, user: String, isAssigned: Bool) -> String {
        isAssigned
            ? "you are a member of its group (\(group)) from the next login on: log in again"
            : "become a member of its group (sudo usermod -aG \(group) \(user), then log in again), or use sudo"
    }

    private static func isAssigned(to group: String, _ name: String) -> Bool {
        guard let entry = unsafe getgrnam(group), var member = unsafe entry.pointee.gr_mem else { return false }
        while let text = unsafe member.pointee {
            if unsafe String(cString: text) == name { return true }
            unsafe member += 1
        }
        return false
    }
}
