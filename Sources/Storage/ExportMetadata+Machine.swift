package import Domain
package import Formats
import Linux

extension ExportMetadata {
    /// The data about this machine in an exported file.
    ///
    /// - Parameters:
    ///   - started: the start of the recording, which selects the local time offset.
    ///   - written: the present time. Nil if no clock is known.
    package static func ofThisMachine(started: UTC, written: UTC?) -> ExportMetadata {
        let number = Machine.number() ?? 0
        return ExportMetadata(
            serialNumber: number == 0 ? 1 : number, localOffset: Machine.localOffset(at: started), written: written)
    }
}
