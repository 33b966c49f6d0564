import CZlib

/// The checksum of zlib, gzip, PNG and MCAP (ITU-T V.42, polynomial 0x04C11DB7, reflected).
package enum CRC32 {
    /// The checksum of `bytes`; with `continuing`, the checksum of earlier bytes followed by `bytes`.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing checksum: UInt32 = 0) -> UInt32 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return checksum }
        let result = crc32_z(UInt(checksum), base.assumingMemoryBound(to: UInt8.self), bytes.count)
        return UInt32(truncatingIfNeeded: result)
    }

    /// The checksum of an array.
    package static func checksum(_ bytes: [UInt8], continuing checksum: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { self.checksum($0, continuing: checksum) }
    }

    /// Combines the checksums of two consecutive pieces; costs about as much as the checksum of 1 kB.
    package static func combine(_ first: UInt32, _ second: UInt32, secondByteCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), secondByteCount))
    }
}
