import Glibc
import Network

exit(NetDaemon.main(Array(CommandLine.arguments.dropFirst())))
