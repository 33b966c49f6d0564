import CZstd
package import Platform
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
    ///   - previous: Files whose frame the file goes on in; their content is not kept.
    /// - Throws: ``CompressionError`` or ``FileError``; `target` is removed then unless `keepsPart`.
    package static func decompress(
        _ source: FilePath,
        to target: FilePath,
        limit: Int,
        keepsPart: Bool = false,
        goingOnFrom previous: [FilePath] = []
    ) throws {
        guard let stream = ZSTD_createDStream() else { throw Zstandard.outOfMemory }
        defer { ZSTD_freeDStream(stream) }
        for path in previous {
            let file = try RegularFile.open(path).descriptor
            defer { try? file.close() }
            _ = try decompress({ try read(file, path, into: &$0) }, with: stream, limit: .max) { _, _ in }
        }
        try withFiles(source, target, removesPartOnFailure: !keepsPart) { files in
            let end = try decompress({ try files.read(into: &$0) }, with: stream, limit: limit) {
                try files.write($0, $1)
            }
            if !end.isAfterFrame { throw Zstandard.cut(at: end.offset) }
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

    /// - Returns: Where the input ended, and whether that is after a whole frame.
    private static func decompress(
        _ read: (inout [UInt8]) throws -> Int,
        with stream: OpaquePointer,
        limit: Int,
        _ write: ([UInt8], Int) throws -> Void
    ) throws -> (isAfterFrame: Bool, offset: Int) {
        var input = [UInt8](repeating: 0, count: pieceBytes)
        var output = [UInt8](repeating: 0, count: pieceBytes)
        var (offset, written, remaining) = (0, 0, 1)
        while true {
            let count = try read(&input)
            if count == 0 { return (remaining == 0, offset) }
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
                try write(output, produced)
                isFull = produced == output.count
            }
            offset += count
        }
    }

    fileprivate static func read(
        _ file: FileDescriptor,
        _ path: FilePath,
        into buffer: inout [UInt8]
    ) throws(FileError) -> Int {
        try FileError.attempt(path, "read") { try buffer.withUnsafeMutableBytes { try file.read(into: $0) } }
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
            let descriptor = try FileError.attempt(targetPath, "create") {
                try FileDescriptor.open(
                    targetPath,
                    .writeOnly,
                    options: [.create, .truncate],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead]
                )
            }
            target = (targetPath, descriptor)
        } catch {
            try? source.descriptor.close()
            throw error
        }
    }

    func sourceByteCount() throws(FileError) -> Int64 {
        try FileError.attempt(source.path, "seek in") {
            let size = try source.descriptor.seek(offset: 0, from: .end)
            try source.descriptor.seek(offset: 0, from: .start)
            return size
        }
    }

    func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
        try ZstandardFile.read(source.descriptor, source.path, into: &buffer)
    }

    func write(_ buffer: [UInt8], _ count: Int) throws(FileError) {
        try FileError.attempt(target.path, "write") { _ = try target.descriptor.writeAll(buffer[..<count]) }
    }

    func close() throws(FileError) {
        try? source.descriptor.close()
        try FileError.attempt(target.path, "close") { try target.descriptor.close() }
    }
}
