import Domain
package import Linux

/// The body of a request in a new file of the owner of the server.
package final class HTTPBodyFile {
    private let file: FileDescriptor
    private var size = 0

    package init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    func append(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes, at: size)
        size += bytes.count
    }
}
