import Glibc
import Platform
import Recording
import Text

// Binary glTF 2.0 with its data in the file (Khronos 2.0.1): triangles and points, with colours of corners or one for all.
extension GLBFile {
    /// More corners are not placed: many nodes may show one mesh.
    private static let maximumPlaced = 30_000_000

    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        var reader = ByteReader(bytes)
        guard reader.next(UInt32.self) == 0x4654_6C67 else {
            throw ModelProblem("a binary glTF file", found: "other bytes")
        }
        let version = reader.next(UInt32.self)
        guard version == 2, let length = reader.next(UInt32.self) else {
            throw ModelProblem("glTF 2", found: "version \(version.map { "\($0)" } ?? "cut off")")
        }
        guard length <= bytes.count else { throw ModelProblem("\(length) bytes", found: "\(bytes.count)") }
        let text = try chunk(&reader, kind: 0x4E4F_534A, "JSON")
        let data =
            reader.remaining >= 8
            ? try chunk(&reader, kind: 0x004E_4942, "BIN") : UnsafeRawBufferPointer(rebasing: bytes[..<0])
        let document: JSONValue
        do throws(JSONError) { document = try JSONValue.parse(text) } catch {
            throw ModelProblem("JSON", found: "\(error)")
        }
        model.isYUp = true
        try GLBScene(document, ByteReader(data)).place(into: &model, atMost: maximumPlaced)
    }

    private static func chunk(
        _ reader: inout ByteReader,
        kind: UInt32,
        _ name: String
    ) throws(ModelProblem) -> UnsafeRawBufferPointer {
        guard let length = reader.next(UInt32.self), reader.next(UInt32.self) == kind else {
            throw ModelProblem("a chunk of \(name)", found: "none")
        }
        guard let chunk = reader.take(Int(length)) else {
            throw ModelProblem("\(length) bytes of \(name)", found: "\(reader.remaining)")
        }
        return chunk
    }
}

/// The scene of a glTF document, and the numbers of its buffer.
struct GLBScene {
    /// Where a node's own axes are in the scene's.
    private struct Placement {
        var columns = (Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))
        var origin = Vector3.zero

        func turned(_ v: Vector3) -> Vector3 { columns.0 * v.x + columns.1 * v.y + columns.2 * v.z }

        func placed(_ v: Vector3) -> Vector3 { turned(v) + origin }

        /// True if it makes left hands of right ones.
        var isMirrored: Bool { dot(cross(columns.0, columns.1), columns.2) < 0 }

        static func * (outer: Placement, inner: Placement) -> Placement {
            let columns = inner.columns
            return Placement(
                columns: (outer.turned(columns.0), outer.turned(columns.1), outer.turned(columns.2)),
                origin: outer.placed(inner.origin)
            )
        }
    }

    /// Numbers in the buffer, some at a time.
    private struct Accessor {
        let type: FileNumber
        let isNormalised: Bool
        let width: Int
        let count: Int
        let offset: Int
        let stride: Int
        let reader: ByteReader

        /// Of an accessor that was checked to lie in the buffer.
        func value(_ index: Int, _ column: Int) -> Double {
            let value = type.value(reader, at: offset + index * stride + column * type.byteCount) ?? 0
            return isNormalised ? value / type.colourRange : value
        }

        func vector(_ index: Int) -> Vector3 { Vector3(value(index, 0), value(index, 1), value(index, 2)) }
    }

    private static let types: [Int64: FileNumber] = [
        5120: .int8, 5121: .uint8, 5122: .int16, 5123: .uint16, 5125: .uint32, 5126: .float,
    ]
    private static let widths = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4]
    private let document: JSONValue
    private let data: ByteReader

    init(_ document: JSONValue, _ data: ByteReader) { (self.document, self.data) = (document, data) }

    /// Adds what the nodes of the scene show; each node is there once, as the format demands.
    func place(into model: inout SurfaceModel, atMost most: Int) throws(ModelProblem) {
        let packed = document["extensionsRequired"]?.array?.compactMap(\.string).first { $0.contains("compression") }
        if let packed { throw ModelProblem("meshes without compression", found: packed) }
        let nodes = document["nodes"]?.array ?? []
        let scenes = document["scenes"]?.array ?? []
        let scene = Self.element(scenes, document["scene"] ?? 0)
        let roots = scene.map { $0["nodes"]?.array ?? [] } ?? nodes.indices.map { .integer($0) }
        var left = roots.reversed().map { (node: $0, above: Placement()) }
        var seen = Set<Int64>()
        while let (node, above) = left.popLast() {
            guard let number = node.integer, let found = Self.element(nodes, node) else {
                throw ModelProblem("nodes below \(nodes.count)", found: "\(node.text())")
            }
            guard seen.insert(number).inserted else { continue }
            let placement = above * Self.placement(found)
            for child in (found["children"]?.array ?? []).reversed() { left.append((child, placement)) }
            guard let mesh = found["mesh"] else { continue }
            guard let primitives = Self.element(document["meshes"]?.array ?? [], mesh)?["primitives"]?.array else {
                throw ModelProblem("a mesh with primitives", found: "none of number \(mesh.text())")
            }
            for primitive in primitives {
                try add(primitive, placement, into: &model)
                guard model.pointCount + 3 * model.triangleCount <= most else {
                    throw ModelProblem("a scene of at most \(most) corners", found: "more")
                }
            }
        }
    }

    private static func element(_ list: [JSONValue], _ number: JSONValue) -> JSONValue? {
        guard let index = number.integer.flatMap({ Int(exactly: $0) }), list.indices.contains(index) else { return nil }
        return list[index]
    }

    private static func placement(_ node: JSONValue) -> Placement {
        func numbers(_ key: String, _ standard: [Double]) -> [Double] {
            let values = node[key]?.array?.compactMap(\.number) ?? []
            return values.count == standard.count ? values : standard
        }
        let m = numbers("matrix", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
        let matrix = Placement(
            columns: (Vector3(m[0], m[1], m[2]), Vector3(m[4], m[5], m[6]), Vector3(m[8], m[9], m[10])),
            origin: Vector3(m[12], m[13], m[14])
        )
        let (t, r, s) = (
            numbers("translation", [0, 0, 0]), numbers("rotation", [0, 0, 0, 1]), numbers("scale", [1, 1, 1])
        )
        let turn = Quaternion(x: r[0], y: r[1], z: r[2], w: r[3]).normalized.columns
        let moved = Placement(
            columns: (turn.0 * s[0], turn.1 * s[1], turn.2 * s[2]),
            origin: Vector3(t[0], t[1], t[2])
        )
        return matrix * moved
    }

    private func add(
        _ primitive: JSONValue,
        _ placement: Placement,
        into model: inout SurfaceModel
    ) throws(ModelProblem) {
        let mode = primitive["mode"]?.integer ?? 4
        // Lines are not drawn; strips and fans of triangles are rare.
        guard mode == 4 || mode == 0 else { return }
        guard let position = primitive["attributes"]?["POSITION"] else { return }
        let positions = try accessor(position, widths: 3...3, "POSITION")
        let colours = try primitive["attributes"]?["COLOR_0"].map { (number) throws(ModelProblem) in
            try accessor(number, widths: 3...4, "COLOR_0")
        }
        let material = Self.element(document["materials"]?.array ?? [], primitive["material"] ?? .null)
        let factors = material?["pbrMetallicRoughness"]?["baseColorFactor"]?.array?.compactMap(\.number) ?? []
        let isPlain = factors.count != 4 || factors.prefix(3).allSatisfy { $0 == 1 }
        let first = model.pointCount
        for index in 0..<positions.count {
            let tint = colours.map { index < $0.count ? $0.vector(index) : .one }
            let factor = isPlain ? nil : Vector3(factors[0], factors[1], factors[2])
            let linear = tint.map { $0 * (factor ?? .one) } ?? factor
            let colour = linear.map {
                UInt32(red: Self.encoded($0.x), green: Self.encoded($0.y), blue: Self.encoded($0.z))
            }
            model.add(placement.placed(positions.vector(index)), colour)
        }
        guard mode == 4 else { return }
        let indexes = try primitive["indices"].map { (number) throws(ModelProblem) in
            try accessor(number, widths: 1...1, "indices")
        }
        let count = indexes?.count ?? positions.count
        let isMirrored = placement.isMirrored
        for corner in stride(from: 0, to: count - count % 3, by: 3) {
            let corners = (0..<3).map { indexes?.value(corner + $0, 0) ?? Double(corner + $0) }
            guard let greatest = corners.max(), greatest < Double(positions.count), (corners.min() ?? -1) >= 0 else {
                throw ModelProblem("corners below \(positions.count)", found: "\(corners.max() ?? 0)")
            }
            let numbers = corners.map { UInt32(clamping: first + Int($0)) }
            model.add(SurfaceMesh.Triangle(numbers[0], numbers[isMirrored ? 2 : 1], numbers[isMirrored ? 1 : 2]))
        }
    }

    /// sRGB of a linear part (IEC 61966-2-1).
    private static func encoded(_ linear: Double) -> Double {
        linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
    }

    /// An accessor that lies in the buffer.
    private func accessor(
        _ number: JSONValue,
        widths: ClosedRange<Int>,
        _ name: String
    ) throws(ModelProblem) -> Accessor {
        func whole(_ value: JSONValue?, _ standard: Int? = nil) -> Int? {
            value.map { $0.integer.flatMap { Int(exactly: $0) }.flatMap { (0...(1 << 40)).contains($0) ? $0 : nil } }
                ?? standard
        }
        guard let accessor = Self.element(document["accessors"]?.array ?? [], number),
            let type = accessor["componentType"]?.integer.flatMap({ Self.types[$0] }),
            let width = accessor["type"]?.string.flatMap({ Self.widths[$0] }), widths.contains(width),
            let count = whole(accessor["count"])
        else { throw ModelProblem("an accessor of \(name)", found: "none of its kind") }
        guard let view = accessor["bufferView"].flatMap({ Self.element(document["bufferViews"]?.array ?? [], $0) }),
            accessor["sparse"] == nil, view["buffer"]?.integer ?? 0 == 0,
            Self.element(document["buffers"]?.array ?? [], 0)?["uri"] == nil
        else { throw ModelProblem("\(name) in the file itself", found: "data elsewhere") }
        let size = type.byteCount * width
        guard let inner = whole(accessor["byteOffset"], 0), let outer = whole(view["byteOffset"], 0),
            let stride = whole(view["byteStride"], size), stride >= size, stride <= 1 << 16, count < 1 << 32
        else { throw ModelProblem("offsets of \(name)", found: "others") }
        let end = count == 0 ? 0 : inner + outer + (count - 1) * stride + size
        guard end <= data.count else { throw ModelProblem("\(end) bytes for \(name)", found: "\(data.count)") }
        return Accessor(
            type: type,
            isNormalised: accessor["normalized"]?.bool ?? false,
            width: width,
            count: count,
            offset: inner + outer,
            stride: stride,
            reader: data
        )
    }
}
