import Domain
import Foundation
import Linux
import TestKit
import Testing

struct AtomicFileTests {
    private let directory: TemporaryDirectory
    private let file: AtomicFile

    init() throws {
        directory = TemporaryDirectory()
        file = AtomicFile(in: directory.path, name: "list")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    @Test func replacedFileIsReadBackAndNoOtherFileIsLeft() throws {
        #expect(try file.read(limit: 100) == nil)
        let long = [UInt8](repeating: 7, count: 10_000)
        try file.replace(with: long)
        #expect(try file.read(limit: 10_000) == long)
        try file.replace(with: [1, 2, 3])
        #expect(try file.read(limit: 3) == [1, 2, 3])
        try file.replace(with: [])
        #expect(try file.read(limit: 0) == [])
        #expect(try names == ["list"])
    }

    @Test func fileAboveTheLimitIsNotRead() throws {
        try file.replace(with: [1, 2, 3])
        #expect(throws: AtomicFile.Failure.tooLong) { try file.read(limit: 2) }
    }

    @Test func leftoverOfAnInterruptedWriteIsReplaced() throws {
        try file.replace(with: [1, 2, 3])
        try Data([9]).write(to: URL(fileURLWithPath: directory("list.new")))
        #expect(try file.read(limit: 3) == [1, 2, 3])
        try file.replace(with: [4])
        #expect(try names == ["list"])
        #expect(try file.read(limit: 3) == [4])
    }

    @Test func failedWriteKeepsTheOldFile() throws {
        try file.replace(with: [1, 2, 3])
        try FileManager.default.createDirectory(atPath: directory("list.new"), withIntermediateDirectories: false)
        let inTheWay = DirectoryError(directory("list.new"), .wrongKind(.directory, wanted: .regular))
        #expect(throws: inTheWay) { try file.replace(with: [4]) }
        #expect(try file.read(limit: 3) == [1, 2, 3])
        #expect(throws: DirectoryError(directory("none"), .system(SystemError("open", code: ENOENT)))) {
            try AtomicFile(in: directory("none"), name: "list").replace(with: [4])
        }
    }

    @Test func directoryInPlaceOfTheFileIsNeitherReadNorReplaced() throws {
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        let error = DirectoryError(file.path, .wrongKind(.directory, wanted: .regular))
        #expect(throws: error) { try file.replace(with: [4]) }
        #expect(try names == ["list"])
        #expect(throws: AtomicFile.Failure.directory(error)) { try file.read(limit: 3) }
    }

    @Test func fileIsRenamed() throws {
        try file.replace(with: [1])
        try file.rename(to: "list.damaged")
        #expect(try names == ["list.damaged"])
    }
}
