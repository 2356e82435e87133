import Glibc

/// A user account, from the name service (passwd(5)).
package struct User: Equatable, Sendable {
    package var number: UInt32
    package var name: String
    /// Number of the primary group.
    package var group: UInt32

    /// The user with this number; nil if the name service has none, or fails.
    ///
    /// The corresponding C function is `getpwuid_r`.
    package static func numbered(_ number: UInt32) -> User? {
        unsafe find { unsafe getpwuid_r(number, $0, $1, $2, $3) }
    }

    /// The user with this name; nil if the name service has none, or fails.
    ///
    /// The corresponding C function is `getpwnam_r`.
    package static func named(_ name: String) -> User? {
        unsafe find { unsafe getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// Text for people: the user's name, or else the number.
    package static func text(_ number: UInt32) -> String {
        numbered(number)?.name ?? "\(number)"
    }

    /// Whether a user may write to a file, or connect to a socket, by its owner, its group and its mode. Access lists do not count,
    /// and a user who is unknown to the name service has no group.
    ///
    /// The corresponding C functions are `stat` and `getgrouplist`.
    package static func mayWrite(_ path: String, _ user: UInt32) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        if user == 0 { return true }
        if status.st_uid == user { return status.st_mode & S_IWUSR != 0 }
        let groups = numbered(user)?.groups ?? []
        return status.st_mode & (groups.contains(status.st_gid) ? S_IWGRP : S_IWOTH) != 0
    }

    /// The numbers of the groups of the user; empty if the name service fails.
    private var groups: [UInt32] {
        var count: Int32 = 1024
        var groups = [UInt32](repeating: 0, count: Int(count))
        guard unsafe getgrouplist(name, group, &groups, &count) >= 0 else { return [] }
        return Array(groups.prefix(Int(count)))
    }

    private static func find(
        _ search: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> User? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe search(&entry, base, buffer.count, &found) == 0,
                unsafe found != nil
            else { return nil }
            return unsafe User(number: entry.pw_uid, name: String(cString: entry.pw_name), group: entry.pw_gid)
        }
    }

    /// Whether a group is this user's private group: the primary one, with the user's name and no other member.
    ///
    /// Debian's adduser and systemd-sysusers create such groups. A primary group of another name, such as `users`,
    /// may be shared by users that group(5) does not list. A group unknown to the name service is not private.
    ///
    /// The corresponding C function is `getgrgid_r`.
    package func hasPrivateGroup(_ number: UInt32) -> Bool {
        guard number == group else { return false }
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress,
                unsafe getgrgid_r(number, &entry, base, buffer.count, &found) == 0, unsafe found != nil,
                unsafe String(cString: entry.gr_name) == name
            else { return false }
            var place = 0
            while let member = unsafe entry.gr_mem[place] {
                if unsafe String(cString: member) != name { return false }
                place += 1
            }
            return true
        }
    }
}
