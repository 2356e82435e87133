import CLinux
import Domain

/// The file system of a path.
package struct Volume {
    /// Bytes that everyone may use.
    package let freeBytes: Int
    /// Whether it is FAT or exFAT, which have no sparse files.
    package let isFAT: Bool

    /// MSDOS_SUPER_MAGIC and EXFAT_SUPER_MAGIC of linux/magic.h.
    private static let fat: Set<UInt64> = [0x4D44, 0x2011_BAB0]

    /// The corresponding C function is `statfs`.
    package init(of path: String) throws(SystemError) {
        var volume = clinux_volume()
        _ = try check("statfs") { unsafe clinux_get_volume(path, &volume) }
        freeBytes = Int(clamping: volume.free)
        isFAT = Self.fat.contains(volume.type)
    }
}
