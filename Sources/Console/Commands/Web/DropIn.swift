import Domain
import Glibc
import Linux

/// A file of `pacectl web` that changes paced-web. A file in its place that another has written is never changed.
package struct DropIn: Equatable {
    /// The places; the removal of the package removes these files (debian/paced-web.postrm).
    package enum Place: String, CaseIterable {
        case openSocket = "/etc/systemd/system/paced-web.socket.d/pacectl-open.conf"
        case openService = "/etc/systemd/system/paced-web.service.d/pacectl-open.conf"
        case openConfiguration = "/etc/paced/paced-web.conf.d/pacectl-open.conf"
        case control = "/etc/systemd/system/paced-web.service.d/pacectl-control.conf"

        static let ofOpening = [openSocket, openService, openConfiguration]

        var directory: String { String(rawValue[..<(rawValue.lastIndex(of: "/") ?? rawValue.startIndex)]) }
        var name: String { String(rawValue.dropFirst(directory.utf8.count + 1)) }
    }

    package var place: Place
    package var text: String

    /// - Parameter lines: the file without its first line.
    init(_ place: Place, _ lines: String) {
        self.place = place
        text = Self.mark + "\n" + lines
    }

    /// The first line of each.
    private static let mark = "# Written by pacectl, which removes it: see 'pacectl help web'."

    /// Reads a file, to restore it.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``Failure`` if another has written it.
    static func read(_ place: Place) throws(Failure) -> DropIn? {
        let path = place.rawValue
        let content: [UInt8]?
        do throws(SystemError) {
            content = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK).readAll(limit: 64 * 1024)
        } catch {
            if error.code == ENOENT { return nil }
            throw .failed("cannot read \(path): \(error)")
        }
        let lines = String(decoding: content ?? [], as: UTF8.self)
        guard lines.hasPrefix(mark + "\n") else {
            throw .failed("\(path) is not of pacectl, and stays as it is; remove it, or change it by hand")
        }
        return DropIn(place, String(lines.dropFirst(mark.count + 1)))
    }

    /// Writes the file for every user to read, and makes its directory.
    func write() throws(Failure) {
        do throws(SystemError) {
            if unsafe mkdir(place.directory, 0o755) != 0, errno != EEXIST { throw SystemError("mkdir", code: errno) }
            var file = try AtomicFileWriter(in: place.directory, name: place.name, mode: 0o644)
            try file.write(Array(text.utf8).span)
            _ = try file.finish(as: place.name, replacing: true)
        } catch {
            throw .failed("cannot write \(place.rawValue): \(error)")
        }
    }

    /// Removes a file, and its directory if nothing else is in it.
    static func remove(_ place: Place) {
        unsafe unlink(place.rawValue)
        unsafe rmdir(place.directory)
    }
}
