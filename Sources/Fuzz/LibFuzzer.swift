#if LIBFUZZER
    import CFuzzer
    import Glibc

    /// One entry under libFuzzer, which mutates towards code that was not reached yet: `Fuzz NAME [libFuzzer's options]`.
    enum LibFuzzer {
        /// Chosen by the first argument, which libFuzzer is not shown.
        private static let entry = Entry.all.first { $0.name == CommandLine.arguments.dropFirst().first }

        /// Nil when the arguments are not for libFuzzer.
        static func run() -> Int32? {
            guard entry != nil else { return nil }
            var count = CommandLine.argc - 1
            let first = CommandLine.unsafeArgv
            first[1] = first[0]
            var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = first + 1
            return LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
                LibFuzzer.entry?.body(Array(UnsafeBufferPointer(start: bytes, count: size)))
                return 0
            }
        }
    }
#endif
