import Domain
import Glibc
import Linux
import Privacy
import Report

/// The secret of hidden places. It belongs to the user of `pacectl`, not to the daemon: no other user can read it, and none
/// needs the daemon.
struct HideKey {
    private let hash: KeyedHash

    private static let name = "hide.key"

    /// Reads the secret of this user, and makes it at the first use.
    init() throws(Failure) {
        guard
            let directory = environment("XDG_STATE_HOME")
                ?? environment("HOME").map({ ($0 == "/" ? "" : $0) + "/.local/state" })
        else {
            throw .failed("--hide needs a secret in your home directory, but HOME is unset; --hide 0 hides nothing")
        }
        do throws(SystemError) {
            if let key = try Self.read(directory + "/paced/" + Self.name) {
                hash = KeyedHash(key: key)
                return
            }
            try makeDirectories(directory + "/paced")
            var file = try AtomicFileWriter(in: directory + "/paced", name: Self.name, mode: 0o600)
            var random = SystemRandomNumberGenerator()
            var key = (0..<KeyedHash.keyLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try file.write(key.span)
            // Another pacectl may have made it meanwhile.
            if try !file.finish(as: Self.name) { key = try Self.read(directory + "/paced/" + Self.name) ?? key }
            hash = KeyedHash(key: key)
        } catch {
            let path = SanitizedText.line(directory, limit: 256) ?? ""
            throw .failed("cannot use the secret of --hide in \(path)/paced: \(error); --hide 0 hides nothing")
        }
    }

    /// The key in a file; nil if there is no such file.
    ///
    /// - Throws: `EPERM` if another user can read or has made the file, `EINVAL` if it has another length.
    private static func read(_ path: String) throws(SystemError) -> [UInt8]? {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try .open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("fstat", code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw SystemError("open", code: EPERM)
        }
        guard let key = try file.readAll(limit: KeyedHash.keyLength), key.count == KeyedHash.keyLength else {
            throw SystemError("read", code: EINVAL)
        }
        return key
    }

    /// Two numbers from 0 to 1 of a list of numbers.
    func numbers(of message: [Int64]) throws(Failure) -> (Double, Double) {
        let bytes = message.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        guard let hash = hash.hash(of: bytes) else { throw .failed("libgcrypt has no SHA-256; --hide 0 hides nothing") }
        func number(at start: Int) -> Double {
            Double(hash[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / Double(UInt32.max)
        }
        return (number(at: 0), number(at: 4))
    }
}

extension HiddenRows {
    /// The rows without the positions near the start and the end, by the secret of this user; nil for a radius of 0.
    ///
    /// - Parameter radius: in metres.
    init?(_ rows: Rows, radius: Int) throws {
        guard radius > 0 else { return nil }
        let key = try HideKey()
        try self.init(rows, HiddenPlaces(rows, radius: radius) { try key.numbers(of: $0) })
    }
}
