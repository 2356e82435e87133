import CLinux
// In an optimised build the headers of systemd are the first that declare `sigset_t`.
import CSystemd
package import Domain
import Glibc

/// A thread for work that blocks on a disk. All signals are blocked on it: the loop handles them.
@safe
package final class WorkerThread {
    private final class Body: Sendable {
        let name: StaticText
        let niceness: Int32
        let run: @Sendable () -> Void

        init(name: StaticText, niceness: Int32, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.niceness = niceness
            self.run = run
        }
    }

    private let thread: pthread_t
    private var isJoined = false

    /// Starts a thread that runs `body` once.
    ///
    /// - Parameters:
    ///   - name: Name of the thread in `ps -L`; at most 15 characters.
    ///   - niceness: Priority below the loop's, 0 to 19; see nice(2).
    package init(
        _ name: StaticText, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let box = unsafe Unmanaged.passRetained(Body(name: name, niceness: niceness, run: body))
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // A thread inherits the signal mask of its creator.
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                unsafe clinux_name_thread(body.name.text)
                clinux_set_thread_nice(body.niceness)
                body.run()
                return nil
            }, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            unsafe box.release()
            throw SystemError("pthread_create", code: code)
        }
        self.thread = thread
    }

    /// Waits for the end of the thread. Call it at most once.
    package func join() {
        isJoined = true
        pthread_join(thread, nil)
    }

    deinit {
        // A detached thread frees its resources when it ends.
        if !isJoined { pthread_detach(thread) }
    }
}
