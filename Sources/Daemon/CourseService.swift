import Domain
import JournalCoding
import Linux
import Pipeline
import Storage
import Wire

/// Executes requests about courses and the virtual partner: the disk worker reads and indexes them, the journal's
/// writer changes them, and the run gets the finished course as an input.
final class CourseService {
    typealias Completion = ActivityService.Completion

    private let inbox: Inbox
    private let run: RunController
    private let activities: ActivityService

    private static let tooManyRequests = RPCError.busy("too many requests about courses wait for the disk")
    private static let noSuchCourse = RPCError.notFound(
        "id", "there is no course of this number: see 'pacectl course list'")

    init(_ inbox: Inbox, _ run: RunController, _ activities: ActivityService) {
        self.inbox = inbox
        self.run = run
        self.activities = activities
    }

    /// Starts the execution of a request. `completion` receives its result when the inbox is drained.
    func execute(_ request: CourseRequest, _ completion: @escaping Completion, at now: Instant) throws(RPCError) {
        switch request {
        case .list(let limit, let before):
            try submit(.courses(limit: limit, before: before), completion) { [unowned self] reply, _ in
                guard case .courses(let courses) = reply else { return }
                completion(.success(.courses(courses, loaded: run.course?.hash)))
            }
        case .load(let id):
            try checkJournalIsWritten(at: now)
            try submit(.course(id), completion) { [unowned self] reply, now in
                guard case .course(let summary, let course) = reply else {
                    return completion(.failure(Self.noSuchCourse))
                }
                change(.load(summary.hash), completion, .course(summary, isLoaded: true), at: now)
                run.step(.course(course), at: now)
            }
        case .unload:
            if run.course == nil { throw .unavailable("no course is loaded") }
            try checkJournalIsWritten(at: now)
            change(.load(nil), completion, .done, at: now)
            run.step(.course(nil), at: now)
        case .delete(let id):
            try changeCourse(id, completion, at: now) { [unowned self] summary, now in
                if summary.hash == run.course?.hash {
                    return completion(.failure(.unavailable("course \(id) is loaded: unload it first")))
                }
                change(.delete(id), completion, .done, at: now)
            }
        case .rename(let id, let name):
            try changeCourse(id, completion, at: now) { [unowned self] summary, now in
                var summary = summary
                summary.name = name
                let isLoaded = summary.hash == run.course?.hash
                change(.rename(id, name), completion, .course(summary, isLoaded: isLoaded), at: now)
            }
        case .profile(let points):
            guard let course = run.course?.course else { throw .unavailable("no course is loaded") }
            let samples = course.samples(points, climbScore: run.settings.climbScore)
            // The response follows the return of this call.
            inbox.append(.completion { _ in completion(.success(.profile(samples))) })
        case .currentPartner:
            let partner = run.partner
            // The response follows the return of this call.
            inbox.append(.completion { _ in completion(.success(.partner(partner))) })
        case .partner(nil): try setPartner(nil, bytes: nil, completion, at: now)
        case .partner(.pace(let pace)): try setPartner(.pace(pace), bytes: nil, completion, at: now)
        case .partner(.activity(let id, let isOnCourse)):
            if isOnCourse, run.course == nil { throw .unavailable("no course is loaded") }
            try checkJournalIsWritten(at: now)
            let course = isOnCourse ? run.course?.hash : nil
            try submit(.partner(activity: id, on: course), completion) { [unowned self] reply, now in
                switch reply {
                case .partner(let partner, let bytes):
                    do throws(RPCError) {
                        try setPartner(.recorded(partner), bytes: bytes, completion, at: now)
                    } catch {
                        completion(.failure(error))
                    }
                case .noPartner(let failure): completion(.failure(.unavailable(failure.description)))
                default: completion(.failure(.notFound("activity", "there is no activity of this number")))
                }
            }
        }
    }

    private func setPartner(
        _ partner: Partner?, bytes: [UInt8]?, _ completion: @escaping Completion, at now: Instant
    ) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        change(.partner(partner, bytes: bytes), completion, .done, at: now)
        run.step(.partner(partner), at: now)
    }

    /// Passes the summary of a course to `body` if it exists and the journal is written.
    private func changeCourse(
        _ id: Int, _ completion: @escaping Completion, at now: Instant,
        _ body: @escaping (CourseSummary, Instant) -> Void
    ) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        try submit(.courseSummary(id), completion) { reply, now in
            guard case .courseSummary(let summary) = reply else { return completion(.failure(Self.noSuchCourse)) }
            body(summary, now)
        }
    }

    /// Appends a change, and completes the request when it is on the disk.
    private func change(
        _ change: CourseChange, _ completion: @escaping Completion, _ result: ControlResult, at now: Instant
    ) {
        let isQueued = run.journal.append(.course(change), at: now, via: inbox) { _ in completion(.success(result)) }
        if isQueued { return }
        // The run has changed already: the change must follow.
        run.journal.append(.course(change), at: now)
        inbox.append(.completion { _ in completion(.success(result)) })
    }

    private func submit(
        _ request: DiskRequest, _ completion: @escaping Completion, _ body: @escaping (DiskReply, Instant) -> Void
    ) throws(RPCError) {
        let isSubmitted = activities.submit(request) { reply, now in
            switch reply {
            case .success(let reply): body(reply, now)
            case .failure(let failure):
                completion(.failure(.internalError("the journal cannot be read: \(failure)")))
            }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    private func checkJournalIsWritten(at now: Instant) throws(RPCError) {
        let status = run.recorderStatus(at: now)
        guard status.state == .writing else {
            throw .busy(status.message ?? "nothing is recorded, and the journal is not written")
        }
    }
}
