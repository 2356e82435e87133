import Domain
package import Formats
import Glibc
import Linux
import Report
import Storage

extension Command {
    static let export = [
        Command(
            "export", words: [.any("ID...", .activities())],
            options: [
                Options.format, Options.output, Options.all, Options.force, Options.verbose, Options.hide,
                Options.anonymous,
            ],
            "write activities as \(formats); several, or --all, into the directory of -o; --force replaces files; --hide "
                + "leaves out the positions around start and end, --anonymous what names the board, the activity and the sensors",
            read: { arguments in try ExportRequest(arguments) }, run: { try $0.export($1) })
    ]

    private static let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
}

extension Options {
    fileprivate static let format = CommandOption<ExportFormat>.choice("--format", "the format of the files", word: "F")
    fileprivate static let all = CommandOption.flag("--all", "all activities")
}

/// Which activities to export, and where to.
package struct ExportRequest: Equatable {
    /// Empty for all.
    var activities: [ActivityReference]
    var format: ExportFormat
    /// A file, or a directory for several activities; nil for standard output.
    var output: String?
    var isForced = false
    var isVerbose = false
    /// The radius in which positions are hidden, in metres; 0 for none.
    var hide = 0
    /// Leaves out what names this board, the activity and its sensors.
    var isAnonymous = false

    package init(
        activities: [ActivityReference], format: ExportFormat, output: String? = nil, isForced: Bool = false,
        isVerbose: Bool = false, hide: Int = 0
    ) {
        self.activities = activities
        self.format = format
        self.output = output
        self.isForced = isForced
        self.isVerbose = isVerbose
        self.hide = hide
    }

    /// Whether `output` is a directory, in which the files are named by their starts.
    var hasDirectory: Bool {
        activities.count != 1
    }
}

extension ExportRequest {
    /// - Throws: ``Failure`` with status 2 if the options do not fit together.
    fileprivate init(_ arguments: Arguments) throws(Failure) {
        activities = try arguments.words.map { word throws(Failure) in try ActivityReference(word: word) }
        let isAll = arguments.has(Options.all)
        if isAll, !activities.isEmpty { throw .usage("export takes --all or the numbers of activities") }
        if !isAll, activities.isEmpty {
            throw .usage("export needs the number or the uuid of an activity, last, or --all")
        }
        output = arguments.file
        isForced = arguments.has(Options.force)
        isVerbose = arguments.has(Options.verbose)
        hide = arguments[Options.hide] ?? 0
        isAnonymous = arguments.has(Options.anonymous)
        let isSingle = activities.count == 1
        if !isSingle, output == nil { throw .usage("several activities need a directory: -o DIR") }
        guard
            let format = arguments[Options.format] ?? (isSingle ? output.flatMap(ExportFormat.init(ofFile:)) : nil)
        else {
            let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "export needs --format (\(formats))" + (isSingle ? ", or a file whose name ends in one of these" : ""))
        }
        self.format = format
    }
}

extension ExportFormat {
    /// The format that the end of a file's name gives; nil for another one.
    fileprivate init?(ofFile path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }
}

extension Invocation {
    /// Exports activities to files or to standard output. Lists on standard error what the format cannot hold.
    func export(_ request: ExportRequest) throws(Failure) {
        if request.output == nil, request.format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw .usage("a FIT file is binary and not written to a terminal: name a file with -o")
        }
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            if !request.hasDirectory, let activity = request.activities.first {
                let id = try journal.number(of: activity)
                return try export(id, request, journal, name: { _ in request.output })
            }
            let directory = request.output ?? "."
            try makeDirectories(directory)
            var numbers: [Int] = []
            if request.activities.isEmpty {
                let all = try ActivityFilter().activities(of: journal, atMost: .max)
                numbers = all.filter { !$0.isDemo }.map(\.id)
                let demos = all.count - numbers.count
                if demos > 0 { complain("left out: \(demos) of the demo; name an activity to export it") }
            } else {
                for activity in request.activities { numbers.append(try journal.number(of: activity)) }
            }
            if numbers.isEmpty { throw Failure.noActivityYet }
            var names: Set<String> = []
            for id in numbers {
                do {
                    try export(id, request, journal) { recording in
                        // Two activities may start in the same minute.
                        var number = 1
                        while !names.insert(request.format.name(of: recording, number: number)).inserted { number += 1 }
                        return directory + "/" + request.format.name(of: recording, number: number)
                    }
                } catch let error as NoSamples {
                    // The others are exported.
                    complain(of: error.failure)
                }
            }
        } catch let error as NoSamples {
            throw error.failure
        } catch let error as SystemError {
            throw .failed("cannot write to \(SanitizedText.line(request.output ?? "", limit: 256) ?? ""): \(error)")
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// - Parameter name: returns the path of the file; nil for standard output.
    private func export(
        _ id: Int, _ request: ExportRequest, _ journal: JournalReader, name: (RecordedActivity) -> String?
    ) throws {
        guard var recording = try journal.recording(id) else { throw journal.noActivity(id) }
        let format = request.format
        let now = Clock.systemTime()
        var origin = ExportMetadata.ofThisDevice(
            in: journal.directory, started: recording.started, written: now >= Release.date ? now : nil)
        // A uuid tells the moment of the start, and a device or a sensor links all files.
        if request.isAnonymous || request.hide > 0 {
            recording = recording.anonymous
            origin = origin.anonymous
        }
        let rows: any RecordingRows
        if let hidden = try HiddenRows(journal.rows(of: id), of: journal, radius: request.hide), hidden.hasPositions {
            rows = hidden
            recording = try hidden.header(of: recording, hidden: request.hide)
        } else {
            rows = try journal.rows(of: id)
            // The station is near the start, also without a position.
            if format == .fit, request.hide == 0 {
                recording.weather = try journal.startWeather(of: recording)
                recording.course = try journal.followedCourse(ofActivity: id)
            }
        }
        if format.holdsOnlySamples, try !rows.hasSample { throw NoSamples(activity: id, format: format) }
        let loss: ExportLoss
        if let path = name(recording) {
            loss = try OutputFile(path, replaces: request.isForced).write { sink in
                try format.write(recording, rows: rows, origin: origin, into: sink)
            }
            if request.hasDirectory {
                try writeOut("Activity \(id): \(SanitizedText.line(path, limit: 256) ?? path)\n")
            }
        } else {
            loss = try format.write(recording, rows: rows, origin: origin) { bytes in
                try writeOut(bytes.withUnsafeBytes { Array($0) })
            }
        }
        if recording.isTimeUncertain {
            complain(
                "activity \(id) has no date, because no clock was set: "
                    + (format.startOfUndated.map {
                        "\(format.title) needs times, which start at \(StatusText.localTime($0)) and mean nothing"
                    } ?? "the file has no times") + "; 'pacectl edit \(id) --start TIME' sets the start")
        }
        let words = request.isVerbose ? loss.counts : loss.words
        if !words.isEmpty {
            complain("\(format.title) cannot hold \(words.joined(separator: ", "))")
        }
    }
}

/// An activity that consists of totals only, as of a swim in a pool, and a format that cannot hold them.
private struct NoSamples: Error {
    var activity: Int
    var format: ExportFormat

    var failure: Failure {
        .failed(
            "activity \(activity) has totals only and no samples, which \(format.title) cannot hold: export it as fit, tcx or csv"
        )
    }
}

private struct SampleFound: Error {}

extension RecordingRows {
    /// Whether there is a sample.
    fileprivate var hasSample: Bool {
        get throws {
            do {
                try each { if case .sample = $0 { throw SampleFound() } }
                return false
            } catch is SampleFound {
                return true
            }
        }
    }
}

extension ExportLoss {
    /// The lost elements; empty if nothing was lost.
    package var words: [String] {
        elements.compactMap { $0.count == 0 ? nil : $0.word }
    }

    /// The lost elements with their counts.
    package var counts: [String] {
        elements.compactMap { $0.count == 0 ? nil : "\($0.count) \($0.count == 1 ? $0.one : $0.many)" }
    }

    private var elements: [(count: Int, word: String, one: String, many: String)] {
        [
            (secondsWithoutPosition, "times without position", "second without position", "seconds without position"),
            (samples, "extra samples", "extra sample in the same second", "extra samples in the same second"),
            (lonePositions, "isolated positions", "isolated position", "isolated positions"),
            (beats, "RR intervals", "RR interval", "RR intervals"), (laps, "laps", "lap", "laps"),
            (distances, "distance", "second's distance", "seconds' distance"),
            (speeds, "speed", "second's speed", "seconds' speed"),
            (cadences, "cadence", "second's cadence", "seconds' cadence"),
            (powers, "power", "second's power", "seconds' power"),
            (temperatures, "temperature", "second's temperature", "seconds' temperature"),
            (balances, "balance", "second's balance of the pedals", "seconds' balance of the pedals"),
        ]
    }
}
