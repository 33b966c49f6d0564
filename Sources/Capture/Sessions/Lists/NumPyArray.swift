import Codecs
import Recording

/// Two-dimensional arrays of unsigned 16-bit numbers in NumPy's file format, versions 1 and 2.
enum NumPyArray {
    static let signature: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]

    /// An array of millimetres, rows first; 0 is none.
    static func millimetres(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        guard bytes.count >= 12, bytes.starts(with: signature), bytes[6] == 1 || bytes[6] == 2 else {
            throw CodecError(.numPy, at: 0, "expected an array of version 1 or 2")
        }
        let lengthBytes = bytes[6] == 1 ? 2 : 4
        let length = bytes[8..<8 + lengthBytes].reversed().reduce(0) { $0 << 8 | Int($1) }
        let start = 8 + lengthBytes
        guard length <= 4096, start + length <= bytes.count else {
            throw CodecError(.numPy, at: 8, "expected a header of at most 4096 bytes, found \(length)")
        }
        let header = String(decoding: bytes[start..<start + length], as: UTF8.self)
        guard header.contains("'<u2'"), header.contains("'fortran_order': False") else {
            throw CodecError(.numPy, at: start, "expected numbers of type <u2 by rows, found \(header.prefix(80))")
        }
        let sides = shape(header)
        guard sides.count == 2, sides.allSatisfy({ (1...8192).contains($0) }) else {
            throw CodecError(.numPy, at: start, "expected two sides of 1 to 8192, found \(header.prefix(80))")
        }
        let (height, width) = (sides[0], sides[1])
        let data = start + length
        guard bytes.count - data == 2 * width * height else {
            throw CodecError(
                .numPy,
                at: bytes.count,
                "expected \(2 * width * height) bytes for \(width)x\(height), found \(bytes.count - data)"
            )
        }
        let metres = (0..<width * height).map { place in
            Float(UInt16(bytes[data + 2 * place]) | UInt16(bytes[data + 2 * place + 1]) << 8) / 1000
        }
        return DepthMap(width: width, height: height, metres: metres)
    }

    /// The numbers in the brackets behind 'shape'.
    private static func shape(_ header: String) -> [Int] {
        guard let key = header.firstRange(of: "'shape':"), let open = header[key.upperBound...].firstIndex(of: "("),
            let close = header[open...].firstIndex(of: ")")
        else { return [] }
        return header[header.index(after: open)..<close].split(separator: ",").compactMap { part in
            Int(part.filter { $0 != " " })
        }
    }
}
