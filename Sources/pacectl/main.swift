import Console
import Glibc

exit(Console.run(Array(CommandLine.arguments.dropFirst())))
