import Glibc
import Linux
import TestKit
import Testing

struct FileDescriptorTests {
    @Test func fileIsNamedByItsPathUntilItIsRenamedOrReplaced() throws {
        let directory = TemporaryDirectory()
        let paths = ["/a", "/b", "/link"].map { directory.path + $0 }
        let file = try FileDescriptor.open(paths[0], O_RDWR | O_CREAT, mode: 0o600)
        try #require(symlink(paths[0], paths[2]) == 0)
        var named = paths.map { file.isNamed($0) }
        #expect(named == [true, false, false])
        try #require(rename(paths[0], paths[1]) == 0)
        named = paths.map { file.isNamed($0) }
        #expect(named == [false, true, false])
        _ = try FileDescriptor.open(paths[0], O_RDWR | O_CREAT, mode: 0o600)
        named = paths.map { file.isNamed($0) }
        #expect(named == [false, true, false])
    }
}
