import Glibc
import Linux
import TestKit
import Testing
import Web

@Suite struct UploadDirectoryTests {
    private let parent = TemporaryDirectory()

    private var names: [String] { (try? Linux.names(in: parent.path)) ?? [] }

    @Test func directoryEndsWithItsFile() throws {
        do {
            let upload = try UploadDirectory(in: parent.path, name: "ride.fit")
            _ = try upload.makeFile()
            #expect(names.count == 1 && access(upload.path, R_OK) == 0)
        }
        #expect(names.isEmpty)
    }

    @Test func onlyDirectoriesThatNobodyUsesAreRemoved() throws {
        let used = try UploadDirectory(in: parent.path, name: "ride.fit")
        let abandoned = parent.path + "/paced-upload-000000"
        for path in [abandoned, parent.path + "/other"] { mkdir(path, 0o700) }
        _ = try FileDescriptor.open(abandoned + "/ride.gpx", O_WRONLY | O_CREAT)
        UploadDirectory.removeAbandoned(in: parent.path)
        #expect(access(used.path, F_OK) == -1 && access(abandoned, F_OK) == -1)
        #expect(names.count == 2)
    }
}
