import Glibc

#if LIBFUZZER
    if let status = LibFuzzer.run() { exit(status) }
#endif
exit(Campaign.run(Array(CommandLine.arguments.dropFirst())))
