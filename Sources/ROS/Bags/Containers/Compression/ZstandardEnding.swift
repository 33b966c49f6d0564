package import Platform
package import SystemPackage

/// Where a .zstd file ends, by the heads of its frames and blocks (RFC 8878, 3.1.1); nothing is decompressed.
///
/// The compressor of rosbag2 in Jazzy does not end the frame of a file whose plain form is a multiple of 131,072 bytes.
/// The next file of the same thread goes on in that frame: it begins with a block, without any header.
package enum ZstandardEnding: Sendable, Hashable {
    /// After a whole frame.
    case ended
    /// After a whole block that is not the last one of its frame.
    case unterminated
    /// Elsewhere; or this is no Zstandard at all.
    case cut

    /// - Parameter isInFrame: True if the file goes on in a frame of another one.
    package init(of path: FilePath, isInFrame: Bool) throws(FileError) {
        let (file, size) = try RegularFile.open(path)
        defer { try? file.close() }
        var walk = ZstandardWalk(file: file, path: path, size: size, isInFrame: isInFrame)
        while walk.position < size {
            guard walk.isInFrame ? walk.passBlock() : walk.passFrameHead() else {
                self = .cut
                return
            }
        }
        // A frame has at least one block.
        self = !walk.isInFrame ? .ended : walk.hasBlock ? .unterminated : .cut
    }
}

/// Steps from head to head.
private struct ZstandardWalk {
    let file: FileDescriptor
    let path: FilePath
    let size: Int
    var isInFrame: Bool
    private(set) var position = 0
    /// True if the frame at hand has a block.
    private(set) var hasBlock = false
    /// The number of checksum bytes of the frame at hand; nil where its header is in another file.
    private var checksumBytes: Int?

    private static let checksumBytes = 4

    init(file: FileDescriptor, path: FilePath, size: Int, isInFrame: Bool) {
        (self.file, self.path, self.size, self.isInFrame) = (file, path, size, isInFrame)
    }

    /// Goes behind the header of a frame, or behind a whole skippable one; false where there is none.
    mutating func passFrameHead() -> Bool {
        let head = bytes(8)
        guard head.count >= 6 else { return false }
        if head[0] & 0xF0 == 0x50, head[1...3].elementsEqual([0x2A, 0x4D, 0x18]), head.count == 8 {
            return pass(8 + (4..<8).reduce(0) { $0 | Int(head[$1]) << (8 * ($1 - 4)) })
        }
        guard head.starts(with: FileKind.zstdMagic) else { return false }
        let descriptor = head[4]
        let isSingleSegment = descriptor & 0x20 != 0
        let contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let dictionaryBytes = [0, 1, 2, 4][Int(descriptor & 3)]
        checksumBytes = descriptor & 4 != 0 ? Self.checksumBytes : 0
        (isInFrame, hasBlock) = (true, false)
        return pass(5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes)
    }

    /// Goes behind a block, and behind its frame where it is the last one; false where it is not whole.
    mutating func passBlock() -> Bool {
        let head = bytes(3)
        guard head.count == 3 else { return false }
        let value = Int(head[0]) | Int(head[1]) << 8 | Int(head[2]) << 16
        let (kind, byteCount) = (value >> 1 & 3, value >> 3)
        // Kind 1 repeats one byte, and kind 3 is reserved; no block has more than 128 KiB.
        guard kind != 3, byteCount <= 1 << 17, pass(3 + (kind == 1 ? 1 : byteCount)) else { return false }
        hasBlock = true
        guard value & 1 == 1 else { return true }
        isInFrame = false
        if let checksumBytes { return pass(checksumBytes) }
        let next = bytes(Self.checksumBytes)
        return next.isEmpty || next == FileKind.zstdMagic || pass(Self.checksumBytes)
    }

    private mutating func pass(_ count: Int) -> Bool {
        guard count <= size - position else { return false }
        position += count
        return true
    }

    /// The next bytes of the file, fewer at its end.
    private func bytes(_ count: Int) -> [UInt8] {
        do {
            return try file.bytes(count, fromAbsoluteOffset: Int64(position))
        } catch {
            SystemFault.note(path, "read", error as? Errno ?? .ioError)
            return []
        }
    }
}
