import Platform
import SystemPackage

/// Makes messages of what a storage file holds: as they are, or out of one Zstandard frame each (rosbag2's
/// `compression_mode: MESSAGE`).
struct BlobCodec {
    enum Compression {
        case none
        case zstd
        /// The first bytes decide: neither CDR nor JSON begins as a Zstandard frame does.
        case unknown
    }

    let compression: Compression
    let path: FilePath

    /// The message of a blob; `place` is for errors.
    func message(_ blob: UnsafeRawBufferPointer, place: () -> String) throws(BagError) -> [UInt8] {
        guard isCompressed(blob) else { return Array(blob) }
        return try Unpacking.message(blob, path: path, place: place())
    }

    /// The size of the message and as many of its first bytes as are wanted, of a blob that is in memory.
    func head(
        _ blob: UnsafeRawBufferPointer,
        wantedBytes: Int,
        place: () -> String
    ) throws(BagError) -> (bytes: [UInt8], byteCount: Int) {
        guard isCompressed(blob) else { return (Array(blob.prefix(wantedBytes)), blob.count) }
        if wantedBytes == 0, let size = Unpacking.claimedBytes(blob) { return ([], size) }
        let message = try message(blob, place: place)
        return (Array(message.prefix(wantedBytes)), message.count)
    }

    /// Adds the size and the first bytes of the message to a row.
    func fill(_ row: inout StoredRow, wantedBytes: Int, _ blob: SQLiteBlob, number: Int64) throws {
        guard compression != .none || wantedBytes > 0 else { return }
        try blob.open(row: number)
        let start = try blob.firstBytes(compression == .none ? wantedBytes : max(wantedBytes, Zstandard.headerBytes))
        guard start.withUnsafeBytes(isCompressed) else {
            row.bytes = Array(start.prefix(wantedBytes))
            return
        }
        if wantedBytes == 0, let size = start.withUnsafeBytes(Unpacking.claimedBytes) {
            row.byteCount = size
            return
        }
        let message = try blob.firstBytes(.max).withUnsafeBytes { bytes in
            try self.message(bytes, place: { "messages, row \(number)" })
        }
        row.byteCount = message.count
        row.bytes = Array(message.prefix(wantedBytes))
    }

    private func isCompressed(_ blob: UnsafeRawBufferPointer) -> Bool {
        switch compression {
        case .none: false
        case .zstd: true
        case .unknown: blob.starts(with: FileKind.zstdMagic)
        }
    }
}
