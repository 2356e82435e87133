import Domain
import Glibc
import Linux

/// Runs seeded cases through the targets. Reports the speed and the growth of memory.
///
/// The running case is in the file of `--keep`: after a crash, `--replay` runs it again.
enum Campaign {
    /// The limit of the growth of resident memory after the first tenth of the cases, in KiB, for heap fragmentation.
    private static let growthLimit = 1024

    private static let usage = """
        usage: Fuzz [--cases N] [--seed S] [--keep FILE] [--replay FILE] [--corpus DIRECTORY] [NAME…] | --names
        names: \(FuzzTarget.all.map(\.name).joined(separator: " "))
        """

    private struct Options {
        var cases = 100_000
        var seed: UInt64 = 1
        var keep: String?
        var replay: String?
        var corpus: String?
        var entries: [FuzzTarget] = []

        init?(_ arguments: [String]) {
            var arguments = arguments[...]
            while let argument = arguments.popFirst() {
                if let entry = FuzzTarget.all.first(where: { $0.name == argument }) {
                    entries.append(entry)
                    continue
                }
                guard let value = arguments.popFirst() else { return nil }
                switch argument {
                case "--cases":
                    guard let cases = Int(value), cases > 0 else { return nil }
                    self.cases = cases
                case "--seed":
                    guard let seed = UInt64(value) else { return nil }
                    self.seed = seed
                case "--keep": keep = value
                case "--replay": replay = value
                case "--corpus": corpus = value
                default: return nil
                }
            }
            if entries.isEmpty { entries = FuzzTarget.all }
        }
    }

    static func run(_ arguments: [String]) -> Int32 {
        if arguments == ["--names"] {
            print(FuzzTarget.all.map(\.name).joined(separator: " "))
            return 0
        }
        guard let options = Options(arguments) else {
            print(usage)
            return 2
        }
        do throws(SystemError) {
            if let path = options.replay {
                let bytes = try Reproducer(path).bytes
                for entry in options.entries { entry.body(bytes) }
            } else if let directory = options.corpus {
                try writeCorpora(of: options.entries, to: directory)
            } else {
                return try run(options) ? 0 : 1
            }
            return 0
        } catch {
            print("Fuzz: \(error)")
            return 1
        }
    }

    private static func run(_ options: Options) throws(SystemError) -> Bool {
        var kept: Reproducer?
        if let path = options.keep { kept = try Reproducer(path) }
        var hasGrown = false
        for entry in options.entries {
            var mutator = Mutator(seed: options.seed)
            var resident = 0
            let start = Clock.now()
            for number in 0..<options.cases {
                if number == options.cases / 10 { resident = residentKibibytes() }
                let bytes = mutator.next(from: entry.corpus)
                kept?.bytes = bytes
                entry.body(bytes)
            }
            let growth = residentKibibytes() - resident
            let seconds = (Clock.now() - start).inSeconds
            let speed = Int(Double(options.cases) / seconds)
            print(
                "\(entry.name): \(options.cases) cases of seed \(options.seed), \(speed) a second, memory grew by \(growth) KiB"
            )
            fflush(nil)
            if growth > growthLimit { hasGrown = true }
        }
        print(hasGrown ? "MEMORY GREW by more than \(growthLimit) KiB" : "no crash, no broken rule, no leak")
        return !hasGrown
    }

    private static func residentKibibytes() -> Int {
        let fields = (try? FileDescriptor.open("/proc/self/statm", O_RDONLY))?.readText(limit: 128).split(
            separator: " ")
        return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE)) / 1024
    }

    /// Writes a folder for each target and a file for each case, as libFuzzer reads them.
    private static func writeCorpora(of entries: [FuzzTarget], to directory: String) throws(SystemError) {
        for entry in entries {
            try makeDirectories(directory + "/" + entry.name)
            for (number, bytes) in entry.corpus.enumerated() {
                let path = directory + "/\(entry.name)/\(number)"
                let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
                write(file.number, bytes, bytes.count)
            }
        }
    }
}

/// The running case in a memory-mapped file, where it can be found after a crash.
///
/// Layout: the size of the case, 8 bytes in host byte order, then the case.
final class Reproducer {
    private static let header = MemoryLayout<Int>.size
    private static let size = header + Mutator.sizeLimit

    private let memory: UnsafeMutableRawPointer

    init(_ path: String) throws(SystemError) {
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT)
        guard ftruncate(file.number, Self.size) == 0 else { throw SystemError("ftruncate", code: errno) }
        let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
        guard let memory, memory != MAP_FAILED else { throw SystemError("mmap", code: errno) }
        self.memory = memory
    }

    deinit {
        munmap(memory, Self.size)
    }

    var bytes: [UInt8] {
        get {
            let count = min(max(memory.load(as: Int.self), 0), Mutator.sizeLimit)
            return Array(UnsafeRawBufferPointer(start: memory + Self.header, count: count))
        }
        set {
            memory.storeBytes(of: newValue.count, as: Int.self)
            UnsafeMutableRawBufferPointer(start: memory + Self.header, count: newValue.count).copyBytes(from: newValue)
        }
    }
}
