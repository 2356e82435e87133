import Linux
import TestKit
import Testing

struct ConfigurationFileTests {
    private func read(_ text: String) throws -> [ConfigurationFile.Assignment] {
        try ConfigurationFile.read(Array(text.utf8), path: "paced.conf")
    }

    private func complaint(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return (error as? ConfigurationFile.Failure)?.line
        }
    }

    @Test func assignmentsHaveTheirSectionAndLine() throws {
        let text =
            "# first\n\n[Recording]\n; second\nSyncIntervalSec=1\r\n  ResumeLimitSec = 15  \n[Strap]\nName=a;b # c\nEmpty=\n"
        #expect(
            try read(text) == [
                .init(path: "paced.conf", line: 5, section: "Recording", key: "SyncIntervalSec", value: "1"),
                .init(path: "paced.conf", line: 6, section: "Recording", key: "ResumeLimitSec", value: "15"),
                .init(path: "paced.conf", line: 8, section: "Strap", key: "Name", value: "a;b # c"),
                .init(path: "paced.conf", line: 9, section: "Strap", key: "Empty", value: ""),
            ])
        #expect(try read("").isEmpty)
        #expect(try read("[A]\nk=v").last?.value == "v")
    }

    @Test func malformedLineIsReportedWithItsNumber() {
        let rule = "expected [Section], Key=value or # comment"
        #expect(complaint("[A]\nnonsense\nk=v\n") == "paced.conf:2: \(rule)")
        #expect(complaint("[A\n") == "paced.conf:1: \(rule)")
        #expect(complaint("[A]\nk=\(String(repeating: "v", count: 5000))\nbad\n") == "paced.conf:3: \(rule)")
        #expect(complaint("[A]\nk=1\n[\(String(repeating: "v", count: 1000))\n") == "paced.conf:3: \(rule)")
    }

    @Test func longLineIsReadWhole() throws {
        let start = String(repeating: "v", count: 10_000)
        for value in [start, "\(start)  ;  # [x] = é\(start)ü  e", "\(start)\u{1F3C3}", "\(start);#;\(start)"] {
            #expect(
                try read("[A]\n  k = \(value)\t\n# \(start)\nnext=1\n") == [
                    .init(path: "paced.conf", line: 2, section: "A", key: "k", value: value),
                    .init(path: "paced.conf", line: 4, section: "A", key: "next", value: "1"),
                ])
        }
    }

    /// Earlier releases read these with libinih.
    @Test func formsOfEarlierReleasesAreAccepted() throws {
        #expect(
            try read("\u{FEFF}[A] ; the first\nkey: a=b\n=c\nd=\n") == [
                .init(path: "paced.conf", line: 2, section: "A", key: "key", value: "a=b"),
                .init(path: "paced.conf", line: 3, section: "A", key: "", value: "c"),
                .init(path: "paced.conf", line: 4, section: "A", key: "d", value: ""),
            ])
    }

    @Test func zeroBytesAndInvalidUTF8AreRejected() {
        #expect(complaint("[A]\nk=\0\n") == "paced.conf:2: the line contains a zero byte")
        #expect(throws: ConfigurationFile.Failure(line: "x is not UTF-8 text")) {
            try ConfigurationFile.read([0x6B, 0x3D, 0xFF], path: "x")
        }
    }

    @Test func overlargeFileAndDirectoryAreRejected() throws {
        let directory = TemporaryDirectory()
        let path = directory("paced.conf")
        #expect(try ConfigurationFile.read(path) == nil)
        try AtomicFile(in: directory.path, name: "paced.conf")
            .replace(with: [UInt8](repeating: UInt8(ascii: "#"), count: 70_000))
        #expect(throws: ConfigurationFile.Failure(line: "\(path) has more than 65536 bytes")) {
            try ConfigurationFile.read(path)
        }
        #expect(throws: ConfigurationFile.Failure(line: "cannot read \(directory.path): read: Is a directory")) {
            try ConfigurationFile.read(directory.path)
        }
    }
}
