import Glibc

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
