import Domain
import Linux
import Wire

/// The responses to changes of settings that are in force and not on the disk yet.
struct UnstoredSettings {
    /// A disk that is slower makes the response an error.
    private static let limit = Duration.seconds(5)

    private struct Response {
        var deadline: Instant
        var key: SettingKey
        var completion: ActivityService.Completion
    }

    private var responses: [Int: Response] = [:]
    private var last = 0

    static func failure(_ key: SettingKey, _ reason: String) -> RPCError {
        .internalError("\(key.rawValue) is in force, but not on the disk: \(reason); paced stores it when it can")
    }

    /// - Returns: the number with which ``stored(_:_:)`` completes the response.
    mutating func wait(for key: SettingKey, _ completion: @escaping ActivityService.Completion, at now: Instant) -> Int
    {
        last += 1
        responses[last] = Response(deadline: now + Self.limit, key: key, completion: completion)
        return last
    }

    mutating func stored(_ number: Int, _ settings: Settings) {
        guard let response = responses.removeValue(forKey: number) else { return }
        response.completion(.success(.setting(response.key, settings)))
    }

    /// Completes those that wait too long.
    mutating func tick(at now: Instant) {
        let late = responses.filter { $0.value.deadline <= now }
        for (number, response) in late.sorted(by: { $0.key < $1.key }) {
            responses[number] = nil
            response.completion(.failure(Self.failure(response.key, "the disk has not responded for 5 s")))
        }
    }
}
