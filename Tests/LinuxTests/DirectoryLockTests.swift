import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct DirectoryLockTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    @Test func lockHeldByAnotherProcessReportsItsID() throws {
        let script = #"exec 9>"$0/test.lock"; flock 9; echo $$ >&9; exec sleep 60"#
        let holder = try ChildProcess(["bash", "-c", script, directory.path])
        let deadline = ContinuousClock.now + .seconds(10)
        while (try? FileDescriptor.open(directory("test.lock"), O_RDONLY))?.readText(limit: 32).last != "\n" {
            try #require(ContinuousClock.now < deadline)
            usleep(10_000)
        }
        #expect(throws: DirectoryLock.Failure.held(process: Int(holder.pid))) {
            _ = try DirectoryLock(Directory(directory.path), file: "test.lock")
        }
        holder.kill(SIGKILL)
        // The kernel has released the lock: a crashed daemon does not block a start.
        _ = try DirectoryLock(Directory(directory.path), file: "test.lock")
    }

    @Test func processOfALockIsKnownWhileItLives() throws {
        let path = directory("test.lock")
        #expect(DirectoryLock.process(at: path) == nil)
        let lock = try DirectoryLock(Directory(directory.path), file: "test.lock")
        #expect(DirectoryLock.process(at: path) == Int(getpid()))
        _ = consume lock
        for text in ["", "nobody\n", "0\n", "99999999999999999999\n", "4194305\n"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(DirectoryLock.process(at: path) == nil, "\(text)")
        }
    }

    @Test func lockIsHeldForTheLifetimeOfItsValue() throws {
        do {
            let lock = try DirectoryLock(Directory(directory.path), file: "test.lock")
            #expect(throws: DirectoryLock.Failure.held(process: Int(getpid()))) {
                _ = try DirectoryLock(Directory(directory.path), file: "test.lock")
            }
            _ = consume lock
        }
        _ = try DirectoryLock(Directory(directory.path), file: "test.lock")
    }

    @Test func lockFileHoldsOnlyTheProcessID() throws {
        try Data("99999999999999999999 and more".utf8).write(to: URL(fileURLWithPath: directory("test.lock")))
        let lock = try DirectoryLock(Directory(directory.path), file: "test.lock")
        #expect(FileManager.default.contents(atPath: directory("test.lock")) == Data("\(getpid())\n".utf8))
        _ = consume lock
    }

    @Test func malformedLockFileReportsNoProcess() throws {
        let holder = try DirectoryLock(Directory(directory.path), file: "test.lock")
        try Data("nobody".utf8).write(to: URL(fileURLWithPath: directory("test.lock")))
        #expect(throws: DirectoryLock.Failure.held(process: nil)) {
            _ = try DirectoryLock(Directory(directory.path), file: "test.lock")
        }
        _ = consume holder
    }

    @Test func directoriesAreCreatedWithTheirParents() throws {
        try makeDirectories(directory("a/b//c/"))
        try makeDirectories(directory("a/b/c"))
        var status = stat()
        #expect(stat(directory("a/b/c"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o750)
    }

    @Test func fileInPlaceOfADirectoryIsAnError() {
        #expect(FileManager.default.createFile(atPath: directory("file"), contents: nil))
        #expect(throws: SystemError("mkdir", code: ENOTDIR)) { try makeDirectories(directory("file/child")) }
    }
}
