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

    /// The interface by which other networks are reached; nil if there is none. Nothing is sent.
    package static var nameOfDefault: String? {
        let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        defer { close(number) }
        // An address that is kept for documentation (RFC 5737): only its route is looked up.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        address.sin_addr.s_addr = in_addr_t(0xC000_0201).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isRouted = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(number, $0, length) }
        }
        return isRouted == 0 ? name(ofSocket: number) : nil
    }

    /// The interface that has the local address of a connected socket; nil if there is none.
    ///
    /// The corresponding C functions are `getsockname` and `getifaddrs`.
    package static func name(ofSocket number: Int32) -> String? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(number, $0, &length) }
        }
        guard isKnown == 0 else { return nil }
        let local = unsafe withUnsafeBytes(of: &address) { unsafe hostBytes(of: $0.baseAddress!) }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            guard let address = unsafe entry.pointee.ifa_addr, let bytes = unsafe hostBytes(of: address), bytes == local
            else { continue }
            return unsafe String(cString: entry.pointee.ifa_name)
        }
        return nil
    }

    /// The address without its port; nil for another family than IPv4 and IPv6. IPv4 in IPv6 is IPv4.
    private static func hostBytes(of address: UnsafeRawPointer) -> [UInt8]? {
        switch Int32(unsafe address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET:
            let host = unsafe address.loadUnaligned(as: sockaddr_in.self).sin_addr
            return unsafe withUnsafeBytes(of: host) { unsafe [UInt8]($0) }
        case AF_INET6:
            let host = unsafe address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = unsafe withUnsafeBytes(of: host) { unsafe [UInt8]($0) }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 255 }
            return isMapped ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }
}
