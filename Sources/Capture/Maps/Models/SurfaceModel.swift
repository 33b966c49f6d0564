import Platform
import Recording

/// What is wrong with the file of a mesh, a cloud or a plan.
package struct ModelProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let expected: String
    package let found: String

    package init(_ expected: String, found: String) { (self.expected, self.found) = (expected, found) }

    package var description: String { "expected \(expected), found \(found)" }
}

/// A mesh or a cloud as a file has it, made here or elsewhere, to be looked at.
///
/// What a file claims is never allocated: points and triangles are kept as they are read, and no more than a page draws.
package struct SurfaceModel: Sendable {
    /// The formats, by the endings of their files.
    package enum Format: String, Sendable, CaseIterable { case ply, glb, las, obj, stl, pcd }

    package static let maximumPoints = 1_500_000
    /// As a list of triangles (120 bytes each) no message is larger than 64 MB.
    package static let maximumTriangles = 500_000

    /// The points that are kept, counted from an origin near them; points that are not finite are kept, and belong to no triangle.
    package private(set) var mesh = SurfaceMesh()
    /// True for the axes of glTF and of ARKit's world; otherwise z is up.
    package internal(set) var isYUp = false
    /// The numbers of the file.
    package private(set) var pointCount = 0
    package private(set) var triangleCount = 0
    /// Each so manyth point is kept.
    package private(set) var step = 1
    private let limit: Int

    /// True if the points are too many for all to be kept.
    package var isThinned: Bool { step > 1 }
    /// True if there are triangles, and too many to be kept, or some of their corners are not.
    package var isWithoutItsTriangles: Bool { triangleCount > 0 && mesh.triangles.isEmpty }

    /// - Throws: a ``ModelProblem`` for bytes that are not whole.
    package init(
        _ bytes: [UInt8],
        _ format: Format,
        atMost limit: Int = SurfaceModel.maximumPoints
    ) throws(ModelProblem) {
        self.limit = limit
        try bytes.withUnsafeBufferPointer { (buffer) throws(ModelProblem) in
            let bytes = UnsafeRawBufferPointer(buffer)
            switch format {
            case .ply: try PLYFile.read(bytes, into: &self)
            case .glb: try GLBFile.read(bytes, into: &self)
            case .las: try LASFile.read(bytes, into: &self)
            case .obj: try OBJFile.read(bytes, into: &self)
            case .stl: try STLFile.read(bytes, into: &self)
            case .pcd: try PCDFile.read(bytes, into: &self)
            }
        }
        let wrong = mesh.triangles.first { max($0.a, $0.b, $0.c) >= pointCount }
        if let wrong {
            throw ModelProblem("corners below \(pointCount)", found: "\(max(wrong.a, wrong.b, wrong.c))")
        }
        if isThinned || triangleCount > Self.maximumTriangles { mesh.triangles = [] }
        mesh.triangles.removeAll { triangle in
            ![triangle.a, triangle.b, triangle.c].allSatisfy { mesh.points[Int($0)].isFinite }
        }
        guard mesh.points.contains(where: \.isFinite) else {
            throw ModelProblem("at least one point", found: pointCount == 0 ? "none" : "none with finite numbers")
        }
    }

    /// - Parameter colour: 0x00RRGGBB; nil where the file has none.
    mutating func add(_ place: Vector3, _ colour: UInt32?) {
        defer { pointCount += 1 }
        guard pointCount % step == 0 else { return }
        if mesh.points.count == limit {
            mesh.points = stride(from: 0, to: mesh.points.count, by: 2).map { mesh.points[$0] }
            step *= 2
            guard pointCount % step == 0 else { return }
        }
        let isFinite = place.x.isFinite && place.y.isFinite && place.z.isFinite
        // A Float has centimetres up to 100 km; coordinates of surveyors have thousands of them.
        if mesh.points.isEmpty, isFinite, place.max() > 10_000 || place.min() < -10_000 {
            mesh.origin = place.rounded(.down)
        }
        mesh.points.append(
            SurfacePoint(
                position: SIMD3<Float>(place - mesh.origin),
                normal: .zero,
                colour: colour,
                weight: 1,
                count: 1
            )
        )
    }

    mutating func add(_ triangle: SurfaceMesh.Triangle) {
        triangleCount += 1
        if triangleCount <= Self.maximumTriangles { mesh.triangles.append(triangle) }
    }

    /// Adds a convex polygon as a fan.
    mutating func add(polygon corners: [UInt32]) {
        guard corners.count > 2 else { return }
        for index in 2..<corners.count { add(SurfaceMesh.Triangle(corners[0], corners[index - 1], corners[index])) }
    }
}

extension SurfacePoint {
    /// False for a point that is nowhere.
    package var isFinite: Bool { position.x.isFinite && position.y.isFinite && position.z.isFinite }
}

extension UInt32 {
    /// 0x00RRGGBB of parts of 1, which may be none.
    init(red: Double, green: Double, blue: Double) {
        self = [red, green, blue].reduce(0) {
            $0 << 8 | UInt32(($1.isFinite ? Swift.min(Swift.max($1, 0), 1) : 0) * 255 + 0.5)
        }
    }
}

/// A number of a file, by its type.
enum FileNumber {
    case int8, uint8, int16, uint16, int32, uint32, float, double

    var byteCount: Int {
        switch self {
        case .int8, .uint8: 1
        case .int16, .uint16: 2
        case .int32, .uint32, .float: 4
        case .double: 8
        }
    }

    /// The greatest of the integers, which colours are parts of; 1 for others.
    var colourRange: Double {
        switch self {
        case .int8, .uint8: 255
        case .int16, .uint16: 65_535
        case .int32, .uint32: 255
        case .float, .double: 1
        }
    }

    /// Nil beyond the end.
    @inline(__always)
    func value(_ reader: ByteReader, at offset: Int) -> Double? {
        switch self {
        case .int8: reader.integer(at: offset, as: Int8.self).map(Double.init)
        case .uint8: reader.byte(at: offset).map(Double.init)
        case .int16: reader.integer(at: offset, as: Int16.self).map(Double.init)
        case .uint16: reader.uint16(at: offset).map(Double.init)
        case .int32: reader.integer(at: offset, as: Int32.self).map(Double.init)
        case .uint32: reader.integer(at: offset, as: UInt32.self).map(Double.init)
        case .float: reader.integer(at: offset, as: UInt32.self).map { Double(Float(bitPattern: $0)) }
        case .double: reader.uint64(at: offset).map(Double.init(bitPattern:))
        }
    }
}

/// The lines and words of a text in bytes.
struct TextCursor {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The words of the next line, each of at most 100 bytes; nil at the end.
    mutating func line() -> [Substring]? {
        guard !isAtEnd else { return nil }
        let end = bytes[offset...].firstIndex { $0 == 10 } ?? bytes.count
        defer { offset = end + 1 }
        let words = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
            .split(maxSplits: 1000) { $0 == 32 || $0 == 9 || $0 == 13 }
        return words.map { Substring(decoding: $0.prefix(100), as: UTF8.self) }
    }

    /// The next word as a number; nil where it is none, or at the end.
    mutating func number() -> Double? {
        while !isAtEnd, bytes[offset] <= 32 { offset += 1 }
        let start = offset
        while !isAtEnd, bytes[offset] > 32, offset - start < 100 { offset += 1 }
        return Double(String(decoding: bytes[start..<offset], as: UTF8.self))
    }
}
