import Domain
import Formats
import Glibc
import JSONCoding
import Linux

extension Command {
    /// The workout is a setting.
    static let workout = [
        Command(
            "workout",
            "show the steps of the workout, which is a setting: settings set workout '10 min zone 2, 1 km, lap'",
            run: { try $0.workout() }),
        Command(
            "workout load", words: [.one("FILE", "a FIT file", .files)],
            "follow the workout of a FIT file in the next run, or from now on in the present one",
            read: { $0.words[0] }, run: { try $0.loadWorkout($1) }),
        Command("workout unload", "follow none", run: { try $0.unloadWorkout() }),
    ]
}

extension Invocation {
    private static let key = SettingKey.workout.rawValue

    fileprivate func workout() throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        return shown(try control.call("settings.get", #"{"key":"\#(Self.key)"}"#))
    }

    fileprivate func unloadWorkout() throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call("settings.set", #"{"key":"\#(Self.key)","value":[]}"#)
        return isJSON ? result + "\n" : "The workout is unloaded.\n"
    }

    fileprivate func loadWorkout(_ path: String) throws(Failure) -> String {
        let file = WorkoutFile(path: path)
        return try load(try file.read(), of: file.name)
    }

    /// Makes a workout the setting.
    ///
    /// - Parameter name: of its file, for messages.
    func load(_ workout: FitWorkout, of name: String) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        var settings = Settings()
        let json = (try? JSON(parsing: try control.call("settings.get").utf8)) ?? .null
        settings.maxHeartRate = json[SettingKey.maxHeartRate.rawValue]?.integer(in: 0...250) ?? 0
        settings.ftp = json[SettingKey.ftp.rawValue]?.integer(in: 0...2000) ?? 0
        let texts: [String]
        do {
            texts = try workout.texts(settings)
        } catch {
            throw .failed("\(name): \(error)")
        }
        for omission in workout.omissions { complain("\(name): \(omission)") }
        let value = "[" + texts.map(JSONText.string).joined(separator: ",") + "]"
        return shown(
            try control.call("settings.set", #"{"key":"\#(Self.key)","value":\#(value)}"#), name: workout.name)
    }

    /// The numbered steps of the setting.
    private func shown(_ value: String, name: SanitizedText? = nil) -> String {
        if isJSON { return value + "\n" }
        let steps = (try? JSON(parsing: value.utf8))?.array?.compactMap { $0.harmlessText() } ?? []
        if steps.isEmpty {
            return "No workout is loaded; load one with 'pacectl workout load FILE', or write one with "
                + "'pacectl settings set workout'.\n"
        }
        let width = String(steps.count).count
        let rows = steps.enumerated().map { index, step in
            let number = String(index + 1)
            let indent = String(repeating: " ", count: width - number.count + 2)
            return indent + number + "  " + WorkoutStep.words(of: step) + "\n"
        }
        return (name.map { $0.text + "\n" } ?? "") + rows.joined()
    }
}

/// A FIT workout file.
struct WorkoutFile {
    let path: String

    /// A workout has at most 100 steps of some 60 bytes.
    private static let byteLimit = 1 << 20

    var name: String { SanitizedText.line(path, limit: 256) ?? "the file without a name" }

    func read() throws(Failure) -> FitWorkout {
        do {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65_536)
            while let count = try piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                bytes += piece[..<count]
                guard bytes.count <= Self.byteLimit else { throw FileError("the file is too large for a workout") }
            }
            return try workout(of: bytes)
        } catch let error as Failure {
            throw error
        } catch let error as SystemError {
            throw .failed("cannot read \(name): \(error)")
        } catch {
            throw .failed("\(name): \(error)")
        }
    }

    /// The workout of the file's bytes.
    func workout(of bytes: [UInt8]) throws(Failure) -> FitWorkout {
        do {
            guard FitReader.recognises(bytes.span) else { throw FileError("the file is no FIT file") }
            return try FitWorkout(bytes.span)
        } catch {
            throw .failed("\(name): \(error)")
        }
    }
}
