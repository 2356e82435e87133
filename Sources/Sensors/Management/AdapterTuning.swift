package import Domain

extension AdapterSession {
    /// What searches and connections to come are to be like. The strap gets parameters of its own where they are not the usual ones, or
    /// where a kernel does not know defaults.
    package struct Tuning: Equatable, Sendable {
        package var parameters: ConnectionParameters
        package var duty: StrapAir.Duty
        package var strap: LEAddress?

        package init(
            parameters: ConnectionParameters = .usual, duty: StrapAir.Duty = .full, strap: LEAddress? = nil
        ) {
            self.parameters = parameters
            self.duty = duty
            self.strap = strap
        }
    }
}
