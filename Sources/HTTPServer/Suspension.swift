import CMicroHTTPD
import Linux

/// A connection that libmicrohttpd leaves alone until its owner has more for it, or its client has gone.
@safe
final class Suspension {
    private let connection: OpaquePointer
    private let resumed: () -> Void
    /// libmicrohttpd does not see the end of a connection that is suspended.
    private var source: DescriptorSource?

    /// - Parameters:
    ///   - resumed: called after the end; libmicrohttpd must run then.
    ///   - gone: the client has closed its side. Called before the end.
    init(_ connection: OpaquePointer, loop: EventLoop, resumed: @escaping () -> Void, gone: @escaping () -> Void) {
        unsafe self.connection = unsafe connection
        self.resumed = resumed
        unsafe MHD_suspend_connection(connection)
        // Without memory for it the client is missed only.
        source = try? loop.watch(number: unsafe cmicrohttpd_socket(connection), for: .peerClosed) { [unowned self] _ in
            gone()
            end()
        }
    }

    /// Lets the connection go on.
    func end() {
        source = nil
        unsafe MHD_resume_connection(connection)
        resumed()
    }
}
