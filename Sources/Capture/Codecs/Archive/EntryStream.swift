import CZlib

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
    private var checksum: UInt = 0
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
        // With no bytes zlib would start over.
        if let base = part.baseAddress, count > 0 {
            checksum = crc32_z(checksum, base.assumingMemoryBound(to: UInt8.self), count)
        }
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
        if let expected = extent.checksum, UInt32(truncatingIfNeeded: checksum) != expected {
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
