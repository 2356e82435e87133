import Glibc

exit(try measureHotPaths() ? EXIT_SUCCESS : EXIT_FAILURE)
