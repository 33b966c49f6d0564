import Platform
import Recording

// ASPRS's LAS 1.0 to 1.4: coordinates, and colours where points have them.
extension LASFile {
    /// Where colours are in a point, by its format.
    private static let colourOffsets = [2: 20, 3: 28, 5: 28, 7: 30, 8: 30, 10: 30]

    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        let reader = ByteReader(bytes)
        guard bytes.starts(with: Array("LASF".utf8)) else { throw ModelProblem("a LAS file", found: "other bytes") }
        guard let minor = reader.byte(at: 25), let start = reader.uint32(at: 96), let kind = reader.byte(at: 104),
            let length = reader.uint16(at: 105), let older = reader.uint32(at: 107), reader.has(227, at: 0)
        else { throw ModelProblem("a header of 227 bytes", found: "\(bytes.count)") }
        guard kind & 0xC0 == 0 else { throw ModelProblem("points that are not compressed", found: "LAZ") }
        var claimed = UInt64(older)
        if minor >= 4 {
            guard let count = reader.uint64(at: 247) else {
                throw ModelProblem("a header of 375 bytes", found: "\(bytes.count)")
            }
            claimed = max(claimed, count)
        }
        guard length >= 12 else { throw ModelProblem("points of at least 12 bytes", found: "\(length)") }
        let room = max(0, bytes.count - start) / length
        guard claimed <= UInt64(room) else { throw ModelProblem("\(claimed) points", found: "bytes of \(room)") }
        let numbers = (0..<6).map { FileNumber.double.value(reader, at: 131 + 8 * $0) ?? 0 }
        let (scale, offset) = (Vector3(numbers[0], numbers[1], numbers[2]), Vector3(numbers[3], numbers[4], numbers[5]))
        let colours = colourOffsets[Int(kind)].flatMap { $0 + 6 <= length ? $0 : nil }
        func colour(_ at: Int) -> [Double] { (0..<3).map { Double(reader.uint16(at: at + 2 * $0) ?? 0) } }
        // Some writers have 8 bits in the lower half.
        let isWide = colours.map { place in
            stride(from: 0, to: Int(claimed), by: max(1, Int(claimed) / 10_000))
                .contains { colour(start + $0 * length + place).contains { $0 > 255 } }
        }
        for index in 0..<Int(claimed) {
            let at = start + index * length
            let whole = (0..<3).map { FileNumber.int32.value(reader, at: at + 4 * $0) ?? 0 }
            let parts = colours.map { colour(at + $0).map { $0 / (isWide == true ? 65_535 : 255) } }
            model.add(
                Vector3(whole[0], whole[1], whole[2]) * scale + offset,
                parts.map { UInt32(red: $0[0], green: $0[1], blue: $0[2]) }
            )
        }
    }
}

// Wavefront OBJ: points with colours behind them, and polygons; materials are not read.
extension OBJFile {
    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        var text = TextCursor(bytes)
        var number = 0
        while let words = text.line() {
            number += 1
            switch words.first {
            case "v":
                let values = words.dropFirst().prefix(6).map { Double($0) }
                guard values.count >= 3, let x = values[0], let y = values[1], let z = values[2] else {
                    throw ModelProblem("x, y and z", found: "line \(number): \(words.prefix(7).joined(separator: " "))")
                }
                let parts = values.dropFirst(3).compactMap(\.self)
                let colour = parts.count == 3 ? UInt32(red: parts[0], green: parts[1], blue: parts[2]) : nil
                model.add(Vector3(x, y, z), colour)
            case "f":
                let corners = words.dropFirst().map { word -> UInt32? in
                    let index = Int(word.prefix { $0 != "/" }) ?? 0
                    // Numbers count from 1, or back from the last point.
                    return index == 0 ? nil : UInt32(exactly: index > 0 ? index - 1 : model.pointCount &+ index)
                }
                let known = corners.compactMap(\.self)
                guard known.count == corners.count else {
                    throw ModelProblem(
                        "numbers of corners",
                        found: "line \(number): \(words.prefix(7).joined(separator: " "))"
                    )
                }
                model.add(polygon: known)
            default: break
            }
        }
    }
}

// Binary STL: triangles alone.
extension STLFile {
    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        let reader = ByteReader(bytes)
        guard let count = reader.uint32(at: 80) else {
            throw ModelProblem("a binary STL file", found: "\(bytes.count) bytes")
        }
        guard count <= (bytes.count - 84) / 50 else {
            let isText = bytes.starts(with: Array("solid".utf8))
            throw ModelProblem(
                "\(isText ? "binary STL" : "\(count) triangles")",
                found: isText ? "text" : "bytes of \((bytes.count - 84) / 50)"
            )
        }
        for index in 0..<count {
            for corner in 0..<3 {
                let at = 84 + 50 * index + 12 + 12 * corner
                let place = (0..<3).map { FileNumber.float.value(reader, at: at + 4 * $0) ?? .nan }
                model.add(Vector3(place[0], place[1], place[2]), nil)
            }
            let first = UInt32(clamping: 3 * index)
            model.add(SurfaceMesh.Triangle(first, first &+ 1, first &+ 2))
        }
    }
}

// PCD 0.7 of the Point Cloud Library, binary or as text.
extension PCDFile {
    private struct Field {
        var name: Substring
        var type: FileNumber
        var offset = 0
        /// The index of its first number in a line of text.
        var column = 0
    }

    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        var text = TextCursor(bytes)
        var lines: [Substring: [Substring]] = [:]
        while lines["DATA"] == nil, text.offset < 1 << 20, let words = text.line() {
            if let key = words.first, !key.hasPrefix("#") { lines[key] = Array(words.dropFirst()) }
        }
        guard let form = lines["DATA"]?.first, let names = lines["FIELDS"], let sizes = lines["SIZE"],
            let kinds = lines["TYPE"], let count = lines["POINTS"]?.first.flatMap({ Int($0) }), count >= 0
        else { throw ModelProblem("a PCD file with FIELDS, SIZE, TYPE, POINTS and DATA", found: "none") }
        guard form == "binary" || form == "ascii" else {
            throw ModelProblem("PCD that is binary or ascii", found: "\(form)")
        }
        let (fields, length, columns) = try fields(names, sizes, kinds, lines["COUNT"] ?? [])
        func field(_ names: Substring...) -> Field? { fields.first { names.contains($0.name) } }
        guard let x = field("x"), let y = field("y"), let z = field("z") else {
            throw ModelProblem("points with x, y and z", found: names.joined(separator: " "))
        }
        let paint = field("rgb", "rgba").flatMap { $0.type.byteCount == 4 ? $0 : nil }
        let isText = form == "ascii"
        let room = (bytes.count - min(text.offset, bytes.count)) / (isText ? columns : length)
        guard count <= room else { throw ModelProblem("\(count) points", found: "bytes of \(room)") }
        let (reader, start) = (ByteReader(bytes), text.offset)
        var row = [Double](repeating: 0, count: columns)
        for index in 0..<count {
            if isText {
                for column in 0..<columns {
                    guard let value = text.number() else {
                        throw ModelProblem("\(count) points", found: "no number in point \(index)")
                    }
                    row[column] = value
                }
            }
            func value(_ field: Field) -> Double {
                isText ? row[field.column] : field.type.value(reader, at: start + index * length + field.offset) ?? .nan
            }
            let bits = paint.map { field -> UInt32 in
                guard isText else { return UInt32(reader.uint32(at: start + index * length + field.offset) ?? 0) }
                let value = value(field)
                return field.type == .float ? Float(value).bitPattern : UInt32(exactly: value) ?? 0
            }
            model.add(Vector3(value(x), value(y), value(z)), bits.map { $0 & 0xFF_FFFF })
        }
    }

    private static func fields(
        _ names: [Substring],
        _ sizes: [Substring],
        _ kinds: [Substring],
        _ counts: [Substring]
    ) throws(ModelProblem) -> (fields: [Field], length: Int, columns: Int) {
        let types: [String: FileNumber] = [
            "F4": .float, "F8": .double, "I1": .int8, "I2": .int16, "I4": .int32, "U1": .uint8, "U2": .uint16,
            "U4": .uint32,
        ]
        guard names.count == sizes.count, names.count == kinds.count, counts.isEmpty || counts.count == names.count,
            !names.isEmpty
        else { throw ModelProblem("as many sizes and types as fields", found: "\(sizes.count) and \(kinds.count)") }
        var (fields, length, columns): ([Field], Int, Int) = ([], 0, 0)
        for index in names.indices {
            let count = counts.isEmpty ? 1 : Int(counts[index]) ?? 0
            guard let type = types["\(kinds[index])\(sizes[index])"], (1...1000).contains(count) else {
                throw ModelProblem("a type of PCD", found: "\(kinds[index])\(sizes[index]) for \(names[index])")
            }
            fields.append(Field(name: names[index], type: type, offset: length, column: columns))
            length += count * type.byteCount
            columns += count
        }
        return (fields, length, columns)
    }
}
