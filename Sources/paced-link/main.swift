import Glibc
import Link

exit(LinkDaemon.main(Array(CommandLine.arguments.dropFirst())))
