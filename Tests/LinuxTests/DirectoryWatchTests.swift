import Domain
import Foundation
import Linux
import TestKit
import Testing

struct DirectoryWatchTests {
    @Test func changesAndRemovalOfTheDirectoryAreReported() throws {
        let directory = TemporaryDirectory()
        let path = directory("input")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let loop = try EventLoop()
        var reports: [Bool] = []
        let watch = try DirectoryWatch(path, loop: loop) { reports.append($0) }
        let steps: [() throws -> Void] = [
            { _ = FileManager.default.createFile(atPath: path + "/event0", contents: nil) },
            { try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path + "/event0") },
            { try FileManager.default.removeItem(atPath: path + "/event0") },
        ]
        for step in steps {
            reports = []
            try step()
            try loop.runOnce(waiting: .seconds(5))
            #expect(reports == [true])
        }
        reports = []
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<4 where reports.last != false { try loop.runOnce(waiting: .seconds(5)) }
        #expect(reports.last == false)
        withExtendedLifetime(watch) {}
    }

    @Test func watchOfAMissingDirectoryThrows() throws {
        let loop = try EventLoop()
        #expect(throws: SystemError("inotify_add_watch", code: ENOENT)) {
            _ = try DirectoryWatch("/nonexistent", loop: loop) { _ in }
        }
    }

    @Test func namesAreSortedAndLimited() throws {
        let directory = TemporaryDirectory()
        for name in ["b", "a", ".hidden", "c"] {
            _ = FileManager.default.createFile(atPath: directory(name), contents: nil)
        }
        #expect(try names(in: directory.path) == ["a", "b", "c"])
        #expect(try names(in: directory.path, limit: 2).count == 2)
        #expect(throws: SystemError("opendir", code: ENOENT)) { try names(in: directory("nonexistent")) }
    }
}
