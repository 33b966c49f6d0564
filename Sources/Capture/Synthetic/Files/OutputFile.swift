import SystemPackage

/// A new file that is written from front to back through a buffer.
struct OutputFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: FilePath
    private var buffer: [UInt8] = []
    private var isOpen = true

    init(creating path: FilePath) throws(SyntheticError) {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            throw .system(operation: "create", path: path, errno: error as? Errno ?? .ioError)
        }
    }

    deinit {
        if isOpen { try? descriptor.close() }
    }

    /// Buffers small pieces of text.
    mutating func append(_ bytes: some Sequence<UInt8>) throws(SyntheticError) {
        buffer += bytes
        if buffer.count >= 1 << 16 { try flush() }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SyntheticError) {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            throw .system(operation: "write", path: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// Writes what is buffered and closes; a file system may report a full disk only here.
    mutating func close() throws(SyntheticError) {
        try flush()
        isOpen = false
        do {
            try descriptor.close()
        } catch {
            throw .system(operation: "close", path: path, errno: error as? Errno ?? .ioError)
        }
    }

    private mutating func flush() throws(SyntheticError) {
        guard !buffer.isEmpty else { return }
        try buffer.withUnsafeBytes { bytes in
            Result { () throws(SyntheticError) in try write(bytes) }
        }.get()
        buffer.removeAll(keepingCapacity: true)
    }
}
