import Domain
import Glibc
import Linux
import Privacy
import Report
import Storage

/// The secret of hidden places. It belongs to the device, as the recordings do: files of all its users, and of the page, show one
/// circle. An earlier release gave each user an own one, which stays in use: another would show a second circle.
struct HideKey {
    private let hash: KeyedHash

    /// Reads the secret, and makes one of this user if the device has none.
    ///
    /// - Parameter journal: the state directory with the recordings.
    init(of journal: String) throws(Failure) {
        guard
            let home = environment("XDG_STATE_HOME")
                ?? environment("HOME").map({ ($0 == "/" ? "" : $0) + "/.local/state" })
        else {
            throw .failed("--hide needs a secret in your home directory, but HOME is unset; --hide 0 hides nothing")
        }
        let own = home + "/paced"
        var place = own
        do throws(SystemError) {
            let key: [UInt8]
            if own != journal, let found = try HideKeyFile.read(in: own, mode: 0o600) {
                key = found
            } else {
                place = journal
                // Who may read the recordings may read it.
                if let found = try HideKeyFile.read(in: journal, mode: 0o640) {
                    key = found
                } else {
                    place = own
                    try makeDirectories(own)
                    key = try HideKeyFile.make(in: own, mode: 0o600)
                }
            }
            hash = KeyedHash(key: key)
        } catch {
            let path = SanitizedText.line(place, limit: 256) ?? ""
            throw .failed("cannot use the secret of --hide in \(path): \(error); --hide 0 hides nothing")
        }
    }

    /// Two numbers from 0 to 1 of a list of numbers.
    func numbers(of message: [Int64]) throws(Failure) -> (Double, Double) {
        guard let fractions = hash.fractions(of: message) else {
            throw .failed("libgcrypt has no SHA-256; --hide 0 hides nothing")
        }
        return fractions
    }
}

extension HiddenRows {
    /// The rows without the positions near the start and the end, by the secret of the device; nil for a radius of 0.
    ///
    /// - Parameter radius: in metres.
    init?(_ rows: Rows, of journal: JournalReader, radius: Int) throws {
        guard radius > 0 else { return nil }
        let key = try HideKey(of: journal.directory)
        try self.init(rows, HiddenPlaces(rows, radius: radius) { try key.numbers(of: $0) })
    }
}
