package import Domain
import Linux
package import Outputs

extension ExportMetadata {
    /// What a file tells of this machine.
    ///
    /// - Parameters:
    ///   - started: when the recording began, which the local time is of.
    ///   - written: now; nil where no clock is known.
    package static func ofThisMachine(started: UTC, written: UTC?) -> ExportMetadata {
        let number = Machine.number() ?? 0
        return ExportMetadata(
            serialNumber: number == 0 ? 1 : number, localOffset: Machine.localOffset(at: started), written: written)
    }
}
