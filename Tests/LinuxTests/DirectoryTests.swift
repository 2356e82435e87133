import Domain
import Foundation
import Glibc
import Linux
import TestKit
import Testing

/// Which directories count as private, and which files in them are opened.
@Suite struct DirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    private func make(_ name: String, mode: UInt32, owner: UInt32? = nil, group: UInt32? = nil) throws -> String {
        let path = directory(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(chown(path, owner ?? geteuid(), group ?? getegid()) == 0 && chmod(path, mode) == 0)
        return path
    }

    private func refusal(of path: String) -> DirectoryError? {
        do {
            _ = try Directory(private: path)
            return nil
        } catch {
            return error
        }
    }

    @Test func directoryWritableOnlyByItsOwnerIsPrivate() throws {
        for mode in [0o700, 0o750, 0o755, 0o2750] as [UInt32] {
            #expect(refusal(of: try make("\(mode)", mode: mode)) == nil)
        }
    }

    @Test func worldWritableDirectoryIsRejectedEvenIfSticky() throws {
        for mode in [0o777, 0o1777, 0o703] as [UInt32] {
            let path = try make("\(mode)", mode: mode)
            let error = refusal(of: path)
            #expect(error == DirectoryError(path, .writableByAll))
            #expect(error?.description == "every user can write to \(path): run chmod o-w \(path)")
        }
    }

    @Test func worldWritableParentIsRejectedUnlessSticky() throws {
        let above = try make("above", mode: 0o1777)
        let path = try make("above/own", mode: 0o700)
        #expect(refusal(of: path) == nil)
        chmod(above, 0o777)
        #expect(refusal(of: path) == DirectoryError(above, .writableByAll))
    }

    @Test func directoryWritableByAnotherGroupIsRejected() throws {
        let own = try #require(User.numbered(geteuid()))
        let isPrivate = own.hasPrivateGroup(getegid())
        let path = try make("own", mode: 0o770)
        #expect((refusal(of: path) == nil) == isPrivate)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to give directories to other groups"))
    func noOtherGroupMayWrite() throws {
        // A group unknown to the system, and one that may be every user's own.
        for group in [54_311, 100] as [UInt32] {
            let path = try make("group\(group)", mode: 0o770, group: group)
            #expect(refusal(of: path) == DirectoryError(path, .writableByGroup(group)))
            #expect(refusal(of: path)?.description.contains("run chmod g-w \(path)") == true)
            #expect(chmod(path, 0o750) == 0 && refusal(of: path) == nil)
        }
    }

    @Test(.enabled(if: hasAccessControlLists, "needs a file system with access control lists at /tmp"))
    func accessControlListThatLetsOthersWriteIsRejected() throws {
        let path = try make("list", mode: 0o700)
        #expect(refusal(of: path) == nil)
        #expect(Self.letsAnotherUserWrite(path))
        #expect(refusal(of: path) == DirectoryError(path, .writableByGroup(getegid())))
    }

    private static let hasAccessControlLists =
        withExtendedLifetime(TemporaryDirectory()) { letsAnotherUserWrite($0.path) }

    /// Gives a directory an access control list. False if its file system has none.
    private static func letsAnotherUserWrite(_ path: String) -> Bool {
        // Version 2; owner rwx, user 54301 rwx, group none, mask rwx, others none.
        var list: [UInt8] = [2, 0, 0, 0]
        for (tag, rights, id) in [(1, 7, -1), (2, 7, 54_301), (4, 0, -1), (0x10, 7, -1), (0x20, 0, -1)] {
            list += [UInt8(tag), 0, UInt8(rights), 0]
            list += withUnsafeBytes(of: Int32(id).littleEndian) { Array($0) }
        }
        let script = "import os,sys; os.setxattr(sys.argv[1], 'system.posix_acl_access', bytes.fromhex(sys.argv[2]))"
        let hex = list.map { String(format: "%02x", $0) }.joined()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, path, hex]
        process.standardError = FileHandle.nullDevice
        try? process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func aDirectoryOfRootIsPrivate() {
        #expect(refusal(of: "/usr") == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to give a directory to another user"))
    func directoryOfAnotherUserIsRejectedExceptOfRoot() throws {
        #expect(refusal(of: "/usr") == nil)
        let path = try make("foreign", mode: 0o700, owner: 54_301)
        #expect(refusal(of: path) == DirectoryError(path, .owned(by: 54_301)))
        #expect(refusal(of: path)?.description.contains("as user root: run paced as user 54301, or") == true)
        _ = try Directory(private: path, anyOwner: true)
        _ = try Directory(path)
    }

    @Test func pathIsResolvedOnce() throws {
        let real = try make("real", mode: 0o700)
        symlink(real, directory("link"))
        let opened = try Directory(private: directory("link"))
        #expect(opened.path == real)
        // The link leads elsewhere now; the files are still in the open directory.
        let other = try make("other", mode: 0o700)
        unlink(directory("link"))
        symlink(other, directory("link"))
        _ = try opened.make("file", O_WRONLY, mode: 0o600)
        #expect(FileManager.default.fileExists(atPath: real + "/file"))
        #expect(rename(real, directory("moved")) == 0)
        _ = try opened.make("second", O_WRONLY, mode: 0o600)
        #expect(FileManager.default.fileExists(atPath: directory("moved/second")))
    }

    @Test(.enabled(if: makesDevices, "needs root with CAP_MKNOD, to make a device"))
    func devicesAreNotOpened() throws {
        try onlyRegularFilesAreOpened(kind: .characterDevice)
    }

    private static let makesDevices = withExtendedLifetime(TemporaryDirectory()) { makeDevice(at: $0("null")) }

    /// Makes a /dev/null, which has no side effects.
    private static func makeDevice(at path: String) -> Bool {
        mknod(path, S_IFCHR | 0o666, 0x103) == 0
    }

    @Test(arguments: [FileKind.symbolicLink, .fifo, .directory, .socket])
    func onlyRegularFilesAreOpened(kind: FileKind) throws {
        let victim = directory("victim")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        chmod(victim, 0o666)
        let place = directory("file")
        switch kind {
        case .symbolicLink: symlink(victim, place)
        case .fifo: mkfifo(place, 0o666)
        case .directory: mkdir(place, 0o777)
        case .socket: _ = try UnixSocket.listen(at: place)
        default: #expect(Self.makeDevice(at: place))
        }
        let before = try mode(of: place)
        let opened = try Directory(directory.path)
        let error = DirectoryError(place, .wrongKind(kind, wanted: .regular))
        for flags in [O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT] {
            #expect(throws: error) { _ = try opened.open("file", flags) }
        }
        #expect(throws: error) { _ = try opened.make("file", O_WRONLY, mode: 0o600) }
        #expect(throws: error) { try opened.checkFile("file") }
        #expect(
            error.description == "\(place) is a \(kind.rawValue) and not a regular file: run mv \(place) \(place).old")
        opened.narrow("file", to: 0o600)
        #expect(try mode(of: place) == before && mode(of: victim) == S_IFREG | 0o666)
        #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
    }

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode
    }

    @Test func createdFileHasItsModeAndNarrowNeverWidensIt() throws {
        let opened = try Directory(directory.path)
        _ = try opened.make("file", O_WRONLY, mode: 0o640)
        #expect(try mode(of: directory("file")) == S_IFREG | 0o640)
        chmod(directory("file"), 0o666)
        _ = try opened.make("file", O_WRONLY, mode: 0o640)
        #expect(try mode(of: directory("file")) == S_IFREG | 0o640)
        chmod(directory("file"), 0o600)
        opened.narrow("file", to: 0o640)
        #expect(try mode(of: directory("file")) == S_IFREG | 0o600)
    }

    @Test func hardLinksAreFound() throws {
        let opened = try Directory(directory.path)
        for name in ["one", "two"] { _ = try opened.make(name, O_WRONLY, mode: 0o600) }
        #expect(link(directory("two"), directory("elsewhere")) == 0)
        #expect(opened.linked(among: ["one", "two", "three"]) == ["two"])
    }

    @Test func unnamedFileHasNoNameAndKeepsItsBytes() throws {
        let opened = try Directory(directory.path)
        let file = try opened.makeUnnamed(mode: 0o600)
        try file.write([1, 2, 3], at: 0)
        try file.write([4], at: 3)
        #expect(try file.read(atMost: 9, at: 1) == [2, 3, 4])
        #expect(try file.read(atMost: 9, at: 4) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test func missingFilesAreReported() throws {
        #expect(throws: DirectoryError(directory("none"), .system(SystemError("open", code: ENOENT)))) {
            _ = try Directory(directory("none"))
        }
        let opened = try Directory(directory.path)
        #expect(throws: DirectoryError(directory("none"), .system(SystemError("open", code: ENOENT)))) {
            _ = try opened.open("none", O_RDONLY)
        }
        #expect(try opened.checkFile("none") == false)
        #expect(try opened.size(of: "none") == nil)
    }

    @Test func pathInACommandIsQuotedForTheShell() {
        let error = DirectoryError("/my rides/it's", .writableByAll)
        #expect(error.description == #"every user can write to /my rides/it's: run chmod o-w '/my rides/it'\''s'"#)
    }
}
