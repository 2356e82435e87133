package import Domain

extension LineSplitter {
    package enum Progress: Equatable, Sendable {
        case received
        case nothing
        /// The peer closed its side. Its last line may lack the newline.
        case ended
    }

    /// The most bytes of one read.
    package static var chunkSize: Int { 4096 }

    /// Reads the available bytes, at most ``chunkSize``.
    package mutating func read(from socket: borrowing FileDescriptor) -> Progress {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
            do throws(SystemError) {
                guard let count = unsafe try socket.read(into: buffer) else { return .nothing }
                unsafe append(buffer[..<count])
                return count == 0 ? .ended : .received
            } catch {
                return .ended
            }
        }
    }
}
