import Domain
import Linux
import Storage
import Wire

/// Owns the name of this board: executes requests about it, and raises a fault while it may be that of another board too.
///
/// The file is read and made with the state directory (``StateDirectoryOpener``); the disk worker writes later changes.
final class DeviceService {
    private let run: RunController
    private let activities: ActivityService
    private let file: DeviceFile
    /// The present device; nil in the demo, and until the state directory is ready.
    private(set) var device: Device?
    /// Whether a change waits for the disk.
    private var isChanging = false
    /// Called when the device has changed.
    private let changed: (Device) -> Void

    /// - Parameter directory: the state directory.
    init(_ run: RunController, _ activities: ActivityService, in directory: String, changed: @escaping (Device) -> Void)
    {
        self.run = run
        self.activities = activities
        self.changed = changed
        file = DeviceFile(in: directory)
    }

    /// Adopts the device of the state directory, or a changed one.
    func adopt(_ device: Device, at now: Instant) {
        self.device = device
        changed(device)
        if device.isOf(Machine.uuid()) {
            run.step(.clear(.deviceCopied), at: now)
        } else {
            run.step(
                .raise(
                    .deviceCopied,
                    message: "the disk was made for another machine, so two boards may have one uuid: "
                        + "'pacectl device new' makes another, 'pacectl device keep' keeps it"), at: now)
        }
    }

    /// Starts the execution of a request. `completion` receives the device when it is on the disk.
    func execute(
        _ request: DeviceRequest, _ completion: @escaping ActivityService.Completion, at now: Instant
    ) throws(RPCError) {
        guard var changed = device else {
            throw .unavailable("this paced has no name: the state directory is not ready")
        }
        if isChanging { throw .busy("another change of the name waits for the disk") }
        switch request {
        case .rename(let name): changed.name = name
        case .keep: changed = Device(uuid: changed.uuid, machine: Machine.uuid(), name: changed.name)
        case .new: changed = Device(uuid: .new(at: nil), machine: Machine.uuid(), name: changed.name)
        }
        let isSubmitted = activities.submit(.writeDevice(changed, in: file)) { [unowned self] reply, now in
            isChanging = false
            switch reply {
            case .success:
                adopt(changed, at: now)
                completion(.success(.device(changed)))
            case .failure(let failure): completion(.failure(.busy("the name cannot be stored: \(failure)")))
            }
        }
        if !isSubmitted { throw .busy("too many requests wait for the disk") }
        isChanging = true
    }
}
