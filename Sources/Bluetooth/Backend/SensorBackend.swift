package import Sensors

/// A Bluetooth backend for sensors: the kernel's management interface and L2CAP, or bluetoothd.
///
/// One backend at a time serves the sensors. On release it disconnects them and stops scanning, but does
/// not clear the faults that it has raised.
package protocol SensorBackend: AnyObject {
    /// Receives the start or end of a run. During a run sensors are searched for more often.
    func runChanged(isActive: Bool)

    /// Sets our sensors. If `sensors` has no strap, discovered and known ones are used. It wakes a strap that is off-body.
    func select(_ sensors: [SensorMatcher])

    /// Uses no sensor until ``select(_:)``.
    func stop()

    /// Forgets the known sensors that match the pattern, or all if it is nil. `ours` is the remaining setting.
    func forget(_ pattern: SensorMatcher?, remaining ours: [SensorMatcher])

    /// Scans for `duration`, then returns the results to `finished`. A connected sensor stays connected; a
    /// pending connection attempt is suspended.
    func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> SensorRequestError?

    /// Pairs with the sensor that matches the pattern, within ``PairingResult/limit``. `finished` receives the result.
    func pair(_ pattern: SensorMatcher, finished: @escaping (PairingResult) -> Void) -> SensorRequestError?

    /// Sets the zero offset of the connected power meter that matches the pattern, or of the only one. `finished`
    /// receives the result, within ``OffsetCompensation/limit``.
    func compensateOffset(_ pattern: SensorMatcher?, finished: @escaping (ZeroOffsetResult) -> Void)
}

/// The actions that a backend has still to perform.
///
/// Performing an action may cause an event, whose actions are added behind those that wait. So actions are performed in
/// order, and a machine is never called while it runs.
struct ActionQueue<Action> {
    /// The actions of this turn. Machines append to it.
    var actions: [Action] = []
    private var next = 0
    private var isPerforming = false

    /// Starts to perform the actions. False if an outer call does so already.
    mutating func begin() -> Bool {
        defer { isPerforming = true }
        return !isPerforming
    }

    /// The next action. Nil if there is none.
    mutating func popFirst() -> Action? {
        guard next < actions.count else {
            actions.removeAll(keepingCapacity: true)
            next = 0
            return nil
        }
        defer { next += 1 }
        return actions[next]
    }

    /// Records that all actions are performed.
    mutating func end() {
        isPerforming = false
    }
}
