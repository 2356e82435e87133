import Domain
import Formats
import JournalCoding
package import Linux
import SQLite
import Wire

/// Executes requests about recorded activities, and makes exports, on a separate thread.
///
///     loop ──▶ submit ──▶ Mailbox ──▶ thread ──▶ journal.sqlite, read-only; files, the index
///     loop ◀── Completion ◀── Mailbox ◀──┘
///
/// Neither the loop nor the journal's writer may wait for it: an export of ten hours takes a second, and a hung
/// disk takes any time. The thread has a lower priority than both. Up to ``limit`` requests wait in a queue.
@safe
package final class DiskWorker {
    /// Receives the result of a request. The error is text for people.
    package typealias Completion = (Result<DiskReply, Failure>) -> Void

    /// Why a request failed.
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        package var description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// The most requests without a reply.
    package static let limit = 32

    /// The data shared by the loop and the thread.
    private final class Mailbox: Sendable {
        struct Contents {
            var requests: [(number: Int, request: DiskRequest)] = []
            var replies: [(number: Int, reply: Result<DiskReply, Failure>)] = []
            var isClosing = false
        }

        let contents = Locked(Contents())
        /// Wakes the thread.
        let work: EventFD
        /// Wakes the loop: replies are available.
        let replied: EventFD
        /// Signals that the thread has ended.
        let ended: EventFD

        init() throws(SystemError) {
            work = try EventFD()
            replied = try EventFD()
            ended = try EventFD()
        }
    }

    private let mailbox: Mailbox
    private let thread: WorkerThread
    private var source: DescriptorSource?
    /// The completions, keyed by the numbers of the requests.
    private var waiting: [Int: Completion] = [:]
    private var nextNumber = 0

    /// - Parameter directory: the state directory.
    package init(in directory: String, loop: EventLoop) throws(SystemError) {
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        thread = try WorkerThread("paced-disk", niceness: 10) { Self.run(mailbox, in: directory) }
        source = try loop.watch(mailbox.replied.descriptor, for: .reading) { [unowned self] _ in deliverReplies() }
    }

    /// Queues a request. The completion is called in the loop later.
    ///
    /// - Returns: False if too many requests are waiting. The completion is not called then.
    package func submit(_ request: DiskRequest, _ completion: @escaping Completion) -> Bool {
        // An upload that ends must release its file.
        let isRelease = if case .closeUpload = request { true } else { false }
        guard waiting.count < Self.limit || isRelease else { return false }
        let number = nextNumber
        nextNumber += 1
        waiting[number] = completion
        mailbox.contents.withLock { $0.requests.append((number, request)) }
        mailbox.work.signal()
        return true
    }

    /// Stops after the request in progress, waiting at most `limit`, because a disk may never reply.
    ///
    /// - Returns: False if the thread is still running.
    @discardableResult
    package func close(waiting limit: Duration = .seconds(2)) -> Bool {
        source = nil
        waiting = [:]
        mailbox.contents.withLock { $0.isClosing = true }
        mailbox.work.signal()
        guard mailbox.ended.wait(atMost: limit) else { return false }
        thread.join()
        return true
    }

    private func deliverReplies() {
        mailbox.replied.drain()
        let replies = mailbox.contents.withLock { contents in
            let replies = contents.replies
            contents.replies = []
            return replies
        }
        for (number, reply) in replies { waiting.removeValue(forKey: number)?(reply) }
    }

    // MARK: On the thread

    private static func run(_ mailbox: Mailbox, in directory: String) {
        var spools = UploadSpools(in: directory)
        var index = IndexWriter(in: directory)
        while true {
            let (next, isClosing) = mailbox.contents.withLock { contents in
                (contents.requests.isEmpty ? nil : contents.requests.removeFirst(), contents.isClosing)
            }
            if isClosing { break }
            guard let next else {
                mailbox.work.wait(atMost: .seconds(3600))
                continue
            }
            let reply = reply(next.request, in: directory, &spools, &index)
            mailbox.contents.withLock { $0.replies.append((next.number, reply)) }
            mailbox.replied.signal()
        }
        mailbox.ended.signal()
    }

    private static func reply(
        _ request: DiskRequest, in directory: String, _ spools: inout UploadSpools, _ index: inout IndexWriter
    ) -> Result<DiskReply, Failure> {
        do {
            switch request {
            case .configuration(let path): return .success(.configuration(try ConfigurationFile.read(path)))
            case .write(let list, let file):
                try file.write(list)
                return .success(.written)
            case .writeDevice(let device, let file): try file.write(device)
            case .recoverable(let name):
                _ = try JournalRecovery.open(name, in: directory)
                return .success(.written)
            case .index(let scans): return .success(.indexed(try index.step(scans: scans)))
            case .openUpload(let number): try spools.open(number)
            case .appendUpload(let number, let bytes): try spools.append(bytes, to: number)
            case .closeUpload(let number): spools.close(number)
            case .checkUpload(let number):
                if let (recording, gaps) = try spools.check(number) {
                    return .success(.checkedUpload(recording, gaps: gaps))
                }
            case .checkCourse(let number):
                if let course = try spools.checkCourse(number) { return .success(.checkedCourse(course)) }
            case .readUpload(let number, let limit):
                return .success(.uploadedRows(try spools.rows(of: number, limit: limit)))
            default: return .success(try request.reply(from: JournalReader(in: directory)))
            }
            return .success(.written)
        } catch let failure as ConfigurationFile.Failure {
            return .failure(Failure(failure.line))
        } catch JournalFailure.missing {
            if case .courses = request { return .success(.courses([])) }
            if case .list = request { return .success(.list([])) }
            if case .orders = request { return .success(.orders([])) }
            return .success(.nothing)
        } catch {
            return .failure(Failure("\(error)"))
        }
    }
}

extension DiskRequest {
    fileprivate func reply(from reader: JournalReader) throws -> DiskReply {
        switch self {
        case .list(let limit, let before, let place):
            return .list(try reader.list(limit: limit, before: before, in: place))
        case .summary(let id):
            let summary = try reader.summary(of: id) ?? reader.summary(of: id, in: .trash)
            return summary.map { .summary($0) } ?? .nothing
        case .trash:
            return .trash(
                activities: try reader.list(limit: .max, in: .trash).count,
                courses: try reader.courses(limit: .max, in: .trash).count)
        case .activity(let id):
            guard let summary = try reader.summary(of: id), var recording = try reader.recording(id) else {
                return try absence(of: id, in: reader)
            }
            recording.weather = try reader.startWeather(of: recording)
            return .activity(summary, recording)
        case .records(let kind, let prefix): return .records(try reader.records(kind, beginning: prefix))
        case .track(let request):
            guard try reader.summary(of: request.activity) != nil else {
                return try absence(of: request.activity, in: reader)
            }
            return .track(
                try Track(
                    request, of: reader.rows(of: request.activity),
                    fields: reader.recording(request.activity)?.fields ?? []))
        case .courses(let limit, let before, let place):
            return .courses(try reader.courses(limit: limit, before: before, in: place))
        case .courseSummary(let id):
            let summary = try reader.course(id) ?? reader.course(id, in: .trash)
            return summary.map { .courseSummary($0) } ?? .nothing
        case .course(let id):
            guard let summary = try reader.course(id), let course = try reader.loadableCourse(summary) else {
                return .nothing
            }
            return .course(summary, course)
        case .partner(let id, let course):
            guard try reader.summary(of: id) != nil else { return try absence(of: id, in: reader) }
            do {
                let (partner, bytes) = try reader.partner(ofActivity: id, on: course)
                return .partner(partner, bytes: bytes)
            } catch let failure as CourseFailure {
                return .noPartner(failure)
            }
        case .orders(let ofDemo): return .orders(try reader.orders(bootID: Clock.bootID(), ofDemo: ofDemo))
        case .export(let order, let directory):
            guard var recording = try reader.recording(order.activity) else { return .nothing }
            if order.format == .fit {
                recording.course = try reader.followedCourse(ofActivity: order.activity)
                recording.weather = try reader.startWeather(of: recording)
            }
            let rows = try reader.rows(of: order.activity)
            return try order.format.makeFile(of: recording, rows, in: directory, state: reader.directory)
        case .configuration, .write, .writeDevice, .recoverable, .index, .openUpload, .appendUpload, .closeUpload,
            .checkUpload,
            .checkCourse, .readUpload:
            return .nothing
        }
    }
}

extension DiskRequest {
    /// The reply for an activity that the lists do not have.
    private func absence(of id: Int, in reader: JournalReader) throws(SQLiteError) -> DiskReply {
        try reader.summary(of: id, in: .trash) == nil ? .nothing : .inTrash
    }
}

extension ExportFormat {
    /// The suffixes for files of the same minute and sport.
    private static let numbers = 1...999

    /// Writes the file of a recording without replacing an existing one.
    ///
    /// - Parameter state: the state directory.
    fileprivate func makeFile(
        of recording: RecordedActivity, _ rows: JournalRows, in directory: String, state: String
    ) throws -> DiskReply {
        try makeDirectories(directory)
        var file = try AtomicFileWriter(in: directory, name: name(of: recording), mode: JournalFile.mode)
        let written = Clock.isSynchronised() ? Clock.systemTime() : nil
        let origin = ExportMetadata.ofThisDevice(
            in: state, started: recording.started, written: written)
        let loss = try write(recording, rows: rows, origin: origin) { try file.write($0) }
        for number in Self.numbers {
            let name = name(of: recording, number: number)
            if try file.finish(as: name) { return .exported(path: directory + "/" + name, loss) }
        }
        throw DiskWorker.Failure("\(Self.numbers.count) files of this name exist")
    }
}
