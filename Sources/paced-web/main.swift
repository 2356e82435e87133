import Glibc
import Web

exit(WebDaemon.main(Array(CommandLine.arguments.dropFirst())))
