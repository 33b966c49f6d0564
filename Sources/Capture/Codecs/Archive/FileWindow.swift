/// Reads a part of a file from front to back through a small buffer.
struct FileWindow {
    private let file: ArchiveFile
    private let end: Int
    private var buffer: [UInt8] = []
    private var used = 0
    /// The place in the file of the next byte.
    private(set) var position: Int

    init(file: ArchiveFile, range: Range<Int>) {
        self.file = file
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next `count` bytes, which must lie in the part.
    mutating func next(_ count: Int) throws(CodecError) -> ArraySlice<UInt8> {
        guard count <= end - position else {
            throw CodecError(file.codec, at: position, "expected \(count) bytes, found the end at \(end)")
        }
        if buffer.count - used < count {
            let length = min(end - position, max(count, 1 << 16))
            buffer = try file.bytes(at: position, count: length)
            used = 0
        }
        defer {
            used += count
            position += count
        }
        return buffer[used..<used + count]
    }
}
