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

    private static let inTrash = RPCError.notFound("id", "the course is in the trash: restore it first")
    private static let notInTrash = RPCError.notFound("id", "the trash has no course of this number")

    init(_ inbox: Inbox, _ run: RunController, _ activities: ActivityService) {
        self.inbox = inbox
        self.run = run
        self.activities = activities
    }

    /// Starts the execution of a request. `completion` receives its result when the inbox is drained.
    func execute(_ request: CourseRequest, _ completion: @escaping Completion, at now: Instant) throws(RPCError) {
        switch request {
        case .list(let limit, let before, let ofTrash):
            let list = DiskRequest.courses(limit: limit, before: before, in: ofTrash ? .trash : .lists)
            try submit(list, completion) { [unowned self] reply, _ in
                guard case .courses(let courses) = reply else { return }
                completion(.success(.courses(courses, loaded: run.course?.hash)))
            }
        case .load(let id):
            try checkJournalIsWritten(at: now)
            try submit(.course(id), completion) { [unowned self] reply, now in
                guard case .course(let summary, let course) = reply else {
                    return completion(.failure(Self.noSuchCourse))
                }
                change(.course(.load(summary.hash)), completion, .course(summary, isLoaded: true), at: now)
                run.step(.course(course), at: now)
            }
        case .unload:
            if run.course == nil { throw .unavailable("no course is loaded") }
            try checkJournalIsWritten(at: now)
            change(.course(.load(nil)), completion, .done, at: now)
            run.step(.course(nil), at: now)
        case .trash(let id):
            let time = run.state(at: now).setTime
            try changeCourse(id, .lists, completion, at: now) { [unowned self] summary, now in
                if isLoaded(summary, completion) { return }
                change(.trash(.put(.course, id, at: time)), completion, .done, at: now)
            }
        case .restore(let id):
            try changeCourse(id, .trash, completion, at: now) { [unowned self] summary, now in
                var summary = summary
                summary.trashed = nil
                change(.trash(.restore(.course, id)), completion, .course(summary, isLoaded: false), at: now)
            }
        case .delete(let id):
            try changeCourse(id, nil, completion, at: now) { [unowned self] summary, now in
                if isLoaded(summary, completion) { return }
                change(.course(.delete(id)), completion, .done, at: now)
            }
        case .rename(let id, let name):
            try changeCourse(id, .lists, completion, at: now) { [unowned self] summary, now in
                var summary = summary
                summary.name = name
                let isLoaded = summary.hash == run.course?.hash
                change(.course(.rename(id, name)), completion, .course(summary, isLoaded: isLoaded), at: now)
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
                case .inTrash: completion(.failure(ActivityService.inTrash))
                default: completion(.failure(.notFound("activity", "there is no activity of this number")))
                }
            }
        }
    }

    private func setPartner(
        _ partner: Partner?, bytes: [UInt8]?, _ completion: @escaping Completion, at now: Instant
    ) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        change(.course(.partner(partner, bytes: bytes)), completion, .done, at: now)
        run.step(.partner(partner), at: now)
    }

    /// Completes the request with an error if the course is loaded.
    private func isLoaded(_ summary: CourseSummary, _ completion: Completion) -> Bool {
        guard summary.hash == run.course?.hash else { return false }
        completion(.failure(.unavailable("course \(summary.id) is loaded: unload it first")))
        return true
    }

    /// Passes the summary of a course to `body` if it exists and the journal is written.
    ///
    /// - Parameter place: where it must be; nil for anywhere.
    private func changeCourse(
        _ id: Int, _ place: RecordPlace?, _ completion: @escaping Completion, at now: Instant,
        _ body: @escaping (CourseSummary, Instant) -> Void
    ) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        try submit(.courseSummary(id), completion) { reply, now in
            guard case .courseSummary(let summary) = reply else { return completion(.failure(Self.noSuchCourse)) }
            switch (place, summary.trashed) {
            case (.lists, .some): completion(.failure(Self.inTrash))
            case (.trash, nil): completion(.failure(Self.notInTrash))
            default: body(summary, now)
            }
        }
    }

    /// Appends a change, and completes the request when it is on the disk.
    private func change(
        _ change: JournalChange, _ completion: @escaping Completion, _ result: ControlResult, at now: Instant
    ) {
        let isQueued = run.journal.append(change, at: now, via: inbox) { _ in completion(.success(result)) }
        if isQueued { return }
        // The run has changed already: the change must follow.
        run.journal.append(change, at: now)
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
