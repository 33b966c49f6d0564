import Maps
import Platform
import Recording
import Testing

/// Files of meshes, clouds and plans are read as they were written, and what is damaged is told in a sentence.
@Suite("Reading files of maps")
struct ModelFileTests {
    private static func point(_ x: Float, _ y: Float, _ z: Float, _ colour: UInt32?) -> SurfacePoint {
        SurfacePoint(position: SIMD3(x, y, z), normal: SIMD3(0, 0, 1), colour: colour, weight: 1, count: 3)
    }

    private static let mesh = SurfaceMesh(
        points: [
            point(0.5, -1.25, 3, 0xFF_0010), point(1.5, -1.25, 3, 0x20_4080), point(0.5, -1.25, 4, 0x00_0000),
            point(1.5, -1, 4.5, 0xFF_FFFF),
        ],
        triangles: [.init(0, 2, 1), .init(1, 2, 3)]
    )

    private static func bytes(_ content: FileContent?) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try content?.write { bytes += $0 }
        return bytes
    }

    private static func file(_ format: SurfaceModel.Format, _ mesh: SurfaceMesh = mesh) throws -> [UInt8] {
        switch format {
        case .ply: PLYFile.bytes(mesh, comments: ["a b"])
        case .glb: GLBFile.bytes(mesh)
        case .las: LASFile.bytes(mesh.points, .init(software: "test")) { Vector3($0) + mesh.origin } ?? []
        case .obj: try bytes(OBJFile.content(mesh))
        case .stl: try bytes(STLFile.content(mesh))
        case .pcd: PCDFile.bytes(mesh)
        }
    }

    @Test("what was written is read: places, colours, triangles", arguments: SurfaceModel.Format.allCases)
    func roundTrip(format: SurfaceModel.Format) throws {
        let model = try SurfaceModel(try Self.file(format), format)
        let found = model.mesh
        #expect(model.isYUp == (format == .glb) && !model.isThinned && found.origin == .zero)
        let corners: [UInt32] = format == .stl ? [0, 2, 1, 1, 2, 3] : [0, 1, 2, 3]
        let expected = corners.map { Self.mesh.points[Int($0)] }
        try #require(found.points.count == expected.count)
        for (one, other) in zip(found.points, expected) {
            #expect((one.position - other.position).max() < 1e-3 && (other.position - one.position).max() < 1e-3)
            if format != .stl { #expect(one.hasColour && one.colour == other.colour) }
        }
        #expect(found.hasColours == (format != .stl))
        switch format {
        case .ply, .glb, .obj: #expect(found.triangles == Self.mesh.triangles)
        case .stl: #expect(found.triangles == [.init(0, 1, 2), .init(3, 4, 5)])
        case .las, .pcd: #expect(found.triangles.isEmpty && model.triangleCount == 0)
        }
    }

    @Test(
        "without colours there are none, and coordinates far away count from an origin",
        arguments: SurfaceModel.Format.allCases
    )
    func bareAndFar(format: SurfaceModel.Format) throws {
        var mesh = Self.mesh
        mesh.points = mesh.points.map { Self.point($0.position.x, $0.position.y, $0.position.z, nil) }
        mesh.origin = Vector3(500_123, 4_649_776, 12)
        let model = try SurfaceModel(try Self.file(format, mesh), format)
        // LAS of format 7 has colours always.
        #expect(model.mesh.hasColours == (format == .las))
        // STL is in single precision.
        let precision = format == .stl ? 0.5 : 1.1e-3
        let place = Vector3(model.mesh.points[0].position) + model.mesh.origin
        let expected = Vector3(mesh.points[0].position) + mesh.origin
        #expect((place - expected).length < precision && model.mesh.origin != .zero)
        #expect(abs(model.mesh.points[0].position.x) < 10)
    }

    @Test(
        "a file that is cut anywhere is a problem in words, or has fewer points",
        arguments: SurfaceModel.Format.allCases
    )
    func cut(format: SurfaceModel.Format) throws {
        let whole = try Self.file(format)
        for count in 0..<whole.count {
            do throws(ModelProblem) {
                let model = try SurfaceModel(Array(whole.prefix(count)), format)
                // Text may end anywhere.
                #expect(format == .obj && model.pointCount <= 4, "\(count)")
            } catch {
                #expect(!error.expected.isEmpty && !error.found.isEmpty && "\(error)".count < 300, "\(count)")
            }
        }
    }

    private static func ply(_ elements: String, _ body: String) -> [UInt8] {
        Array("ply\nformat ascii 1.0\n\(elements)\nend_header\n\(body)".utf8)
    }

    private static let vertex = "element vertex 3\nproperty float x\nproperty float y\nproperty float z"
    private static let face = vertex + "\nelement face 1\nproperty list uchar int vertex_index"

    private static let damages: [(SurfaceModel.Format, [UInt8], expected: String, found: String)] = [
        (.ply, [1, 2, 3], "a PLY file", "other bytes"), (.ply, ply("", ""), "an element vertex", "none"),
        (.ply, ply(vertex, "0 0 0 1 1"), "3 points", "no number in point 1"),
        (
            .ply, ply(vertex.replacing("3", with: "9000000000000000000"), "0 0"), "9000000000000000000 x vertex",
            "3 bytes for them"
        ),
        (.ply, ply(vertex.replacing("float y", with: "half y"), ""), "the type of a property", "property half y"),
        (.ply, ply(face, "0 0 0 1 0 0 0 1 0 3 0 1 7"), "corners below 3", "7"),
        (.ply, ply(face, "0 0 0 1 0 0 0 1 0 3 0 1 -7"), "the number of a corner", "-7.0 in face 0"),
        (.ply, ply(vertex, "nan nan nan inf 0 0 0 0 nan"), "at least one point", "none with finite numbers"),
        (.glb, Array("glTF".utf8) + [3, 0, 0, 0], "glTF 2", "version 3"),
        (.las, Array("LASF".utf8), "a header of 227 bytes", "4"), (.las, [0], "a LAS file", "other bytes"),
        (.obj, Array("v 1 2 3\nv 1 2\n".utf8), "x, y and z", "line 2: v 1 2"),
        (.obj, Array("v 1 2 3\nf 1 0 1\n".utf8), "numbers of corners", "line 2: f 1 0 1"),
        (.obj, [], "at least one point", "none"),
        (.stl, [UInt8](repeating: 0, count: 80) + [9, 0, 0, 0], "9 triangles", "bytes of 0"),
        (.stl, Array("solid a\n".utf8) + [UInt8](repeating: 32, count: 90), "binary STL", "text"),
        (.pcd, Array("FIELDS x y z\n".utf8), "a PCD file with FIELDS, SIZE, TYPE, POINTS and DATA", "none"),
        (
            .pcd, Array("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 7\nDATA binary\n".utf8) + [0], "7 points",
            "bytes of 0"
        ),
    ]

    @Test("each damage is a sentence", arguments: damages.indices)
    func damage(index: Int) {
        let (format, bytes, expected, found) = Self.damages[index]
        #expect(throws: ModelProblem(expected, found: found)) { try SurfaceModel(bytes, format) }
    }

    @Test("of too many points an even part is kept, and no triangles")
    func manyPoints() throws {
        let lines = (0..<700).map { "v \($0) 0 0\n" } + ["f 1 2 3\n"]
        let model = try SurfaceModel(Array(lines.joined().utf8), .obj, atMost: 100)
        #expect(model.pointCount == 700 && model.step == 8)
        #expect(model.mesh.points.map(\.position.x) == stride(from: 0, to: 700, by: 8).map { Float($0) })
        #expect(model.isThinned && model.isWithoutItsTriangles && model.mesh.triangles.isEmpty)
    }

    @Test("big-endian PLY, polygons and nodes that are moved, scaled and mirrored")
    func others() throws {
        let quad =
            "element vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face 1\n"
            + "property list uchar short vertex_indices"
        var bytes = Array("ply\nformat binary_big_endian 1.0\n\(quad)\nend_header\n".utf8)
        for value in [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0] as [Double] { bytes.appendInteger(value.bitPattern, .big) }
        bytes += [4, 0, 0, 0, 1, 0, 2, 0, 3]
        let model = try SurfaceModel(bytes, .ply)
        #expect(model.mesh.triangles == [.init(0, 1, 2), .init(0, 2, 3)])
        #expect(model.mesh.points[2].position == SIMD3(1, 1, 0))
        // The document of our own file, with another node of as many bytes.
        let file = GLBFile.bytes(Self.mesh)
        let text = String(decoding: file, as: UTF8.self)
        #expect(text.contains(#""nodes":[{"name":"map","mesh":0}]"#))
        let node = Array(#""nodes":[{"name":"map","mesh":0}]"#.utf8)
        let start = try #require(file.indices.first { file[$0...].starts(with: node) })
        let moved =
            file[..<start] + Array(#""nodes":[{"scale":[-2,1,1],"mesh":0,"translation":[9,0,0]}]"#.utf8)
            + file[(start + node.count)...]
        // The lengths of the JSON and of the file, which count these bytes; padded to four.
        var made = Array(moved)
        let more = made.count - file.count
        let end = 20 + Int(file[12]) + Int(file[13]) << 8 + more
        made.insert(contentsOf: [UInt8](repeating: 32, count: (4 - more % 4) % 4), at: end)
        made.replaceInteger(at: 8, with: UInt32(made.count))
        made.replaceInteger(at: 12, with: UInt32(end - 20 + (4 - more % 4) % 4))
        let scene = try SurfaceModel(made, .glb)
        #expect(scene.mesh.points.map(\.position.x) == Self.mesh.points.map { 9 - 2 * $0.position.x })
        #expect(scene.mesh.triangles == [.init(0, 1, 2), .init(1, 3, 2)])
    }

    // MARK: - Plans

    private static let yaml = "image: a.pgm\nresolution: 0.05\norigin: [-1, 2, 0.5]\nnegate: 0\n"

    @Test("a plan is read by nav2's rules, its first row last")
    func plan() throws {
        let image = Array("P5\n# a\n3 2\n255\n".utf8) + [0, 254, 205, 255, 100, 60]
        let description = try FloorPlan.Description(parsing: Self.yaml)
        let plan = try FloorPlan(description, image: image)
        #expect(description.image == "a.pgm" && plan.width == 3 && plan.height == 2 && plan.resolutionMetres == 0.05)
        #expect(plan.origin == (-1, 2, 0.5) && plan.cells == [0, -1, 100, 100, 0, -1])
        let raw = try FloorPlan(try .init(parsing: Self.yaml + "mode: raw\n"), image: image)
        #expect(raw.cells == [-1, 100, 60, 0, -1, -1])
        let scale = try FloorPlan(try .init(parsing: Self.yaml + "mode: scale\n"), image: image)
        #expect(scale.cells[0] == 0 && scale.cells[3] == 100 && (80...100).contains(scale.cells[1]))
    }

    @Test("what is no plan is told")
    func damagedPlans() throws {
        let texts = [
            ("a: [", "YAML"), ("a: 1", "the name of an image"), ("image: a", "a number for resolution"),
            (Self.yaml.replacing("0.05", with: "0"), "a resolution of 0.0001 to 1000 metres"),
            (Self.yaml.replacing(", 0.5", with: ""), "three numbers for origin"),
            (Self.yaml + "mode: odd\n", "mode trinary, scale or raw"),
        ]
        for (text, expected) in texts {
            let problem = #expect(throws: ModelProblem.self) { try FloorPlan.Description(parsing: text) }
            #expect(problem?.expected == expected, "\(text)")
        }
        let description = try FloorPlan.Description(parsing: Self.yaml)
        let images = [
            ("", "an image in PGM (P5) or PNG"), ("P5 3", "a width, a height and at most 255"),
            ("P5 3 2 255\nabc", "6 pixels"), ("P5 9999999 9999999 255\n", "at most 40000000 cells"),
        ]
        for (image, expected) in images {
            let problem = #expect(throws: ModelProblem.self) { try FloorPlan(description, image: Array(image.utf8)) }
            #expect(problem?.expected == expected, "\(image)")
        }
    }
}
