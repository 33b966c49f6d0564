import Platform
import Recording

// The Polygon File Format 1.0 of Stanford, binary in either order or as text.
extension PLYFile {
    private static let types: [Substring: FileNumber] = [
        "char": .int8, "int8": .int8, "uchar": .uint8, "uint8": .uint8, "short": .int16, "int16": .int16,
        "ushort": .uint16, "uint16": .uint16, "int": .int32, "int32": .int32, "uint": .uint32, "uint32": .uint32,
        "float": .float, "float32": .float, "double": .double, "float64": .double,
    ]

    private struct Property {
        var name: Substring
        var type: FileNumber
        /// The type of a list's length.
        var length: FileNumber?
    }

    private struct Element {
        var name: Substring
        var count: Int
        var properties: [Property] = []
    }

    private struct Header {
        var isText = false
        var order = ByteOrder.little
        var elements: [Element] = []
    }

    /// The numbers of the body, one after the other.
    private struct Body {
        let isText: Bool
        var reader: ByteReader
        var text: TextCursor

        var remaining: Int { isText ? reader.count - text.offset : reader.remaining }

        @inline(__always)
        mutating func next(_ type: FileNumber) -> Double? {
            if isText { return text.number() }
            guard let value = type.value(reader, at: reader.position) else { return nil }
            reader.position += type.byteCount
            return value
        }

        /// The fewest bytes of an element.
        func leastBytes(_ element: Element) -> Int {
            element.properties.reduce(0) { $0 + (isText ? 1 : ($1.length ?? $1.type).byteCount) }
        }
    }

    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        var text = TextCursor(bytes)
        let header = try header(&text)
        var reader = ByteReader(bytes, header.order)
        reader.position = text.offset
        var body = Body(isText: header.isText, reader: reader, text: text)
        for element in header.elements where !element.properties.isEmpty {
            guard element.count <= body.remaining / body.leastBytes(element) else {
                throw ModelProblem(
                    "\(element.count) x \(element.name)",
                    found: "\(max(0, body.remaining)) bytes for them"
                )
            }
            if element.name == "vertex" {
                try readPoints(element, &body, into: &model)
            } else {
                try readLists(element, &body, into: &model)
            }
        }
    }

    private static func header(_ text: inout TextCursor) throws(ModelProblem) -> Header {
        guard text.line() == ["ply"] else { throw ModelProblem("a PLY file", found: "other bytes") }
        var header = Header()
        while let words = text.line() {
            guard text.offset < 1 << 20 else { break }
            switch (words.first, words.count) {
            case ("end_header", _):
                guard header.elements.contains(where: { $0.name == "vertex" }) else {
                    throw ModelProblem("an element vertex", found: "none")
                }
                return header
            case ("format", 3) where ["ascii", "binary_little_endian", "binary_big_endian"].contains(words[1]):
                header.isText = words[1] == "ascii"
                header.order = words[1] == "binary_big_endian" ? .big : .little
            case ("element", 3):
                guard let count = Int(words[2]), count >= 0 else {
                    throw ModelProblem("a number of \(words[1])", found: "\(words[2])")
                }
                header.elements.append(Element(name: words[1], count: count))
            case ("property", 3...5) where !header.elements.isEmpty:
                let isList = words[1] == "list" && words.count == 5
                let length = isList ? types[words[2]] : nil
                guard let type = types[isList ? words[3] : words[1]], isList == (length != nil),
                    isList || words.count == 3
                else { throw ModelProblem("the type of a property", found: words.joined(separator: " ")) }
                let property = Property(name: words[words.count - 1], type: type, length: length)
                header.elements[header.elements.count - 1].properties.append(property)
            case ("comment", _), ("obj_info", _), (nil, _): break
            default: throw ModelProblem("a line of a PLY header", found: words.joined(separator: " "))
            }
        }
        throw ModelProblem("end_header", found: "no end of the header")
    }

    private static func readPoints(
        _ element: Element,
        _ body: inout Body,
        into model: inout SurfaceModel
    ) throws(ModelProblem) {
        let properties = element.properties
        func column(_ names: Substring...) -> Int? { properties.firstIndex { names.contains($0.name) } }
        guard let x = column("x"), let y = column("y"), let z = column("z"),
            !properties.contains(where: { $0.length != nil })
        else {
            throw ModelProblem("points with x, y and z alone", found: properties.map(\.name).joined(separator: " "))
        }
        let colours = [
            column("red", "r", "diffuse_red"), column("green", "g", "diffuse_green"),
            column("blue", "b", "diffuse_blue"),
        ]
        .compactMap(\.self)
        let ranges = colours.map { properties[$0].type.colourRange }
        var row = [Double](repeating: 0, count: properties.count)
        for index in 0..<element.count {
            for column in properties.indices {
                guard let value = body.next(properties[column].type) else {
                    throw ModelProblem("\(element.count) points", found: "no number in point \(index)")
                }
                row[column] = value
            }
            let hasColour = colours.count == 3
            let colour =
                hasColour
                ? UInt32(
                    red: row[colours[0]] / ranges[0],
                    green: row[colours[1]] / ranges[1],
                    blue: row[colours[2]] / ranges[2]
                ) : nil
            model.add(Vector3(row[x], row[y], row[z]), colour)
        }
    }

    /// Faces, and whatever else there is, which is passed over.
    private static func readLists(
        _ element: Element,
        _ body: inout Body,
        into model: inout SurfaceModel
    ) throws(ModelProblem) {
        func problem(_ index: Int) -> ModelProblem {
            ModelProblem("\(element.count) x \(element.name)", found: "no number in number \(index)")
        }
        var corners: [UInt32] = []
        for index in 0..<element.count {
            for property in element.properties {
                var count = 1
                if let length = property.length {
                    guard let value = body.next(length).flatMap({ Int(exactly: $0) }), value >= 0 else {
                        throw problem(index)
                    }
                    count = value
                }
                let isFace = element.name == "face" && ["vertex_indices", "vertex_index"].contains(property.name)
                guard !isFace || count <= 10_000 else {
                    throw ModelProblem("a face of at most 10000 corners", found: "\(count) in face \(index)")
                }
                corners.removeAll(keepingCapacity: true)
                for _ in 0..<count {
                    guard let value = body.next(property.type) else { throw problem(index) }
                    guard isFace else { continue }
                    guard let corner = UInt32(exactly: value) else {
                        throw ModelProblem("the number of a corner", found: "\(value) in face \(index)")
                    }
                    corners.append(corner)
                }
                if isFace { model.add(polygon: corners) }
            }
        }
    }
}
