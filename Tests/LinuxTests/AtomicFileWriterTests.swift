import Domain
import Foundation
import Linux
import TestKit
import Testing

struct AtomicFileWriterTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    private func write(_ text: String, to file: borrowing AtomicFileWriter) throws {
        try file.write(Array(text.utf8).span)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.path + "/" + name, encoding: .utf8)
    }

    @Test func fileAppearsOnlyWhenItIsComplete() throws {
        var file = try AtomicFileWriter(in: directory.path, name: "run.fit")
        try write("abc", to: file)
        #expect(try names == [".run.fit.new"])
        try write("def", to: file)
        #expect(try file.finish(as: "run.fit"))
        #expect(try names == ["run.fit"])
        #expect(try text("run.fit") == "abcdef")
    }

    @Test func existingFileIsNotOverwritten() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: directory.path + "/run.fit"))
        var file = try AtomicFileWriter(in: directory.path, name: "run.fit")
        try write("new", to: file)
        #expect(try !file.finish(as: "run.fit"))
        #expect(try text("run.fit") == "old")
        #expect(try file.finish(as: "run-2.fit"))
        #expect(try names == ["run-2.fit", "run.fit"])
        #expect(try text("run-2.fit") == "new")
    }

    @Test func unfinishedFileIsRemoved() throws {
        do {
            let file = try AtomicFileWriter(in: directory.path, name: "run.fit")
            try write("half", to: file)
        }
        #expect(try names.isEmpty)
    }

    @Test func leftoverDraftIsOverwritten() throws {
        try Data("left by a kill".utf8).write(to: URL(fileURLWithPath: directory.path + "/.run.fit.new"))
        var file = try AtomicFileWriter(in: directory.path, name: "run.fit")
        try write("new", to: file)
        #expect(try file.finish(as: "run.fit"))
        #expect(try text("run.fit") == "new")
    }

    @Test func secondOfTwoConcurrentWritersWins() throws {
        var first = try AtomicFileWriter(in: directory.path, name: "run.fit")
        var second = try AtomicFileWriter(in: directory.path, name: "run.fit")
        try write("first", to: first)
        try write("sec", to: second)
        #expect(throws: SystemError("rename", code: EBUSY)) { _ = try first.finish(as: "run.fit") }
        try write("ond", to: second)
        #expect(try second.finish(as: "run.fit"))
        #expect(try text("run.fit") == "second")
    }
}
