import Domain
import Linux
import Testing

struct SubprocessTests {
    @Test func outputOfAProgramIsReturned() {
        #expect(Subprocess.output(["sh", "-c", "echo one; echo two >&2; cat"], within: .seconds(20)) == "one\n")
        #expect(Subprocess.output(["true"], within: .seconds(20)) == "")
    }

    @Test func missingProgramReturnsNil() {
        #expect(Subprocess.output(["/nonexistent/program"], within: .seconds(20)) == nil)
    }

    @Test func programThatTakesTooLongIsTerminated() {
        let start = Clock.now()
        #expect(Subprocess.output(["sleep", "60"], within: .milliseconds(200)) == nil)
        // The process closes its output and keeps running.
        #expect(Subprocess.output(["sh", "-c", "exec >&-; sleep 60"], within: .milliseconds(500)) == "")
        #expect(Subprocess.output(["yes"], within: .seconds(20), limit: 1 << 16) == nil)
        #expect(Clock.now() - start < .seconds(15))
    }
}
