package import Domain
import Glibc
import Linux

/// Reads the air pressure from the kernel's drivers of industrial I/O (IIO) devices.
///
/// The device is the first one, by number, that has a valid pressure. It is read until it is gone or has failed five
/// times in a row; then all are tried again.
package struct Barometers: DeviceSource {
    package struct Device: Equatable, Sendable {
        package var number: Int
        /// The driver's name of the chip, `bmp280`.
        package var name: SanitizedText?

        package init(number: Int, name: SanitizedText? = nil) {
            self.number = number
            self.name = name
        }

        package var text: String { (name.map { "\($0.text) " } ?? "") + "(\(directory))" }

        fileprivate var directory: String { "iio:device\(number)" }
    }

    package struct Reading: Equatable, Sendable {
        package var device: Device
        /// The other devices with a pressure, which are not read.
        package var others: [Device] = []
        package var result: Result<EnvironmentMeasurement, IIOChannels.Problem>

        package init(device: Device, others: [Device] = [], result: Result<EnvironmentMeasurement, IIOChannels.Problem>)
        {
            self.device = device
            self.others = others
            self.result = result
        }
    }

    /// The directory of the kernel.
    package static let kernelDirectory = "/sys/bus/iio/devices"

    /// The most entries of the directory, and bytes of a file, that are read.
    private static let limit = (entries: 256, bytes: 64)
    private static let maxFailures = 5

    private let directory: String
    /// The device that is read, and the others.
    private var selected: Device?
    private var others: [Device] = []
    private var failures = 0

    package init(directory: String = kernelDirectory) {
        self.directory = directory
    }

    package var isAnyPresent: Bool {
        !numbers.isEmpty
    }

    /// All devices with a pressure, by number.
    package var devices: [Device] {
        numbers.map { number in
            var device = Device(number: number)
            device.name = (try? bytes("name", of: device)).flatMap { $0 }.flatMap { SanitizedText($0) }
            return device
        }
    }

    package mutating func read() -> Reading? {
        if let selected, failures < Self.maxFailures, var reading = read(selected) {
            if case .failure = reading.result { failures += 1 } else { failures = 0 }
            reading.others = others
            return reading
        }
        let devices = devices
        var chosen: Reading?
        for device in devices {
            guard let reading = read(device) else { continue }
            if case .success = reading.result {
                chosen = reading
                break
            }
            chosen = chosen ?? reading
        }
        selected = chosen?.device
        others = devices.filter { $0 != selected }
        failures = 0
        chosen?.others = others
        return chosen
    }

    /// Nil if the device is gone.
    private func read(_ device: Device) -> Reading? {
        let channels = IIOChannels { file throws(IIOChannels.Problem) in try bytes(file, of: device) }
        do throws(IIOChannels.Problem) {
            return try channels.measurement().map { Reading(device: device, result: .success($0)) }
        } catch {
            return Reading(device: device, result: .failure(error))
        }
    }

    /// The bytes of a file without a newline at the end; nil if the file does not exist, or its device is gone.
    private func bytes(_ file: String, of device: Device) throws(IIOChannels.Problem) -> ArraySlice<UInt8>? {
        let read: [UInt8]?
        do throws(SystemError) {
            let opened = try FileDescriptor.open("\(directory)/\(device.directory)/\(file)", O_RDONLY)
            read = try opened.readAll(limit: Self.limit.bytes)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR || error.code == ENODEV { return nil }
            throw IIOChannels.Problem(text: "\(file) cannot be read: \(error)")
        }
        guard let read else { throw IIOChannels.Problem(text: "\(file) has more than \(Self.limit.bytes) bytes") }
        return read.last == UInt8(ascii: "\n") ? read.dropLast() : read[...]
    }

    /// The numbers of the devices with a pressure, rising.
    private var numbers: [Int] {
        ((try? names(in: directory, limit: Self.limit.entries)) ?? []).compactMap { name -> Int? in
            guard name.hasPrefix("iio:device"), let number = Int(name.dropFirst("iio:device".count)) else { return nil }
            let isPressure = ["input", "raw"].contains { exists("\(directory)/\(name)/in_pressure_\($0)") }
            return isPressure ? number : nil
        }.sorted()
    }

    private func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}
