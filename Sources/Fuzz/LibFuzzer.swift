#if LIBFUZZER
    import CFuzzer
    import Glibc

    /// Runs one target under libFuzzer, which mutates towards new coverage: `Fuzz NAME [libFuzzer's options]`.
    enum LibFuzzer {
        /// The target named by the first argument, which libFuzzer does not receive.
        private static let entry = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst().first }

        /// Nil if the first argument is not a target.
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
