import Glibc

/// A value protected by a mutex.
///
/// It uses pthread's mutex, not the one of the Synchronization module, which the thread sanitizer does not
/// know and whose every use it reports as a race. The corresponding C function is `pthread_mutex_lock`.
@safe
package final class Locked<Value>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Gives `body` exclusive access to the value. Not reentrant.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
