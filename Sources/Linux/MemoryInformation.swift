import Glibc

/// The memory of the machine.
package enum MemoryInformation {
    /// Bytes that programs can get without swapping; nil if the kernel does not report it.
    ///
    /// Source: MemAvailable of proc_meminfo(5).
    ///
    /// - Parameter root: instead of `/`, for tests.
    package static func available(root: String = "") -> Int? {
        guard let text = try? FileDescriptor.open(root + "/proc/meminfo", O_RDONLY).readText(limit: 64 * 1024),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") })
        else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
