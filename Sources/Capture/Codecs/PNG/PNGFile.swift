import CZlib
import Platform

/// The parts that every PNG has (W3C PNG, third edition): signature, chunks, compressed rows.
enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// 11.2.1, table 11.
    enum ColourType: UInt8 {
        case grey = 0
        case rgb = 2
        case rgba = 6
    }

    /// Encodes the file around filtered rows; `level` is zlib's, 0 to 9.
    static func bytes(
        width: Int,
        height: Int,
        bitDepth: UInt8,
        colourType: ColourType,
        filteredRows: [UInt8],
        level: Int
    ) throws(CodecError) -> [UInt8] {
        let compressed = try ZlibData.deflated(filteredRows, level: level, for: .png)
        var bytes = signature
        bytes.reserveCapacity(compressed.count + 57)
        // Compression, filter and interlace methods are 0.
        var header: [UInt8] = []
        header.appendInteger(UInt32(truncatingIfNeeded: width), .big)
        header.appendInteger(UInt32(truncatingIfNeeded: height), .big)
        header += [bitDepth, colourType.rawValue, 0, 0, 0]
        appendChunk("IHDR", header, to: &bytes)
        appendChunk("IDAT", compressed, to: &bytes)
        appendChunk("IEND", [], to: &bytes)
        return bytes
    }

    /// 5.3: length, type, data, and the CRC-32 of type and data.
    private static func appendChunk(_ type: String, _ data: [UInt8], to bytes: inout [UInt8]) {
        bytes.appendInteger(UInt32(truncatingIfNeeded: data.count), .big)
        let start = bytes.count
        bytes += Array(type.utf8)
        bytes += data
        let checksum = bytes.withUnsafeBufferPointer { buffer in
            crc32_z(0, buffer.baseAddress.map { $0 + start }, buffer.count - start)
        }
        bytes.appendInteger(UInt32(truncatingIfNeeded: checksum), .big)
    }
}
