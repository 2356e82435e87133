import CZip

/// Why an archive or a file in it cannot be read.
package struct ZipError: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Reads the files of a ZIP archive, through libzip. Memory use does not grow with the archive.
///
/// Source: libzip.org/documentation.
@safe
package final class ZipArchive {
    private static let pieceSize = 65_536

    private let archive: OpaquePointer
    /// The bytes that all files together may still unpack to.
    private var rest: Int
    private let limit: Int
    /// The folder of the first file that was found, with its slash: some archives have all in one.
    private var folder: String?

    /// - Parameter limit: the most bytes that the files unpack to. A small archive may unpack to terabytes.
    package init(_ path: String, limit: Int) throws(ZipError) {
        var code: Int32 = 0
        guard let opened = unsafe zip_open(path, ZIP_RDONLY, &code) else {
            var error = unsafe zip_error_t()
            unsafe zip_error_init_with_code(&error, code)
            defer { unsafe zip_error_fini(&error) }
            throw ZipError(unsafe Self.text(zip_error_strerror(&error)))
        }
        unsafe archive = opened
        rest = limit
        self.limit = limit
    }

    deinit {
        unsafe zip_discard(archive)
    }

    /// The index of a file; nil if the archive has none of the name.
    private func locate(_ name: String) -> zip_int64_t? {
        if let folder {
            let index = unsafe zip_name_locate(archive, folder + name, 0)
            return index >= 0 ? index : nil
        }
        var index = unsafe zip_name_locate(archive, name, 0)
        if index < 0 { index = unsafe zip_name_locate(archive, name, zip_flags_t(ZIP_FL_NODIR)) }
        guard index >= 0, let path = unsafe zip_get_name(archive, zip_uint64_t(index), 0) else { return nil }
        folder = String(unsafe String(cString: path).dropLast(name.count))
        return index
    }

    /// Unpacks a file, and passes it to `body` in pieces.
    ///
    /// - Returns: false if the archive has no such file.
    /// - Throws: ``ZipError`` for a damaged file and for one beyond the limit, or an error of `body`.
    package func read(_ name: String, _ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        guard let index = locate(name) else { return false }
        guard let file = unsafe zip_fopen_index(archive, zip_uint64_t(index), 0) else {
            throw ZipError(unsafe Self.text(zip_strerror(archive)))
        }
        defer { unsafe zip_fclose(file) }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { bytes in
                unsafe Int(zip_fread(file, bytes.baseAddress, zip_uint64_t(bytes.count)))
            }
            guard count >= 0 else { throw ZipError(unsafe Self.text(zip_file_strerror(file))) }
            // The sum of the bytes is checked by libzip at the end of the file.
            if count == 0 { return true }
            guard count <= rest else { throw ZipError("the files unpack to more than \(limit >> 20) MiB") }
            rest -= count
            try body(piece.span.extracting(0..<count))
        }
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? "unknown error"
    }
}
