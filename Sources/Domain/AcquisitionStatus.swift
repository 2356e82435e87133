/// How far the search for a position is: the member `acquisition` of STATE.
package struct AcquisitionStatus: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// There is no connection to gpsd, or no receiver.
        case network
        /// The search has begun. A receiver that has a position ends it before a screen must say so.
        case searching
        case extended
        /// The first position is there.
        case found
        /// No position was found in the time of the search. It begins again after 5 s.
        case errorIdle = "error-idle"
        /// The position is good enough, and at most 30 s old.
        case updated
        /// 30 s have passed without a position that is good enough.
        case expired
        /// A better position is awaited.
        case updating
        /// No position was found in the 30 s of an update. It begins again after 10 s.
        case expiredError = "expired-error"
    }

    package var state: State
    /// Since the state was entered.
    package var age: Duration

    package init(_ state: State, age: Duration) {
        self.state = state
        self.age = age
    }
}
