import Glibc
import Linux

/// Makes an import, and the programs that it starts, yield to a run: others get the processor first, and the kernel ends the
/// import first when memory is short.
func yieldToRuns() {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    if let file = try? FileDescriptor.open("/proc/self/oom_score_adj", O_WRONLY) {
        try? file.write(Array("500".utf8), at: 0)
    }
}
