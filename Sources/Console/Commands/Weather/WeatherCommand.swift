package import Domain
import Glibc
import JSONCoding
import Linux
import Servers
import Weather

extension Command {
    static let decode = [
        command(
            "metar", .metar,
            "decode the METAR and SPECI of standard input, one a line, into JSON objects in SI units; TIME is when they "
                + "were received, by default now"),
        command("taf", .taf, "decode TAF forecasts, in the same way"),
    ]

    private static func command(_ name: String, _ kind: WeatherCommand.Kind, _ text: String) -> Command {
        Command(
            name, options: [Options.now], text, read: { WeatherCommand(kind: kind, now: $0[Options.now]) },
            run: { _, command -> Void in if try !command.run() { throw Failure.explained } })
    }
}

extension Options {
    fileprivate static let now = time("--now", "when they were received")
}

/// `pacectl metar` and `pacectl taf`: reports of standard input, one a line, as JSON objects.
package struct WeatherCommand: Equatable {
    package enum Kind: Equatable {
        case metar, taf
    }

    var kind: Kind
    /// The time at which the reports were received; nil for the clock's.
    var now: UTC?

    package init(kind: Kind, now: UTC? = nil) {
        self.kind = kind
        self.now = now
    }

    /// Decodes until the end of standard input, and writes the objects of all lines of a read at once.
    ///
    /// - Returns: whether all lines were reports.
    func run() throws(Failure) -> Bool {
        let now = now ?? Clock.systemTime()
        let limit = kind == .metar ? Metar.lengthLimit : Taf.lengthLimit
        var lines = LineSplitter(limit: limit)
        var writer = JSONWriter()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var areReports = true
        var hasEnded = false
        while !hasEnded {
            let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            let code = errno
            if count < 0 {
                if code == EINTR { continue }
                throw .failed("cannot read standard input: \(String(cString: strerror(code)))")
            }
            hasEnded = count == 0
            lines.append(chunk[..<count])
            while let line = lines.next(hasEnded: hasEnded) {
                if !write(line, limit: limit, receivedAt: now, into: &writer) { areReports = false }
            }
            try writeOut(writer.bytes)
            writer.clear()
        }
        return areReports
    }

    private func write(
        _ line: LineSplitter.Line, limit: Int, receivedAt now: UTC, into writer: inout JSONWriter
    ) -> Bool {
        defer { writer.newline() }
        do throws(ParseError) {
            guard case .line(let bytes) = line else {
                throw ParseError(at: limit, expected: "the end of the report")
            }
            switch kind {
            case .metar: writer.value(try Metar(Array(bytes), receivedAt: now))
            case .taf: writer.value(try Taf(Array(bytes), receivedAt: now))
            }
            return true
        } catch {
            writer.object {
                $0.member("error", "expected " + error.expected.text)
                $0.member("at", error.offset)
            }
            return false
        }
    }
}
