import Glibc
import Linux

#if LIBFUZZER
    if let status = LibFuzzer.run() { exit(status) }
#endif
// As the daemon does. What grows is a leak then, and not a block that malloc keeps.
Machine.returnLargeBlocks()
exit(Campaign.run(Array(CommandLine.arguments.dropFirst())))
