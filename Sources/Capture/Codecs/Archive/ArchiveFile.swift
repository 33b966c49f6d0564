import Glibc
import Platform
import SystemPackage

/// An archive's own file: positioned reads, safe from several tasks at once.
final class ArchiveFile: Sendable {
    let codec: CodecError.Codec
    let path: String
    let size: Int
    private let descriptor: FileDescriptor

    init(path: String, codec: CodecError.Codec) throws(CodecError) {
        self.codec = codec
        self.path = path
        do throws(FileError) {
            (descriptor, size) = try RegularFile.open(FilePath(path))
        } catch {
            throw CodecError(codec, "expected a regular file at \(path), found: \(error.found)")
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Fills `buffer` from `offset` on; less than all of it is an error.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) {
        guard offset >= 0, offset <= size, buffer.count <= size - offset else {
            throw CodecError(codec, at: offset, "expected \(buffer.count) bytes, found the end of the file at \(size)")
        }
        guard let base = buffer.baseAddress else { return }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor.rawValue, base + done, buffer.count - done, off_t(offset + done))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw CodecError(codec, at: offset + done, "read: \(ArchiveFile.lastError)") }
            guard count > 0 else { throw CodecError(codec, at: offset + done, "the file became shorter") }
            done += count
        }
    }

    /// `count` bytes from `offset` on, which must lie in the file.
    func bytes(at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw CodecError(codec, at: offset, "expected \(count) bytes, found the end of the file at \(size)")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.fill { buffer throws(CodecError) in try read(at: offset, into: buffer) }
        return bytes
    }

    /// The first byte from `offset` on that is stored; holes before it are zeros that need no reading.
    func storedStart(from offset: Int) -> Int {
        // SEEK_DATA, which Swift does not see.
        let place = lseek(descriptor.rawValue, off_t(offset), 3)
        return place >= 0 ? min(size, max(offset, Int(place))) : errno == ENXIO ? size : offset
    }

    private static var lastError: String {
        String(cString: strerror(errno))
    }
}

extension [UInt8] {
    /// Lets `body` write into the array's bytes and passes its typed error on.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void) throws(CodecError) {
        try withUnsafeMutableBytes { buffer in
            Result { () throws(CodecError) in try body(buffer) }
        }.get()
    }
}
