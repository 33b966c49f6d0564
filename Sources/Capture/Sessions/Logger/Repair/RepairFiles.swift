import Glibc
import SystemPackage

/// Writing, linking and moving files, with errors that name the file.
enum RepairFiles {
    /// Appends to a file in blocks.
    struct Writer {
        private static let blockBytes = 256 << 10

        private let descriptor: FileDescriptor
        private let path: FilePath
        private var buffer: [UInt8] = []

        init(_ descriptor: FileDescriptor, _ path: FilePath) {
            self.descriptor = descriptor
            self.path = path
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SessionRepairError) {
            buffer.append(contentsOf: bytes)
            if buffer.count >= Self.blockBytes { try flush() }
        }

        mutating func flush() throws(SessionRepairError) {
            do {
                try descriptor.writeAll(buffer)
            } catch {
                throw failure(path, "write", error)
            }
            buffer.removeAll(keepingCapacity: true)
        }
    }

    /// Creates a file, has it filled, and waits until it is on the disk.
    static func write(to path: FilePath, _ body: (inout Writer) throws -> Void) throws {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            throw failure(path, "create", error)
        }
        do {
            var writer = Writer(descriptor, path)
            try body(&writer)
            try writer.flush()
            guard fsync(descriptor.rawValue) == 0 else { throw failure(path, "write", Errno(rawValue: errno)) }
        } catch {
            try? descriptor.close()
            throw error
        }
        do {
            try descriptor.close()
        } catch {
            throw failure(path, "write", error)
        }
    }

    static func write(_ bytes: [UInt8], to path: FilePath) throws {
        try write(to: path) { writer in try bytes.withUnsafeBytes { try writer.append($0) } }
    }

    /// Writes a stream as it is after mending.
    static func write(_ mending: LineMending, _ files: any SessionFiles, to path: FilePath) throws {
        var mending = mending
        try write(to: path) { writer in try mending.run(files) { try writer.append($0) } }
    }

    /// Creates a folder and those around it.
    static func makeFolder(_ path: FilePath) throws(SessionRepairError) {
        if path.isEmpty || access(path.string, F_OK) == 0 { return }
        try makeFolder(path.removingLastComponent())
        guard mkdir(path.string, 0o755) == 0 || errno == EEXIST else {
            throw failure(path, "create", Errno(rawValue: errno))
        }
    }

    static func rename(_ source: FilePath, to destination: FilePath) throws(SessionRepairError) {
        guard Glibc.rename(source.string, destination.string) == 0 else {
            throw failure(destination, "rename to", Errno(rawValue: errno))
        }
    }

    /// Gives a file another name besides its own; moves it where the file system has no hard links.
    static func keep(_ file: FilePath, as name: FilePath) throws(SessionRepairError) {
        if link(file.string, name.string) != 0 { try rename(file, to: name) }
    }

    /// Sets when a file was last modified; where that is not possible, it is not.
    static func setTime(_ nanoseconds: Int64, of path: FilePath) {
        let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let times = [time, time]
        times.withUnsafeBufferPointer { _ = utimensat(AT_FDCWD, path.string, $0.baseAddress, 0) }
    }

    private static func failure(_ path: FilePath, _ operation: String, _ error: any Error) -> SessionRepairError {
        .failed(path: path, operation: operation, reason: error as? Errno ?? .ioError)
    }
}
