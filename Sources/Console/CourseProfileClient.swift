import Domain
import JSONCoding
import Linux

/// Asks control.sock for the profile of the loaded course, from an event loop. A request without an answer gives none.
final class CourseProfileClient {
    private let path: String
    private let loop: EventLoop
    private let received: (CourseProfile?) -> Void
    private var connection: Connection?
    private var arrivals: DescriptorSource?
    private var timer: TimerSource?

    private static let timeout = Duration.seconds(5)

    /// - Parameter received: called once for each request that no later one has replaced.
    init(_ path: String, loop: EventLoop, received: @escaping (CourseProfile?) -> Void) throws(SystemError) {
        self.path = path
        self.loop = loop
        self.received = received
        timer = try loop.timer { [unowned self] in end(nil) }
    }

    /// Asks, instead of the request before.
    func request() {
        do {
            let connection = try Connection(to: path)
            try connection.send(
                #"{"jsonrpc":"2.0","id":1,"method":"course.profile","params":{"points":\#(CourseProfile.points)}}"#)
            arrivals = try loop.watch(connection.descriptor, for: .reading) { [unowned self] _ in receive() }
            self.connection = connection
            timer?.arm(at: Clock.now() + Self.timeout)
        } catch {
            end(nil)
        }
    }

    private func receive() {
        guard let lines = connection?.arrivedLines() else { return end(nil) }
        guard let line = lines.first else { return }
        end((try? JSON(parsing: line))?["result"].flatMap { CourseProfile($0) })
    }

    private func end(_ profile: CourseProfile?) {
        arrivals = nil
        connection = nil
        timer?.arm(at: nil)
        received(profile)
    }
}
