package import Platform
package import SystemPackage

/// The bytes of an MCAP file, in memory or on disk.
package protocol MCAPSource: Sendable {
    var size: Int { get }

    /// Reads `count` bytes from `offset` on; fewer only if the source ends before `size`.
    func read(at offset: Int, count: Int) throws -> [UInt8]
}

/// An MCAP file in memory.
package struct MCAPMemorySource: MCAPSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var size: Int { bytes.count }

    package func read(at offset: Int, count: Int) -> [UInt8] {
        let start = min(max(0, offset), bytes.count)
        return Array(bytes[start..<start + min(max(0, count), bytes.count - start)])
    }
}

/// An MCAP file on disk, of the size that it has when it is opened.
package final class MCAPFileSource: MCAPSource {
    package let path: FilePath
    package let size: Int
    private let descriptor: FileDescriptor

    package init(opening path: FilePath) throws(FileError) {
        self.path = path
        (descriptor, size) = try RegularFile.open(path)
    }

    deinit {
        try? descriptor.close()
    }

    package func read(at offset: Int, count: Int) throws -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        return try FileError.attempt(path, "read") {
            try descriptor.bytes(min(count, size - offset), fromAbsoluteOffset: Int64(offset))
        }
    }
}
