/// An uncompressed TIFF of Float32 heights in strips or tiles (TIFF 6.0), so that any field can lie.
struct HandmadeTIFF {
    var heights: [Float]
    var side: Int
    /// Those after the first are 1.
    var samples = 1
    var rowsPerStrip: Int
    /// Tiles instead of strips.
    var tileSide: Int?
    /// GDAL's text for pixels without a height.
    var noData: String?
    /// Other values of fields, by tag.
    var overrides: [Int: Int] = [:]

    init(_ heights: [Float], side: Int, samples: Int = 1, rowsPerStrip: Int? = nil) {
        (self.heights, self.side, self.samples) = (heights, side, samples)
        self.rowsPerStrip = rowsPerStrip ?? side
    }

    func bytes(isLittleEndian: Bool = true) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let little = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return isLittleEndian ? little : little.reversed()
        }
        func pixel(_ column: Int, _ row: Int) -> [UInt8] {
            let height = column < side && row < side ? heights[row * side + column] : -1
            return ([height] + [Float](repeating: 1, count: samples - 1)).flatMap { number(Int($0.bitPattern), 4) }
        }
        var body = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + [0, 0, 0, 0]
        var (offsets, counts): ([Int], [Int]) = ([], [])
        let (wide, high) = (tileSide ?? side, tileSide ?? rowsPerStrip)
        for top in stride(from: 0, to: side, by: high) {
            for left in stride(from: 0, to: side, by: wide) {
                offsets.append(body.count)
                let bottom = tileSide == nil ? min(side, top + high) : top + high
                for row in top..<bottom { for column in left..<left + wide { body += pixel(column, row) } }
                counts.append(body.count - (offsets.last ?? 0))
            }
        }
        func array(_ values: [Int]) -> (count: Int, value: Int) {
            if values.count == 1 { return (1, values[0]) }
            defer { body += values.flatMap { number($0, 4) } }
            return (values.count, body.count)
        }
        var fields = [256: side, 257: side, 258: 32, 259: 1, 277: samples, 284: 1, 339: 3].mapValues { (4, 1, $0) }
        if samples > 1 { for (tag, value) in [(258, 32), (339, 3)] { fields[tag] = field(array([value, value])) } }
        fields[tileSide == nil ? 273 : 324] = field(array(offsets))
        fields[tileSide == nil ? 279 : 325] = field(array(counts))
        if let tileSide { (fields[322], fields[323]) = ((4, 1, tileSide), (4, 1, tileSide)) }
        if tileSide == nil { fields[278] = (4, 1, rowsPerStrip) }
        if let noData {
            fields[42113] = (2, noData.utf8.count + 1, body.count)
            body += Array(noData.utf8) + [0]
        }
        for (tag, value) in overrides { fields[tag] = (4, 1, value) }
        body.replaceSubrange(4..<8, with: number(body.count, 4))
        body += number(fields.count, 2)
        for (tag, (type, count, value)) in fields.sorted(by: { $0.key < $1.key }) {
            body += number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
        }
        return body + number(0, 4)
    }

    private func field(_ array: (count: Int, value: Int)) -> (Int, Int, Int) { (4, array.count, array.value) }
}
