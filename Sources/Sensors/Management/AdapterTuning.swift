package import Domain

extension MgmtAdapterSession {
    /// What searches and connections to come are to be like. The strap gets parameters of its own where they are not the usual ones, or
    /// where a kernel does not know defaults.
    package struct ScanParameters: Equatable, Sendable {
        package var parameters: ConnectionParameters
        package var duty: ScanDutyPolicy.Duty
        package var strap: LEAddress?

        package init(
            parameters: ConnectionParameters = .usual, duty: ScanDutyPolicy.Duty = .full, strap: LEAddress? = nil
        ) {
            self.parameters = parameters
            self.duty = duty
            self.strap = strap
        }
    }
}
