import Messages
import Translation

/// Points of a PLY file, binary or as text: x, y, z and, where it has them, red, green, blue.
struct PLYCloud {
    private(set) var packed: [UInt8] = []
    private(set) var count = 0
    private var isDense = true

    private static let maximumHeaderBytes = 64 << 10
    private static let sizes: [String: Int] = [
        "char": 1, "uchar": 1, "int8": 1, "uint8": 1, "short": 2, "ushort": 2, "int16": 2, "uint16": 2, "int": 4,
        "uint": 4, "int32": 4, "uint32": 4, "float": 4, "float32": 4, "double": 8, "float64": 8,
    ]

    private struct Property {
        var name: String
        var type: String
        var offset: Int
    }

    static func read(_ bytes: [UInt8], turnsToMap: Bool) throws(ArvosProblem) -> PLYCloud {
        let marker = Array("end_header".utf8)
        guard bytes.starts(with: Array("ply".utf8)), let end = find(marker, bytes.prefix(maximumHeaderBytes)) else {
            throw ArvosProblem(.badValue, expected: "a PLY file", found: "\(bytes.count) other bytes")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        var (isText, isVertex, claimed) = (false, false, 0)
        var properties: [Property] = []
        var step = 0
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "format":
                isText = words.count > 1 && words[1] == "ascii"
                if words.count > 1, words[1] == "binary_big_endian" {
                    throw ArvosProblem(.badValue, expected: "PLY in little-endian or as text", found: "big-endian")
                }
            case "element":
                isVertex = words.count == 3 && words[1] == "vertex"
                if isVertex { claimed = Int(words[2]) ?? -1 }
            case "property" where isVertex:
                guard words.count == 3, let size = sizes[words[1]] else {
                    throw ArvosProblem(
                        .badValue,
                        expected: "PLY points of single numbers",
                        found: String(line.prefix(80))
                    )
                }
                properties.append(Property(name: words[2], type: words[1], offset: step))
                step += size
            default: break
            }
        }
        var body = end + marker.count
        if body < bytes.count, bytes[body] == 13 { body += 1 }
        if body < bytes.count, bytes[body] == 10 { body += 1 }
        let columns = ["x", "y", "z"].map { name in properties.firstIndex { $0.name == name } }
        let colours = ["red", "green", "blue"].map { name in properties.firstIndex { $0.name == name } }
        guard claimed >= 0, let x = columns[0], let y = columns[1], let z = columns[2] else {
            throw ArvosProblem(.badValue, expected: "PLY with x, y and z", found: "\(properties.map(\.name))")
        }
        var cloud = PLYCloud()
        func append(_ values: (Int) -> Double?) -> Bool {
            guard let px = values(x), let py = values(y), let pz = values(z) else { return false }
            var colour: UInt32 = 0xFFFFFF
            if let r = colours[0], let g = colours[1], let b = colours[2],
                let red = values(r), let green = values(g), let blue = values(b)
            {
                colour = [red, green, blue].reduce(0) { $0 << 8 | UInt32(max(0, min(255, $1.isFinite ? $1 : 0))) }
            }
            cloud.append(Float(px), Float(py), Float(pz), colour, turnsToMap: turnsToMap)
            return true
        }
        if isText {
            let rows = String(decoding: bytes[body...], as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }
            for row in rows.prefix(claimed) {
                let numbers = row.split(separator: " ").map { Double($0) }
                guard append({ $0 < numbers.count ? numbers[$0] : nil }) else { break }
            }
        } else {
            let there = step > 0 ? (bytes.count - body) / step : 0
            for index in 0..<min(claimed, there) {
                let start = body + index * step
                guard append({ Self.number(bytes, start + properties[$0].offset, properties[$0].type) }) else { break }
            }
        }
        guard cloud.count == claimed else {
            throw ArvosProblem(.badValue, expected: "\(claimed) points", found: "\(cloud.count)")
        }
        return cloud
    }

    private mutating func append(_ x: Float, _ y: Float, _ z: Float, _ colour: UInt32, turnsToMap: Bool) {
        let point = turnsToMap ? ArvosAxes.map(x, y, z) : (x, y, z)
        for bits in [point.0.bitPattern, point.1.bitPattern, point.2.bitPattern, colour] {
            for shift in [0, 8, 16, 24] as [UInt32] { packed.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        }
        if !(x.isFinite && y.isFinite && z.isFinite) { isDense = false }
        count += 1
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ type: String) -> Double? {
        func word(_ size: Int) -> UInt64 {
            (0..<size).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
        }
        return switch type {
        case "char", "int8": Double(Int8(truncatingIfNeeded: word(1)))
        case "uchar", "uint8": Double(word(1))
        case "short", "int16": Double(Int16(truncatingIfNeeded: word(2)))
        case "ushort", "uint16": Double(word(2))
        case "int", "int32": Double(Int32(truncatingIfNeeded: word(4)))
        case "uint", "uint32": Double(word(4))
        case "float", "float32": Double(Float(bitPattern: UInt32(word(4))))
        case "double", "float64": Double(bitPattern: word(8))
        default: nil
        }
    }

    private static func find(_ marker: [UInt8], _ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= marker.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - marker.count).first { bytes[$0...].starts(with: marker) }
    }

    /// A cloud of x, y, z and rgb, 16 bytes a point, as those of the bags.
    func message(_ header: Header) -> PointCloud2 {
        pointCloud(packed, count: count, header: header, isDense: isDense)
    }
}
