import CZlib
import Platform

/// Yields one archive entry's content in pieces and checks its size and checksum on the way.
///
/// Belongs to one task; several streams may read one archive at the same time.
package final class EntryStream {
    /// Where the content lies in the archive's file.
    struct Extent: Hashable, Sendable {
        var offset: Int
        var storedSize: Int
        var size: Int
        var isDeflated: Bool
        var checksum: UInt32?

        /// Where the content is as it is.
        func part(of file: ArchiveFile) -> FilePart? {
            guard !isDeflated, size == storedSize, offset >= 0, size <= file.size - offset else { return nil }
            return FilePart(path: file.path, range: offset..<offset + size)
        }
    }

    private let file: ArchiveFile
    private let name: String
    private let extent: Extent
    private let inflater: Inflater?
    private var input: [UInt8] = []
    private var inputUsed = 0
    private var storedRead = 0
    private var produced = 0
    private var checksum: UInt32 = 0
    private var isChecked = false

    init(file: ArchiveFile, name: String, extent: Extent) throws(CodecError) {
        self.file = file
        self.name = name
        self.extent = extent
        // Some writers call a file without content deflated and store nothing.
        inflater = extent.isDeflated && extent.size + extent.storedSize > 0 ? try Inflater() : nil
        guard extent.isDeflated || extent.size == extent.storedSize else {
            throw CodecError(
                file.codec,
                at: extent.offset,
                "entry \(quoted(name)): stored \(extent.storedSize) bytes as \(extent.size)"
            )
        }
    }

    /// Fills up to all of `buffer`, which must not be empty; 0 means that the content is over and was sound.
    ///
    /// The size is never more than the archive declared: data beyond it is an error.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(CodecError) -> Int {
        precondition(!buffer.isEmpty)
        let wanted = min(buffer.count, extent.size - produced)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        var count = 0
        if let inflater {
            while count < wanted {
                let rest = UnsafeMutableRawBufferPointer(rebasing: part[count...])
                count += try inflatePiece(with: inflater, into: rest)
            }
        } else if wanted > 0 {
            try file.read(at: extent.offset + produced, into: part)
            count = wanted
        }
        produced += count
        checksum = CRC32.checksum(UnsafeRawBufferPointer(rebasing: part[..<count]), continuing: checksum)
        if produced == extent.size { try checkEnd() }
        return count
    }

    private func inflatePiece(
        with inflater: Inflater,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        try refill()
        guard !inflater.isFinished else {
            throw problem("expected \(extent.size) bytes, found \(produced)")
        }
        var result = (consumed: 0, produced: 0)
        let used = inputUsed
        try input.fill { bytes throws(CodecError) in
            result = try inflater.inflate(UnsafeRawBufferPointer(rebasing: bytes[used...]), into: output)
        }
        inputUsed += result.consumed
        guard result.consumed > 0 || result.produced > 0 || inflater.isFinished else {
            throw problem("deflate data ends early")
        }
        return result.produced
    }

    private func refill() throws(CodecError) {
        guard inputUsed == input.count, storedRead < extent.storedSize else { return }
        let count = min(1 << 16, extent.storedSize - storedRead)
        if input.count != count { input = [UInt8](repeating: 0, count: count) }
        let offset = extent.offset + storedRead
        try input.fill { bytes throws(CodecError) in try file.read(at: offset, into: bytes) }
        storedRead += count
        inputUsed = 0
    }

    /// Once all declared bytes are out, nothing may follow, and the checksum must agree.
    private func checkEnd() throws(CodecError) {
        guard !isChecked else { return }
        if let inflater {
            var spare: [UInt8] = [0]
            while !inflater.isFinished {
                var more = 0
                try spare.fill { bytes throws(CodecError) in more = try inflatePiece(with: inflater, into: bytes) }
                guard more == 0 else { throw problem("more data than the declared \(extent.size) bytes") }
            }
        }
        if let expected = extent.checksum, checksum != expected {
            throw problem("expected CRC-32 \(expected), found \(checksum)")
        }
        isChecked = true
    }

    private func problem(_ reason: String) -> CodecError {
        CodecError(file.codec, at: extent.offset, "entry \(quoted(name)): \(reason)")
    }
}

extension EntryStream {
    /// The whole content into `bytes`, whose storage is used again; more than `maximumBytes` is refused beforehand.
    static func readWhole(
        file: ArchiveFile,
        name: String,
        extent: Extent,
        maximumBytes: Int,
        into bytes: inout [UInt8]
    ) throws(CodecError) {
        guard extent.size <= maximumBytes else {
            throw CodecError(
                file.codec,
                at: extent.offset,
                "entry \(quoted(name)): expected at most \(maximumBytes) bytes, found \(extent.size)"
            )
        }
        let stream = try EntryStream(file: file, name: name, extent: extent)
        if bytes.count > extent.size {
            bytes.removeLast(bytes.count - extent.size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: extent.size - bytes.count))
        }
        guard extent.size > 0 else { return try stream.checkEnd() }
        try bytes.fill { buffer throws(CodecError) in _ = try stream.read(into: buffer) }
    }
}

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

/// A DEFLATE stream (RFC 1951) being decompressed in pieces.
final class Inflater {
    enum Wrapping {
        case none
        /// RFC 1950, as in PNG.
        case zlib
    }

    private let codec: CodecError.Codec
    // zlib's state points back to its stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var isFinished = false

    init(_ wrapping: Wrapping = .none, for codec: CodecError.Codec = .zip) throws(CodecError) {
        self.codec = codec
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let bits = wrapping == .zlib ? MAX_WBITS : -MAX_WBITS
        let status = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw CodecError(codec, "zlib cannot start: status \(status)")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses from `input` to `output` and says how much of both was used.
    ///
    /// Nothing is used where one of them is empty and the other one does not suffice.
    func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> (consumed: Int, produced: Int) {
        let inputCount = min(input.count, Int(Int32.max))
        let outputCount = min(output.count, Int(Int32.max))
        var placeholder: UInt8 = 0
        let status = withUnsafeMutablePointer(to: &placeholder) { spare in
            let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source) ?? spare
            stream.pointee.avail_in = UInt32(inputCount)
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? spare
            stream.pointee.avail_out = UInt32(outputCount)
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw CodecError(codec, "damaged deflate data: zlib status \(status)")
        }
        isFinished = status == Z_STREAM_END
        return (inputCount - Int(stream.pointee.avail_in), outputCount - Int(stream.pointee.avail_out))
    }
}
