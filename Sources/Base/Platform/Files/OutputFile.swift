import Glibc
package import SystemPackage

/// A new file that is written from front to back, through a buffer.
package final class OutputFile {
    private static let bufferBytes = 1 << 16

    package let path: FilePath
    /// Written so far, the buffer included.
    package private(set) var byteCount = 0
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private var isOpen = true

    /// - Throws: a ``FileError`` also where the file exists, unless it is `replaced`: what else has or had the name stays as it is.
    package init(creating path: FilePath, replaced: Bool = false) throws(FileError) {
        self.path = path
        if replaced { unlink(path.string) }
        descriptor = try FileError.attempt(path, "create") {
            try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        }
        buffer.reserveCapacity(Self.bufferBytes)
    }

    deinit {
        if isOpen { try? descriptor.close() }
    }

    package func append(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        byteCount += bytes.count
        if buffer.count + bytes.count > Self.bufferBytes { try flush() }
        if bytes.count >= Self.bufferBytes {
            try attempt { try descriptor.writeAll(bytes) }
        } else {
            buffer += bytes
        }
    }

    package func append(text: String) throws(FileError) { try append(Array(text.utf8)) }

    /// Replaces bytes that were written before.
    package func replace(at offset: Int, with bytes: [UInt8]) throws(FileError) {
        try flush()
        try attempt { try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes) }
    }

    /// Writes what is in the buffer and closes the file, which is on the disk then if it is `synchronized`.
    package func finish(synchronized: Bool = false) throws(FileError) {
        try flush()
        if synchronized, fsync(descriptor.rawValue) != 0 {
            throw FileError(path: path, operation: "write", errno: Errno(rawValue: Glibc.errno))
        }
        isOpen = false
        try attempt { try descriptor.close() }
    }

    private func flush() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try attempt { try descriptor.writeAll(buffer) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func attempt(_ body: () throws -> Void) throws(FileError) {
        try FileError.attempt(path, "write", body)
    }

    /// Writes a whole new file.
    package static func write(_ bytes: [UInt8], to path: FilePath) throws(FileError) {
        let file = try OutputFile(creating: path)
        try file.append(bytes)
        try file.finish()
    }
}

/// What is to be in a file, in pieces: a long text need not be in memory as a whole.
package struct FileContent {
    private let give: (_ take: ([UInt8]) throws -> Void) throws -> Void

    package init(_ give: @escaping (_ take: ([UInt8]) throws -> Void) throws -> Void) { self.give = give }

    package init(_ bytes: [UInt8]) { self.init { take in try take(bytes) } }

    /// Gives the pieces in their order.
    package func write(_ take: ([UInt8]) throws -> Void) throws { try give(take) }
}

extension OutputFile {
    /// All of a regular file that we have written ourselves, and so know the size of.
    package static func contents(of path: FilePath) throws(FileError) -> [UInt8] {
        let (descriptor, count) = try RegularFile.open(path)
        defer { try? descriptor.close() }
        return try FileError.attempt(path, "read") { try descriptor.bytes(count, fromAbsoluteOffset: 0) }
    }
}
