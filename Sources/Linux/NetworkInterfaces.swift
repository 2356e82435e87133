import Glibc

/// The network interfaces of this machine.
package enum NetworkInterfaces {
    /// The IPv4 addresses at which other machines may reach this one: those of interfaces that are up, without the
    /// loopback. Wireless ones first, then other hardware, then bridges and tunnels; at most 16.
    ///
    /// The corresponding C function is `getifaddrs`.
    package static func addresses() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var found: [(rank: Int, address: String)] = []
        var next = unsafe list
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            let flags = unsafe entry.pointee.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0,
                let address = unsafe entry.pointee.ifa_addr, unsafe address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var number = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe $0.pointee.sin_addr
            }
            var text = [UInt8](repeating: 0, count: Int(INET_ADDRSTRLEN))
            let isText = unsafe text.withUnsafeMutableBytes {
                unsafe inet_ntop(AF_INET, &number, $0.baseAddress, socklen_t($0.count)) != nil
            }
            guard isText else { continue }
            let system = unsafe "/sys/class/net/" + String(cString: entry.pointee.ifa_name)
            let rank =
                unsafe access(system + "/wireless", F_OK) == 0
                ? 0 : unsafe access(system + "/device", F_OK) == 0 ? 1 : 2
            found.append((rank, String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)))
        }
        // The order of the kernel within a rank.
        return (0...2).flatMap { rank in found.filter { $0.rank == rank }.map(\.address) }.prefix(16).map(\.self)
    }
}
