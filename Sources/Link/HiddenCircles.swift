import Domain
import Linux
import Pipeline
import Privacy
import Program
import Report
import Storage

/// The hidden places of `HideMetres=`, by the secret of the device, as `pacectl --hide` has them.
package struct HiddenCircles {
    let radius: Int
    private let hash: KeyedHash

    /// - Parameters:
    ///   - journal: the directory that may have the secret of the device.
    ///   - own: the directory in which one is made otherwise.
    init(radius: Int, journal: String, own: String) throws(StartFailure) {
        self.radius = radius
        hash = KeyedHash(key: try Self.key(journal: journal, own: own))
    }

    /// The secret, by which nothing that is hidden can be told.
    static func key(journal: String, own: String) throws(StartFailure) -> [UInt8] {
        do throws(SystemError) {
            if let key = try HideKeyFile.read(in: journal, mode: 0o640) { return key }
            return try HideKeyFile.make(in: own, mode: 0o600)
        } catch {
            throw StartFailure(line: "cannot use the secret of hidden places in \(journal) or \(own): \(error)")
        }
    }

    /// Around the start and the end of an activity.
    func places(of rows: some RecordingRows) throws -> HiddenPlaces {
        try HiddenPlaces(rows, radius: radius, hash: fractions)
    }

    /// Around starts and ends of activities.
    func places(around ends: [Coordinate]) throws -> HiddenPlaces {
        try HiddenPlaces(around: ends, radius: radius, hash: fractions)
    }

    private func fractions(of numbers: [Int64]) throws -> (Double, Double) {
        guard let fractions = hash.fractions(of: numbers) else {
            throw StartFailure(line: "libgcrypt has no SHA-256: HideMetres= cannot hide anything")
        }
        return fractions
    }
}
