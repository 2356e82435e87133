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
    /// `MHD_CONTENT_READER_END_OF_STREAM` and `MHD_CONTENT_READER_END_WITH_ERROR`.
    private static let (endOfStream, endWithError) = (-1, -2)

    private let descriptor: FileDescriptor
    private let connection: OpaquePointer
    private let loop: EventLoop
    private let resumed: () -> Void
    /// Only while the connection is suspended: a descriptor that has hung up is always ready.
    private var source: DescriptorSource?
    private var suspension: Suspension?
    private var isClientGone = false

    init(
        _ descriptor: consuming FileDescriptor, _ connection: OpaquePointer, loop: EventLoop,
        resumed: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        unsafe self.connection = unsafe connection
        self.loop = loop
        self.resumed = resumed
    }

    deinit { source = nil }

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
        if isClientGone { return Self.endWithError }
        do throws(SystemError) {
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size)
            if let count = unsafe try descriptor.read(into: buffer) { return count > 0 ? count : Self.endOfStream }
            source = try loop.watch(descriptor, for: .reading) { [unowned self] _ in suspension?.end() }
        } catch {
            return Self.endOfStream
        }
        suspension = unsafe Suspension(
            connection, loop: loop,
            resumed: { [unowned self] in
                source = nil
                resumed()
            }, gone: { [unowned self] in isClientGone = true })
        return 0
    }
}
