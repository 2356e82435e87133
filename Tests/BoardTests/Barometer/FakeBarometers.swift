import Board
import Domain
import Foundation
import Glibc
import TestKit

/// A directory like /sys/bus/iio/devices.
struct FakeBarometers {
    let directory = TemporaryDirectory()

    var barometers: Barometers { Barometers(directory: directory.path) }

    func path(_ number: Int, _ file: String = "") -> String {
        "\(directory.path)/iio:device\(number)" + (file.isEmpty ? "" : "/" + file)
    }

    /// Creates a device, or replaces files of it.
    func write(_ number: Int, _ files: [String: String]) throws {
        try FileManager.default.createDirectory(atPath: path(number), withIntermediateDirectories: true)
        for (file, text) in files { try Data(text.utf8).write(to: URL(filePath: path(number, file))) }
    }

    func makeDirectory(_ number: Int, _ file: String) throws {
        try FileManager.default.createDirectory(atPath: path(number, file), withIntermediateDirectories: true)
    }

    func remove(_ number: Int, _ file: String = "") throws {
        try FileManager.default.removeItem(atPath: path(number, file))
    }

    /// Replaces a file by a FIFO, which blocks its reader until a writer comes.
    func block(_ number: Int, _ file: String) throws {
        try? remove(number, file)
        guard mkfifo(path(number, file), 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Lets the reader of a FIFO continue with a text.
    func unblock(_ number: Int, _ file: String, _ text: String) throws {
        let fifo = try FileHandle(forWritingTo: URL(filePath: path(number, file)))
        try remove(number, file)
        try write(number, [file: text])
        try fifo.write(contentsOf: Data(text.utf8))
        try fifo.close()
    }
}

extension Barometers.Reading {
    var measurement: EnvironmentMeasurement? { try? result.get() }

    var problem: String? {
        if case .failure(let problem) = result { problem.text } else { nil }
    }
}
