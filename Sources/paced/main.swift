import Daemon
import Glibc

exit(Daemon.main(Array(CommandLine.arguments.dropFirst())))
