import Platform

/// The uncompressed records of a chunk, or a run of records outside of chunks; in memory, or still in the file.
struct MCAPChunkContent {
    private enum Place {
        case memory([UInt8])
        case file(any MCAPSource, offset: Int)
    }

    private let place: Place
    let byteCount: Int
    /// The offset of the chunk's record; nil for records outside of chunks.
    let chunkOffset: Int?

    /// The memory it takes, in bytes.
    var residentBytes: Int {
        if case .memory(let bytes) = place { bytes.count } else { 0 }
    }

    /// A part of the data section that has no chunks.
    init(_ source: any MCAPSource, from start: Int, to end: Int) {
        place = .file(source, offset: 0)
        byteCount = end - start
        chunkOffset = nil
        range = start..<end
    }

    private let range: Range<Int>

    /// Loads the content of a chunk, as far as it can be read.
    ///
    /// - Parameters:
    ///   - availableBytes: How much of `records` is in the file.
    ///   - problems: Collects the problems.
    /// - Throws: Errors of the source.
    init(
        _ chunk: MCAPChunk,
        at offset: Int,
        availableBytes: Int,
        in source: any MCAPSource,
        checksum: Bool,
        problems: inout MCAPProblems
    ) throws {
        chunkOffset = offset
        let stored = Int(min(chunk.recordsByteCount, UInt64(max(0, availableBytes))))
        let isWhole = UInt64(stored) == chunk.recordsByteCount
        let compression = MCAPCompression(fieldText: chunk.compression)
        if compression == MCAPCompression.none, stored > MCAPLimits.wholeChunkBytes {
            place = .file(source, offset: chunk.recordsOffset)
            byteCount = stored
        } else {
            let records = compression == nil ? [] : try source.read(at: chunk.recordsOffset, count: stored)
            let bytes = Self.decompress(records, compression, chunk, isWhole, &problems)
            place = .memory(bytes)
            byteCount = bytes.count
        }
        range = 0..<byteCount
        guard isWhole else {
            let expected = "a length of at most \(max(0, availableBytes))"
            problems.add(Self.problem("records", chunk, expected, "\(chunk.recordsByteCount)"))
            return
        }
        guard compression != nil else { return }
        let isRefused =
            compression != MCAPCompression.none
            && chunk.uncompressedSize > UInt64(MCAPLimits.chunkBytes(stored: stored))
        if UInt64(byteCount) != chunk.uncompressedSize, !isRefused {
            let expected = "\(byteCount), the size of the records"
            problems.add(Self.problem("uncompressed_size", chunk, expected, "\(chunk.uncompressedSize)"))
        }
        if checksum { problems.add(try checksumProblem(chunk)) }
    }

    func scanner() -> MCAPRecordScanner {
        switch (place, chunkOffset) {
        case (.memory(let bytes), let offset): MCAPRecordScanner(bytes, chunkAt: offset ?? 0)
        case (.file(let source, let start), let offset?):
            MCAPRecordScanner(source, chunkAt: offset, contentOffset: start, count: byteCount)
        case (.file(let source, _), nil): MCAPRecordScanner(source, from: range.lowerBound, to: range.upperBound)
        }
    }

    private static func decompress(
        _ records: [UInt8],
        _ compression: MCAPCompression?,
        _ chunk: MCAPChunk,
        _ isWhole: Bool,
        _ problems: inout MCAPProblems
    ) -> [UInt8] {
        guard let compression else {
            problems.add(problem("compression", chunk, "\"\", \"lz4\" or \"zstd\"", "\"\(chunk.compression)\""))
            return []
        }
        guard compression != .none else { return records }
        // The claimed size may be the damaged field: decompression goes on up to a plausible size.
        let most = MCAPLimits.chunkBytes(stored: records.count)
        let claimed = Int(clamping: min(chunk.uncompressedSize, UInt64(most)))
        let plausible = records.count.multipliedReportingOverflow(by: 256)
        let limit = max(claimed, min(most, max(1 << 21, plausible.overflow ? .max : plausible.partialValue)))
        let expectedSize = min(claimed, limit)
        if chunk.uncompressedSize > UInt64(most) {
            let expected = "at most \(most) for \(records.count) bytes"
            problems.add(problem("uncompressed_size", chunk, expected, "\(chunk.uncompressedSize)"))
        }
        let result = records.withUnsafeBytes { input in
            compression == .zstd
                ? Zstandard.decompressed(input, limit: limit, expectedSize: expectedSize)
                : LZ4Frame.decompressed(input, limit: limit, expectedSize: expectedSize)
        }
        // The caller has already reported a truncated chunk.
        if let cause = result.problem, isWhole {
            problems.add(problem("records", chunk, cause.expected, cause.found, advancedBy: cause.offset))
        }
        return result.bytes
    }

    private static func problem(
        _ field: String,
        _ chunk: MCAPChunk,
        _ expected: String,
        _ found: String,
        advancedBy count: Int = 0
    ) -> MCAPProblem {
        let place = MCAPPlace(offset: chunk.recordsOffset + count)
        return MCAPProblem("Chunk.\(field)", at: place, expected: expected, found: found)
    }

    /// The problem of a wrong CRC, if the chunk has a CRC.
    private func checksumProblem(_ chunk: MCAPChunk) throws -> MCAPProblem? {
        guard chunk.uncompressedCRC != 0 else { return nil }
        let found: UInt32
        switch place {
        case .memory(let bytes): found = CRC32.checksum(bytes)
        case .file(let source, let start): found = try source.checksum(from: start, to: start + byteCount)
        }
        return MCAPProblem.checksum(
            "Chunk.uncompressed_crc",
            at: MCAPPlace(offset: chunkOffset ?? 0),
            computed: found,
            stored: chunk.uncompressedCRC
        )
    }
}

extension MCAPSource {
    /// The CRC-32 of a range, read piece by piece.
    package func checksum(from start: Int, to end: Int) throws -> UInt32 {
        var checksum: UInt32 = 0
        var position = start
        while position < end {
            let piece = try read(at: position, count: min(1 << 20, end - position))
            if piece.isEmpty { break }
            checksum = CRC32.checksum(piece, continuing: checksum)
            position += piece.count
        }
        return checksum
    }
}

extension MCAPProblem {
    /// The problem of a stored checksum that is neither 0 nor the computed one.
    static func checksum(_ what: String, at place: MCAPPlace, computed: UInt32, stored: UInt32) -> MCAPProblem? {
        guard stored != 0, stored != computed else { return nil }
        func text(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
        return MCAPProblem(what, at: place, expected: "\(text(computed)), the CRC-32", found: text(stored))
    }
}
