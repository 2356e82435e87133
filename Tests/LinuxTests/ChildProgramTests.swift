import Domain
import Glibc
import Linux
import Testing

struct ChildProgramTests {
    private func run(_ script: String, within time: Duration = .seconds(20)) throws -> (ChildProgram.Ending, String) {
        var output: [UInt8] = []
        let ending = try ChildProgram.run(["/bin/sh", "-c", script], within: time, until: []) { output += $0 }
        return (ending, String(decoding: output, as: UTF8.self))
    }

    @Test func outputAndErrorsAreSeparate() throws {
        let (ending, output) = try run("echo one; echo two >&2; cat")
        #expect(ending.isSuccess)
        #expect(output == "one\n")
        #expect(ending.errors == "two\n")
    }

    @Test func failureIsReported() throws {
        #expect(try !run("exit 3").0.isSuccess)
        #expect(try !run("kill -9 $$").0.isSuccess)
        let missing = try ChildProgram.run(["/nonexistent/program"], within: .seconds(20), until: []) { _ in }
        #expect(!missing.isSuccess)
    }

    @Test func errorsAreBounded() throws {
        let (ending, output) = try run("i=0; while [ $i -lt 2000 ]; do echo error >&2; echo line; i=$((i+1)); done")
        #expect(ending.isSuccess)
        #expect(output.utf8.count == 10_000)
        #expect(ending.errors.utf8.count == 4096)
    }

    @Test func programThatTakesTooLongIsKilled() throws {
        let start = Clock.now()
        let (ending, _) = try run("exec sleep 60", within: .milliseconds(200))
        #expect(ending.isLate && !ending.isSuccess)
        #expect(Clock.now() - start < .seconds(30))
    }

    @Test func errorOfTheReaderEndsTheProgram() {
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try ChildProgram.run(["/bin/sh", "-c", "exec yes"], within: .seconds(60), until: []) { _ in throw Enough() }
        }
    }

    @Test func programEndsAtSIGTERM() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let script = "trap 'exit 7' TERM; echo; while :; do sleep 0.01; done"
        let child = try ChildProgram(["/bin/sh", "-c", script], output: ends[1])
        close(ends[1])
        var newline: UInt8 = 0
        #expect(unsafe read(ends[0], &newline, 1) == 1, "the program has set its trap")
        close(ends[0])
        #expect(child.exitStatus == nil)
        child.end(within: .seconds(30))
        #expect(child.exitStatus == 7)
    }

    @Test func privateDirectoryIsRemovedWithItsContent() throws {
        var path = ""
        do {
            let directory = try PrivateDirectory(prefix: "paced-test-")
            path = directory.path
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            #expect(mkdir(path + "/a", 0o700) == 0)
            #expect(symlink("/", path + "/a/link") == 0)
            #expect(creat(path + "/a/.hidden", 0o600) >= 0)
            withExtendedLifetime(directory) {}
        }
        #expect(access(path, F_OK) == -1)
    }
}
