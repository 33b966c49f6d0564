import CDeflate
import CZlib

/// The checksum of zlib, gzip, PNG, ZIP and MCAP (ITU-T V.42, polynomial 0x04C11DB7, reflected).
///
/// libdeflate multiplies without carries where the processor can, several times faster than zlib's tables.
package enum CRC32 {
    /// The checksum of `bytes`; with `continuing`, the checksum of earlier bytes followed by `bytes`.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing checksum: UInt32 = 0) -> UInt32 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return checksum }
        return libdeflate_crc32(checksum, base, bytes.count)
    }

    /// The checksum of an array, or of a part of one.
    package static func checksum(_ bytes: some Collection<UInt8>, continuing checksum: UInt32 = 0) -> UInt32 {
        let known = bytes.withContiguousStorageIfAvailable {
            self.checksum(UnsafeRawBufferPointer($0), continuing: checksum)
        }
        return known ?? Array(bytes).withUnsafeBytes { self.checksum($0, continuing: checksum) }
    }

    /// Combines the checksums of two consecutive pieces; costs about as much as the checksum of 1 kB.
    package static func combine(_ first: UInt32, _ second: UInt32, secondByteCount: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), secondByteCount))
    }
}
