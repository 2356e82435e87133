package import Domain
import JSONCoding
package import Linux

/// The file `device.json` of the state directory, which holds the ``Device``. Reading and writing wait for the disk.
package struct DeviceFile: Equatable, Sendable {
    private let file: AtomicFile

    package static let name = "device.json"
    private static let lengthLimit = 1024

    /// - Parameter directory: the state directory.
    package init(in directory: String) {
        // As the journal, for those who may read it.
        file = AtomicFile(in: directory, name: Self.name, mode: 0o640)
    }

    /// Why there is no device.
    package enum Failure: Error, CustomStringConvertible {
        case damaged(path: String)
        case absent(path: String)
        case directory(DirectoryError)

        package var description: String {
            switch self {
            case .damaged(let path): "\(path) is damaged: correct it, or remove it for a new name of this board"
            case .absent(let path): "\(path) does not exist: paced makes it at its first start"
            case .directory(let error): "\(error)"
            }
        }
    }

    /// Reads the device; nil if there is no file.
    ///
    /// A damaged file is left as it is: another uuid would make another board of this one.
    ///
    /// - Parameter isOwn: whether this process's user must own the directory, as paced does. Others may read only.
    package func read(isOwn: Bool = true) throws(Failure) -> Device? {
        let bytes: [UInt8]?
        do throws(AtomicFile.Failure) {
            bytes = try file.read(limit: Self.lengthLimit, isOwn: isOwn)
        } catch .directory(let error) {
            throw .directory(error)
        } catch {
            throw .damaged(path: file.path)
        }
        guard let bytes else { return nil }
        guard let json = try? JSON(parsing: bytes), let uuid = json["uuid"]?.string.flatMap({ UUID($0) }) else {
            throw .damaged(path: file.path)
        }
        return Device(
            uuid: uuid, machine: json["machine"]?.string.flatMap { UUID($0) },
            name: json["name"]?.string.flatMap { SanitizedText($0) })
    }

    package func write(_ device: Device) throws(DirectoryError) {
        var writer = JSONWriter(capacity: 256)
        writer.object {
            $0.member("uuid", "\(device.uuid)")
            $0.member("machine", device.machine.map { "\($0)" })
            $0.member("name", device.name?.text)
        }
        writer.newline()
        try file.replace(with: writer.bytes)
    }
}
