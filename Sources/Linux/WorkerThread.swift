import CLinux
// In an optimised build the headers of systemd are the first that bring `sigset_t`.
import CSystemd
package import Domain
import Glibc

/// A thread beside the loop, for what waits for a disk. It takes no signal: those are the loop's.
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

    /// Runs `body` on a thread of its own, once.
    ///
    /// - Parameters:
    ///   - name: what `ps -L` shows; at most 15 characters.
    ///   - niceness: how far it stands back behind the loop where the processor is wanted by both, 0 to 19; see nice(2).
    package init(
        _ name: StaticText, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let box = unsafe Unmanaged.passRetained(Body(name: name, niceness: niceness, run: body))
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // A thread begins with the mask of the one that makes it.
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

    /// Waits until it has ended. To be called once.
    package func join() {
        isJoined = true
        pthread_join(thread, nil)
    }

    deinit {
        // One that nobody waits for gives back what it has when it ends by itself.
        if !isJoined { pthread_detach(thread) }
    }
}
