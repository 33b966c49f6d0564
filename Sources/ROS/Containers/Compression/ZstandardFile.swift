import CZstd
package import Files
package import SystemPackage

/// Compresses and decompresses files as Zstandard, with the memory of one window.
package enum ZstandardFile {
    private static let pieceBytes = 1 << 18

    /// Compresses a file into one frame with its content size, which rosbag2 needs; replaces `target`.
    ///
    /// - Throws: ``CompressionError`` or ``FileError``; `target` is removed then.
    package static func compress(
        _ source: FilePath,
        to target: FilePath,
        level: Int = Zstandard.defaultLevel
    ) throws {
        guard let context = ZSTD_createCCtx() else { throw Zstandard.outOfMemory }
        defer { ZSTD_freeCCtx(context) }
        try withFiles(source, target, removesPartOnFailure: true) { files in
            let clamped = min(max(Int32(clamping: level), ZSTD_minCLevel()), ZSTD_maxCLevel())
            try check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, clamped), at: 0)
            try check(ZSTD_CCtx_setPledgedSrcSize(context, UInt64(files.sourceByteCount())), at: 0)
            try compress(files, with: context)
        }
    }

    /// Decompresses a file, with one frame or several, with content size or without; replaces `target`.
    ///
    /// - Parameters:
    ///   - limit: The largest `target` in bytes.
    ///   - keepsPart: Keeps in `target` what could be decompressed before an error.
    /// - Throws: ``CompressionError`` or ``FileError``; `target` is removed then unless `keepsPart`.
    package static func decompress(
        _ source: FilePath,
        to target: FilePath,
        limit: Int,
        keepsPart: Bool = false
    ) throws {
        guard let stream = ZSTD_createDStream() else { throw Zstandard.outOfMemory }
        defer { ZSTD_freeDStream(stream) }
        try withFiles(source, target, removesPartOnFailure: !keepsPart) { files in
            try decompress(files, with: stream, limit: limit)
        }
    }

    /// The content size that the first frame of a file claims; nil if there is none.
    package static func claimedSize(_ path: FilePath) throws(FileError) -> Int? {
        try RegularFile.head(of: path, byteCount: Zstandard.headerBytes).withUnsafeBytes { Zstandard.claimedSize($0) }
    }

    private static func compress(_ files: FilePair, with context: OpaquePointer) throws {
        var input = [UInt8](repeating: 0, count: pieceBytes)
        var output = [UInt8](repeating: 0, count: pieceBytes)
        var offset = 0
        while true {
            let count = try files.read(into: &input)
            var consumed = 0
            var remaining = 1
            while consumed < count || (count == 0 && remaining != 0) {
                var produced = 0
                (remaining, consumed, produced) = step(input, count, consumed, &output) { target, source in
                    ZSTD_compressStream2(context, &target, &source, count == 0 ? ZSTD_e_end : ZSTD_e_continue)
                }
                try check(remaining, at: offset + consumed)
                try files.write(output, produced)
            }
            offset += count
            if count == 0 { return }
        }
    }

    private static func decompress(_ files: FilePair, with stream: OpaquePointer, limit: Int) throws {
        var input = [UInt8](repeating: 0, count: pieceBytes)
        var output = [UInt8](repeating: 0, count: pieceBytes)
        var (offset, written, remaining) = (0, 0, 1)
        while true {
            let count = try files.read(into: &input)
            if count == 0 { break }
            var (consumed, isFull) = (0, false)
            // After the end of a frame, a call without input would begin a new frame.
            while consumed < count || (isFull && remaining != 0) {
                var produced = 0
                (remaining, consumed, produced) = step(input, count, consumed, &output) { target, source in
                    ZSTD_decompressStream(stream, &target, &source)
                }
                try check(remaining, at: offset + consumed)
                written += produced
                if written > limit { throw Zstandard.tooLarge(limit, at: offset + consumed) }
                try files.write(output, produced)
                isFull = produced == output.count
            }
            offset += count
        }
        if remaining != 0 { throw Zstandard.cut(at: offset) }
    }

    /// Calls the library with the rest of `input`; returns its result, the new position and the number of output bytes.
    private static func step(
        _ input: [UInt8],
        _ count: Int,
        _ position: Int,
        _ output: inout [UInt8],
        _ call: (inout ZSTD_outBuffer, inout ZSTD_inBuffer) -> Int
    ) -> (status: Int, position: Int, produced: Int) {
        input.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                var source = ZSTD_inBuffer(src: input.baseAddress, size: count, pos: position)
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let status = call(&target, &source)
                return (status, source.pos, target.pos)
            }
        }
    }

    private static func check(_ status: Int, at offset: Int) throws(CompressionError) {
        if ZSTD_isError(status) != 0 { throw Zstandard.failure(status, at: offset, "a zstd frame") }
    }

    private static func withFiles(
        _ source: FilePath,
        _ target: FilePath,
        removesPartOnFailure: Bool,
        _ body: (FilePair) throws -> Void
    ) throws {
        let files = try FilePair(reading: source, writing: target)
        do {
            try body(files)
            try files.close()
        } catch {
            try? files.close()
            if removesPartOnFailure { try? DurableFiles.remove(target) }
            throw error
        }
    }
}

/// A file to read from and one to write to.
private struct FilePair {
    let source: (path: FilePath, descriptor: FileDescriptor)
    let target: (path: FilePath, descriptor: FileDescriptor)

    init(reading sourcePath: FilePath, writing targetPath: FilePath) throws(FileError) {
        source = (sourcePath, try RegularFile.open(sourcePath).descriptor)
        do {
            target = (
                targetPath,
                try Self.attempt(targetPath, "create") {
                    try FileDescriptor.open(
                        targetPath,
                        .writeOnly,
                        options: [.create, .truncate],
                        permissions: [.ownerReadWrite, .groupRead, .otherRead]
                    )
                }
            )
        } catch {
            try? source.descriptor.close()
            throw error
        }
    }

    func sourceByteCount() throws(FileError) -> Int64 {
        try Self.attempt(source.path, "seek in") {
            let size = try source.descriptor.seek(offset: 0, from: .end)
            try source.descriptor.seek(offset: 0, from: .start)
            return size
        }
    }

    func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
        do {
            return try buffer.withUnsafeMutableBytes { try source.descriptor.read(into: $0) }
        } catch {
            throw FileError(path: source.path, operation: "read", errno: error as? Errno ?? .ioError)
        }
    }

    func write(_ buffer: [UInt8], _ count: Int) throws(FileError) {
        try Self.attempt(target.path, "write") { _ = try target.descriptor.writeAll(buffer[..<count]) }
    }

    func close() throws(FileError) {
        try? source.descriptor.close()
        try Self.attempt(target.path, "close") { try target.descriptor.close() }
    }

    private static func attempt<Result>(
        _ path: FilePath,
        _ operation: String,
        _ body: () throws -> Result
    ) throws(FileError) -> Result {
        do {
            return try body()
        } catch {
            throw FileError(path: path, operation: operation, errno: error as? Errno ?? .ioError)
        }
    }
}
