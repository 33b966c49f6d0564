import Foundation
import Maps
import Platform
import Recording
import Testing

/// OBJ and STL, read by what knows the formats and not how they are written.
@Suite("OBJ and STL")
struct PlainMeshFileTests {
    /// A bumpy sheet, more than a piece of a file is long.
    private static let mesh: SurfaceMesh = {
        let side = 90
        var mesh = SurfaceMesh()
        for row in 0..<side {
            for column in 0..<side {
                let (x, y) = (Float(column) * 0.021 - 0.7, Float(row) * 0.0173 + 1e-5)
                let tilt = SIMD3<Float>(sin(9 * x), cos(7 * y), 2)
                mesh.points.append(
                    SurfacePoint(
                        position: SIMD3(x, y, 0.05 * sin(11 * x * y)),
                        normal: tilt / (tilt * tilt).sum().squareRoot(),
                        colour: UInt32(row * 256 * 256 + column * 256 + (row * column) % 256),
                        weight: 1,
                        count: 3
                    )
                )
                guard row > 0, column > 0 else { continue }
                let here = UInt32(row * side + column)
                let (left, below) = (here - 1, here - UInt32(side))
                mesh.triangles += [.init(below - 1, below, here), .init(below - 1, here, left)]
            }
        }
        return mesh
    }()

    private static func pieces(_ content: FileContent) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try content.write { pieces.append($0) }
        return pieces
    }

    private struct ReadOBJ {
        var comments: [String] = []
        var places: [[Double]] = []
        var colours: [[Double]] = []
        var normals: [[Double]] = []
        var faces: [[UInt32]] = []

        init(_ text: String) throws {
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map { String($0) }
                if words[0] == "#" {
                    comments.append(words.dropFirst().joined(separator: " "))
                } else if words[0] == "f" {
                    let corners = try words.dropFirst().map { word in
                        let numbers = word.components(separatedBy: "//")
                        try #require(numbers.count == 2 && numbers[0] == numbers[1])
                        return try #require(UInt32(numbers[0])) - 1
                    }
                    faces.append(corners)
                } else {
                    let numbers = try words.dropFirst().map { try #require(Double($0)) }
                    try #require(["v", "vn"].contains(words[0]))
                    if words[0] == "vn" {
                        normals.append(numbers)
                    } else {
                        places.append(Array(numbers.prefix(3)))
                        if numbers.count > 3 { colours.append(Array(numbers.dropFirst(3))) }
                    }
                }
            }
        }
    }

    private static func read(_ content: FileContent) throws -> ReadOBJ {
        try ReadOBJ(String(decoding: pieces(content).joined(), as: UTF8.self))
    }

    private static let faces = mesh.triangles.map { [$0.a, $0.b, $0.c] }

    @Test("an OBJ has the places, colours, normals and triangles of the mesh")
    func obj() throws {
        let mesh = Self.mesh
        let read = try Self.read(OBJFile.content(mesh, comments: ["made by x", "frame\nmap"]))
        #expect(read.comments == ["Wavefront OBJ", "made by x", "frame?map"])
        #expect(read.places.map { $0.map { Float($0) } } == mesh.points.map { [0, 1, 2].map($0.position.component) })
        #expect(read.faces == Self.faces && read.normals.count == mesh.points.count)
        for (point, normal) in zip(mesh.points, read.normals) {
            for axis in 0..<3 { #expect(abs(normal[axis] - Double(point.normal[axis])) < 0.000_06) }
        }
        // Whether a reader rounds or cuts off.
        let channels = mesh.points.map { [$0.colour >> 16, $0.colour >> 8 & 255, $0.colour & 255] }
        #expect(read.colours.map { $0.map { UInt32(255 * $0) } } == channels)
        #expect(read.colours.map { $0.map { UInt32((255 * $0).rounded()) } } == channels)
        #expect(read.colours.allSatisfy { $0.allSatisfy { (0...1).contains($0) } })
    }

    @Test("all colours there are survive the text")
    func colours() throws {
        let points = (0...255 as ClosedRange<UInt32>).map {
            SurfacePoint(position: .zero, normal: SIMD3(0, 0, 1), colour: $0 << 16 | $0, weight: 1, count: 1)
        }
        let read = try Self.read(OBJFile.content(SurfaceMesh(points: points), isCloud: true))
        #expect(read.colours.map { UInt32(255 * $0[0]) } == Array(0...255))
    }

    @Test(
        "an OBJ of points has no more than points; without pictures there are no colours; far away no place is coarse"
    )
    func otherOBJs() throws {
        let mesh = Self.mesh
        let cloud = try Self.read(OBJFile.content(mesh, isCloud: true))
        #expect(cloud.places.count == mesh.points.count && cloud.colours.count == mesh.points.count)
        #expect(cloud.faces.isEmpty && cloud.normals.isEmpty)
        var far = mesh
        far.origin = Vector3(80_000.125, -3, 0.5)
        far.points = far.points.map {
            SurfacePoint(position: $0.position, normal: $0.normal, colour: nil, weight: 1, count: 0)
        }
        let bare = try Self.read(OBJFile.content(far))
        #expect(bare.colours.isEmpty && bare.faces == Self.faces)
        for (point, place) in zip(far.points, bare.places) {
            for axis in 0..<3 {
                let exact = Double(point.position[axis]) + far.origin[axis]
                #expect(abs(place[axis] - exact) < 0.000_000_6)
            }
        }
    }

    @Test("a file is given in pieces, whose bytes are the same each time")
    func piecewise() throws {
        for content in [OBJFile.content(Self.mesh), try #require(STLFile.content(Self.mesh))] {
            let pieces = try Self.pieces(content)
            #expect(pieces.count > 2 && pieces.allSatisfy { $0.count < 270_000 })
            #expect(try Self.pieces(content) == pieces)
        }
    }

    @Test("an STL has each triangle, turned as in the mesh, with the normal that its corners have")
    func stl() throws {
        let content = try #require(STLFile.content(Self.mesh, comments: ["made by x", "frame map"]))
        let bytes = try Array(Self.pieces(content).joined())
        #expect(String(decoding: bytes.prefix(80), as: UTF8.self).hasPrefix("binary STL; frame map; made by x  "))
        func word(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) } }
        let count = Int(word(80))
        #expect(count == Self.mesh.triangles.count)
        try #require(bytes.count == 84 + 50 * count)
        for (index, triangle) in Self.mesh.triangles.enumerated() {
            let start = 84 + 50 * index
            let numbers = (0..<12).map { Float(bitPattern: word(start + 4 * $0)) }
            let corners = [triangle.a, triangle.b, triangle.c].map { Self.mesh.points[Int($0)].position }
            #expect(Array(numbers[3...]) == corners.flatMap { [$0.x, $0.y, $0.z] })
            #expect(bytes[start + 48] == 0 && bytes[start + 49] == 0)
            // The sheet is seen from above, where its triangles are counterclockwise.
            let normal = SIMD3(numbers[0], numbers[1], numbers[2])
            #expect(abs((normal * normal).sum() - 1) < 1e-5 && normal.z > 0)
            for edge in [corners[1] - corners[0], corners[2] - corners[0]] {
                #expect(abs((normal * edge).sum()) < 1e-5)
            }
        }
    }

    @Test("an STL of no triangle, of one without area, and of more than it counts")
    func edges() throws {
        let nothing = try Array(Self.pieces(#require(STLFile.content(SurfaceMesh()))).joined())
        #expect(nothing.count == 84 && nothing.suffix(4) == [0, 0, 0, 0])
        let flat = SurfaceMesh(points: Array(Self.mesh.points.prefix(2)), triangles: [.init(0, 1, 1)])
        let bytes = try Array(Self.pieces(#require(STLFile.content(flat))).joined())
        #expect(bytes.count == 134 && bytes[84..<96].allSatisfy { $0 == 0 })
        let most = Int(UInt32.max)
        let header = try #require(STLFile.header(triangleCount: most, comments: [String(repeating: "ä", count: 500)]))
        #expect(header.count == 84 && header.suffix(4) == [255, 255, 255, 255])
        #expect(!header.starts(with: Array("solid".utf8)))
        #expect(STLFile.header(triangleCount: most + 1, comments: []) == nil)
    }
}

extension SIMD3 where Scalar == Float {
    fileprivate func component(_ axis: Int) -> Float { self[axis] }
}
