import Containers
import SystemPackage

/// Makes messages of the blobs of a .db3 file: as they are, or out of one Zstandard frame each (rosbag2's
/// `compression_mode: MESSAGE`).
struct BlobCodec {
    enum Compression {
        case none
        case zstd
        /// By the first bytes: neither CDR nor JSON begins as a Zstandard frame does.
        case unknown
    }

    let compression: Compression
    let path: FilePath

    /// The message of a blob; `row` is for errors.
    func message(_ blob: UnsafeRawBufferPointer, row: Int64) throws(BagError) -> [UInt8] {
        guard isCompressed(blob) else { return Array(blob) }
        return try Unpacking.message(blob, path: path, place: "messages, row \(row)")
    }

    /// Adds sizes and first bytes to the head of a row.
    func fill(_ head: inout StoredRowHead, wantedBytes: Int, _ blob: SQLiteBlob, row: Int64) throws {
        guard compression != .none || wantedBytes > 0 else { return }
        try blob.open(row: row)
        let start = try blob.firstBytes(compression == .none ? wantedBytes : max(wantedBytes, Unpacking.headerBytes))
        guard start.withUnsafeBytes(isCompressed) else {
            head.firstBytes = Array(start.prefix(wantedBytes))
            return
        }
        if wantedBytes == 0, let size = start.withUnsafeBytes(Unpacking.claimedBytes) {
            head.byteCount = size
            return
        }
        let message = try blob.firstBytes(.max).withUnsafeBytes { try self.message($0, row: row) }
        head.byteCount = message.count
        head.firstBytes = Array(message.prefix(wantedBytes))
    }

    private func isCompressed(_ blob: UnsafeRawBufferPointer) -> Bool {
        switch compression {
        case .none: false
        case .zstd: true
        case .unknown: blob.starts(with: FileKind.zstdMagic)
        }
    }
}
