import CMicroHTTPD
import Domain
import Glibc
import Linux

/// The body of a response: the bytes of a descriptor as they come. While there are none, the connection is suspended.
/// While the client takes none, none are read.
@safe
final class HTTPPipe {
    /// The most bytes of one read.
    private static let blockSize = 8 * 1024
    /// `MHD_CONTENT_READER_END_OF_STREAM`.
    private static let endOfStream = -1

    private let descriptor: FileDescriptor
    private let connection: OpaquePointer
    private let loop: EventLoop
    private let resumed: () -> Void
    private let ended: () -> Void
    /// Only while the connection is suspended: a descriptor that has hung up is always ready.
    private var source: DescriptorSource?

    init(
        _ descriptor: consuming FileDescriptor, _ connection: OpaquePointer, loop: EventLoop,
        resumed: @escaping () -> Void, ended: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        unsafe self.connection = unsafe connection
        self.loop = loop
        self.resumed = resumed
        self.ended = ended
    }

    deinit {
        source = nil
        ended()
    }

    /// A response that owns this object.
    func response() -> OpaquePointer? {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        return unsafe MHD_create_response_from_callback(
            UInt64.max, Self.blockSize,
            { context, _, bytes, size in unsafe HTTPPipe.from(context!).read(into: bytes!, size) }, context,
            { context in unsafe Unmanaged<HTTPPipe>.fromOpaque(context!).release() })
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> HTTPPipe {
        unsafe Unmanaged<HTTPPipe>.fromOpaque(context).takeUnretainedValue()
    }

    private func read(into bytes: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
        do throws(SystemError) {
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size)
            if let count = unsafe try descriptor.read(into: buffer) { return count > 0 ? count : Self.endOfStream }
            source = try loop.watch(descriptor, for: .reading) { [unowned self] _ in resume() }
        } catch {
            return Self.endOfStream
        }
        unsafe MHD_suspend_connection(connection)
        return 0
    }

    private func resume() {
        source = nil
        unsafe MHD_resume_connection(connection)
        resumed()
    }
}
