/// A PNG built from rows by the specification's own formulas, so that every filter is used and any part can lie.
struct HandmadePNG {
    var width: Int
    var height: Int
    /// Bit depth, colour type, compression, filter and interlace method.
    var kind: [UInt8]
    /// Row by row: a filter and the bytes before filtering.
    var rows: [(filter: UInt8, bytes: [UInt8])]
    /// Before IDAT.
    var otherChunks: [(type: String, content: [UInt8])] = []
    /// The compressed rows are spread over so many IDAT chunks.
    var pieces = 1

    init(width: Int, height: Int, channels: Int, pixels: [UInt8], filters: [UInt8]) {
        (self.width, self.height) = (width, height)
        kind = [8, channels == 3 ? 2 : 6, 0, 0, 0]
        let stride = width * channels
        rows = (0..<height).map { (filters[$0 % filters.count], Array(pixels[$0 * stride..<($0 + 1) * stride])) }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += Self.chunk("IHDR", Self.big(width) + Self.big(height) + kind)
        for (type, content) in otherChunks { bytes += Self.chunk(type, content) }
        let data = Self.stored(filtered)
        let size = (data.count + pieces - 1) / pieces
        for start in stride(from: 0, to: data.count, by: size) {
            bytes += Self.chunk("IDAT", Array(data[start..<min(data.count, start + size)]))
        }
        return bytes + Self.chunk("IEND", [])
    }

    /// 9.2: what each filter leaves of a row.
    private var filtered: [UInt8] {
        let step = [0: 1, 2: 3, 6: 4][kind[1], default: 1] * Int(kind[0]) / 8
        var above = [UInt8](repeating: 0, count: rows.first?.bytes.count ?? 0)
        var output: [UInt8] = []
        for (filter, row) in rows {
            output.append(filter)
            for place in row.indices {
                let a = place < step ? 0 : Int(row[place - step])
                let b = Int(above[place])
                let c = place < step ? 0 : Int(above[place - step])
                let prediction =
                    switch filter {
                    case 1: a
                    case 2: b
                    case 3: (a + b) >> 1
                    case 4:
                        [(abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c)].min { $0 < $1 }?.2 ?? 0
                    default: 0
                    }
                output.append(row[place] &- UInt8(prediction))
            }
            above = row
        }
        return output
    }

    /// RFC 1950 around RFC 1951's stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(65_535)
            output.append(rest.isEmpty ? 1 : 0)
            for number in [UInt16(block.count), ~UInt16(block.count)] {
                output += [UInt8(number & 255), UInt8(number >> 8)]
            }
            output += block
        } while !rest.isEmpty
        var (first, second) = (1, 0)
        for byte in bytes {
            first = (first + Int(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return output + big(second << 16 | first)
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        var checksum: UInt32 = 0xFFFF_FFFF
        for byte in checked {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return big(content.count) + checked + big(Int(~checksum))
    }

    private static func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
}
