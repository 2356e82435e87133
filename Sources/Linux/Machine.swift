import CLinux
import CSystemd
package import Domain
import Glibc

/// The machine that runs this program.
package enum Machine {
    /// A stable number of this machine, derived from its machine id and the program's
    /// id; it does not reveal the machine id. Nil if the machine has no id.
    ///
    /// The corresponding C function is `sd_id128_get_machine_app_specific`.
    package static func number() -> UInt32? {
        uuid().map { uuid in uuid.bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// A stable uuid of this machine, derived from its machine id and the program's id; it does not reveal the machine id.
    /// Machines with copies of one disk have the same. Nil if the machine has no id.
    ///
    /// The corresponding C function is `sd_id128_get_machine_app_specific`.
    package static func uuid() -> UUID? {
        var id = sd_id128_t()
        guard unsafe sd_id128_get_machine_app_specific(program, &id) >= 0 else { return nil }
        return unsafe withUnsafeBytes(of: id.bytes) { unsafe UUID(bytes: Array($0)) }
    }

    /// The path of another program in the directory of this program's file; nil if none is there.
    package static func programBeside(_ name: String) -> String? {
        let path = programDirectory.map { $0 + "/" + name }
        return path.flatMap { unsafe access($0, X_OK) == 0 ? $0 : nil }
    }

    /// The directory of this program's file.
    ///
    /// The corresponding C function is `readlink`.
    package static var programDirectory: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0 else { return nil }
        let own = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.lastIndex(of: "/").map { String(own[..<$0]) }
    }

    /// The name of this machine; empty if it has none.
    ///
    /// The corresponding C function is `gethostname`.
    package static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(terminated: bytes)
    }

    /// Returns freed blocks of 128 KiB and more to the system at once. Without this, a large temporary block makes glibc keep
    /// later ones.
    package static func returnLargeBlocks() {
        clinux_keep_mmap_threshold()
    }

    /// Gives the free memory of the heap back to the kernel: after work that needed much of it.
    ///
    /// The corresponding C function is `malloc_trim`.
    package static func returnFreeMemory() {
        clinux_return_free_memory()
    }

    /// The program's id: a random number.
    private static var program: sd_id128_t {
        sd_id128_t(
            bytes: (
                0x5D, 0x1B, 0x7E, 0x3C, 0x92, 0x40, 0x4F, 0x6A, 0xA8, 0x15, 0xC3, 0x77, 0x0E, 0x64, 0xB9, 0x21
            ))
    }

    /// Offset of local time from UTC at a moment, in seconds, by the time zone of the machine or of `TZ`.
    ///
    /// The corresponding C function is `localtime_r`.
    package static func localOffset(at time: UTC) -> Int {
        var seconds = time_t(time.milliseconds.flooredDivision(by: 1000))
        var fields = unsafe tm()
        tzset()
        guard unsafe localtime_r(&seconds, &fields) != nil else { return 0 }
        return unsafe fields.tm_gmtoff
    }

    /// Runs `body` with the local time of another zone. Only for programs with one thread: it changes the environment.
    ///
    /// The corresponding C function is `tzset`.
    ///
    /// - Parameter zone: such as `Europe/Berlin`.
    /// - Returns: nil if the machine knows no such zone.
    package static func withTimeZone<Result>(_ zone: String, _ body: () -> Result) -> Result? {
        let isName = zone.utf8.allSatisfy { byte in
            switch Character(UnicodeScalar(byte)) {
            case "A"..."Z", "a"..."z", "0"..."9", "_", "-", "+", "/": true
            default: false
            }
        }
        var status = stat()
        guard isName, zone.utf8.count <= 64, !zone.hasPrefix("/"),
            unsafe stat("/usr/share/zoneinfo/\(zone)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let own = unsafe getenv("TZ").map { unsafe String(cString: $0) }
        unsafe setenv("TZ", ":" + zone, 1)
        defer {
            if let own { unsafe setenv("TZ", own, 1) } else { unsafe unsetenv("TZ") }
            tzset()
        }
        return body()
    }

    /// The name of the zone of local time at a moment, such as `CET`, or `+03` for a zone without a name.
    ///
    /// The corresponding C function is `localtime_r`.
    package static func localZone(at time: UTC) -> String {
        var seconds = time_t(time.milliseconds.flooredDivision(by: 1000))
        var fields = unsafe tm()
        tzset()
        guard unsafe localtime_r(&seconds, &fields) != nil, let name = unsafe fields.tm_zone else { return "UTC" }
        return unsafe String(cString: name)
    }
}

/// The running kernel.
package enum Kernel {
    /// The release, as `uname -r` prints it.
    ///
    /// The corresponding C function is `uname`.
    package static var release: String {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return "" }
        return unsafe withUnsafeBytes(of: names.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
