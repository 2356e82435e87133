package import Domain

extension MgmtAdapterSession {
    /// The parameters of future discoveries and connections. Parameters are loaded for the strap if they differ from
    /// the usual ones, or if the kernel has no default parameters.
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
