import CZlib

/// The checksum of zlib, gzip, PNG and MCAP (ITU-T V.42, polynomial 0x04C11DB7, reflected).
package enum CRC32 {
    /// The checksum of `bytes`, or of what `continuing` is the checksum of, followed by `bytes`.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing checksum: UInt32 = 0) -> UInt32 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return checksum }
        let result = crc32_z(UInt(checksum), base.assumingMemoryBound(to: UInt8.self), bytes.count)
        return UInt32(truncatingIfNeeded: result)
    }

    /// The checksum of an array.
    package static func checksum(_ bytes: [UInt8], continuing checksum: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { self.checksum($0, continuing: checksum) }
    }

    /// The checksum of two pieces one after the other, from those of each; takes about as long as a kilobyte's checksum.
    package static func combine(_ first: UInt32, _ second: UInt32, secondByteCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), secondByteCount))
    }
}
