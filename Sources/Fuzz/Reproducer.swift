import Domain
import Glibc
import Linux

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
