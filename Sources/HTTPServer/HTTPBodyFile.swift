import Domain
package import Linux

/// The body of a request in a file without a name. It ends with this object.
package final class HTTPBodyFile {
    package let file: FileDescriptor
    package private(set) var size = 0

    /// - Throws: `EOPNOTSUPP` if the file system has no unnamed files.
    init(in directory: String) throws(DirectoryError) {
        file = try Directory(directory).makeUnnamed(mode: 0o600)
    }

    func append(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes, at: size)
        size += bytes.count
    }
}
