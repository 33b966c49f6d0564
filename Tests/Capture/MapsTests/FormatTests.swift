import Foundation
import Maps
import Platform
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite("Files of maps")
struct FormatTests {
    /// Two triangles that share an edge, with numbers that no other field has.
    private static let mesh = SurfaceMesh(
        points: [
            point(SIMD3(0.5, -1.25, 3), SIMD3(0, 1, 0), 0xFF_0010),
            point(SIMD3(1.5, -1.25, 3), SIMD3(1, 0, 0), 0x20_4080),
            point(SIMD3(0.5, -1.25, 4), SIMD3(0, 0, -1), 0x00_0000),
            point(SIMD3(1.5, -1, 4.5), SIMD3(0, -1, 0), 0xFF_FFFF),
        ],
        triangles: [.init(0, 2, 1), .init(1, 2, 3)]
    )

    private static func point(_ position: SIMD3<Float>, _ normal: SIMD3<Float>, _ colour: UInt32) -> SurfacePoint {
        SurfacePoint(position: position, normal: normal, colour: colour, weight: position.x / 4, count: 7)
    }

    private struct Judged: Decodable, Equatable {
        var positions: [[Float]]
        var normals: [[Float]]
        var colours: [[Int]]
        var faces: [[Int]]?
        var weights: [Float]?
    }

    private static func expected(hasFaces: Bool, hasWeights: Bool) -> Judged {
        Judged(
            positions: mesh.points.map { [$0.position.x, $0.position.y, $0.position.z] },
            normals: mesh.points.map { [$0.normal.x, $0.normal.y, $0.normal.z] },
            colours: mesh.points.map { [Int($0.colour >> 16), Int($0.colour >> 8 & 255), Int($0.colour & 255)] },
            faces: hasFaces ? mesh.triangles.map { [Int($0.a), Int($0.b), Int($0.c)] } : nil,
            weights: hasWeights ? mesh.points.map(\.weight) : nil
        )
    }

    /// What `tools/peers/read_map.py` finds in a file.
    private static func judge(_ bytes: [UInt8], _ name: String) async throws -> Judged {
        let directory = try TemporaryDirectory()
        let path = directory.appending(name).string
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let script = Checkout.path("tools/peers/read_map.py").string
        let output = try await PeerPython.runAside([script, path]).outputOfSuccess()
        return try JSONDecoder().decode(Judged.self, from: Data(output.utf8))
    }

    /// A map that no picture showed, and one that lies 80 km away.
    @Test("no colours where there are none, and places far away as exact as near ones")
    func properties() {
        var bare = Self.mesh
        bare.points = bare.points.map {
            SurfacePoint(position: $0.position, normal: $0.normal, colour: nil, weight: 1, count: 0)
        }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(1500), as: UTF8.self) }
        #expect(text(PLYFile.bytes(Self.mesh)).contains("property uchar red"))
        #expect(!text(PLYFile.bytes(bare)).contains("uchar red") && !text(PLYFile.cloud(bare)).contains("uchar red"))
        #expect(text(PCDFile.bytes(Self.mesh)).contains("rgb") && !text(PCDFile.bytes(bare)).contains("rgb"))
        #expect(text(GLBFile.bytes(Self.mesh)).contains("COLOR_0") && !text(GLBFile.bytes(bare)).contains("COLOR_0"))
        var far = Self.mesh
        far.origin = Vector3(80_000.125, -3, 0.5)
        let bytes = PLYFile.bytes(far)
        #expect(text(bytes).contains("property double x"))
        let start = text(bytes).utf8.count - (text(bytes).components(separatedBy: "end_header\n").last?.utf8.count ?? 0)
        let x = bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(Double(bitPattern: x) == 80_000.625)
        #expect(text(GLBFile.bytes(far)).contains(#""translation":[80000.125,-3.0,0.5]"#))
        #expect(text(PCDFile.bytes(far)).contains("SIZE 8 8 8 4 4 4 4 4"))
    }

    @Test("height where no picture showed any of it, and in words what the colours are")
    func heights() throws {
        let points = (0..<1000).map { step in
            let place = SIMD3<Float>(2, Float(step) / 400, 1)
            return SurfacePoint(position: place, normal: SIMD3(0, 1, 0), colour: nil, weight: 1, count: 1)
        }
        let bare = SurfaceMesh(points: points, triangles: [.init(0, 1, 2)], origin: Vector3(0, 80_000, 0))
        let seen = bare.colouredByHeight()
        #expect(seen.hasColours && seen.triangles == bare.triangles && seen.origin == bare.origin)
        #expect(seen.points.map(\.position) == points.map(\.position))
        #expect(Set(seen.points.map(\.colour)).count > 150)
        let light = seen.points.map { 2 * ($0.colour >> 16) + 5 * ($0.colour >> 8 & 255) + ($0.colour & 255) }
        #expect(zip(light, light.dropFirst()).allSatisfy { $0 <= $1 + 4 } && light[999] > 4 * light[0])
        // Where a picture showed a point all stays as it is.
        var partly = bare
        partly.points[7] = Self.point(SIMD3(0, 0, 0), SIMD3(0, 1, 0), 0x20_4080)
        #expect(partly.colouredByHeight() == partly && Self.mesh.colouredByHeight() == Self.mesh)

        let remark = "colours " + SurfaceMesh.byHeight
        let glb = String(decoding: GLBFile.bytes(seen, remark: remark).prefix(1500), as: UTF8.self)
        #expect(glb.contains(#""extras":{"remark":"colours by height: no image showed the surface"}},"scene":0"#))
        #expect(GLBFile.bytes(Self.mesh, remark: nil) == GLBFile.bytes(Self.mesh))
        for (said, records, length) in [(nil, 0, 0), (remark, 1, 54 + remark.utf8.count + 1)] as [(String?, Int, Int)] {
            let description = LASFile.Description(software: "test", remark: said)
            let las = try #require(LASFile.bytes(seen.points, description) { Vector3($0) })
            // Where points begin, and how many records are before them (LAS 1.4, 2.4).
            func number(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(las[place + $1]) << (8 * $1) } }
            #expect(number(96) == 375 + length && number(100) == records && las.count == 375 + length + 36 * 1000)
            let text = String(decoding: las[375..<375 + length], as: UTF8.self)
            #expect(text.hasSuffix(said.map { $0 + "\0" } ?? "") && text.contains("LASF_Spec") == (said != nil))
        }
    }

    @Test(
        "plyfile reads a mesh as it is",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func plyMesh() async throws {
        #expect(
            try await Self.judge(PLYFile.bytes(Self.mesh), "a.ply") == Self.expected(hasFaces: true, hasWeights: false)
        )
    }

    @Test(
        "plyfile reads points with their weights",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func plyPoints() async throws {
        let judged = try await Self.judge(PLYFile.cloud(Self.mesh), "a.ply")
        #expect(judged == Self.expected(hasFaces: false, hasWeights: true))
    }

    @Test(
        "trimesh reads a binary glTF, whose colours are linear",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func glb() async throws {
        #expect(
            try await Self.judge(GLBFile.bytes(Self.mesh), "a.glb") == Self.expected(hasFaces: true, hasWeights: false)
        )
    }

    @Test(
        "trimesh reads an OBJ with colours and normals",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func obj() async throws {
        let bytes = try Self.bytes(OBJFile.content(Self.mesh))
        #expect(try await Self.judge(bytes, "a.obj") == Self.expected(hasFaces: true, hasWeights: false))
    }

    private static func bytes(_ content: FileContent) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try content.write { bytes += $0 }
        return bytes
    }

    @Test("a PCD says what follows, and it does")
    func pcd() throws {
        let bytes = PCDFile.bytes(Self.mesh)
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "DATA binary\n")
        let lines = parts[0].split(separator: "\n").dropFirst()
        #expect(
            lines.map { String($0) } == [
                "VERSION 0.7", "FIELDS x y z rgb normal_x normal_y normal_z weight", "SIZE 4 4 4 4 4 4 4 4",
                "TYPE F F F F F F F F", "COUNT 1 1 1 1 1 1 1 1", "WIDTH 4", "HEIGHT 1", "VIEWPOINT 0 0 0 1 0 0 0",
                "POINTS 4",
            ]
        )
        let body = Array(bytes.suffix(4 * 32))
        #expect(bytes.count == parts[0].utf8.count + "DATA binary\n".utf8.count + body.count)
        for (index, point) in Self.mesh.points.enumerated() {
            let numbers = (0..<8).map { field in
                let start = 32 * index + 4 * field
                return (0..<4).reduce(UInt32(0)) { $0 | UInt32(body[start + $1]) << UInt32(8 * $1) }
            }
            let floats = numbers.map { Float(bitPattern: $0) }
            #expect(floats[0] == point.position.x && floats[1] == point.position.y && floats[2] == point.position.z)
            #expect(numbers[3] == point.colour && floats[6] == point.normal.z && floats[7] == point.weight)
        }
    }

    @Test(
        "an empty map has files that are read",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func empty() async throws {
        let nothing = Judged(positions: [], normals: [], colours: [], faces: [], weights: nil)
        #expect(try await Self.judge(PLYFile.bytes(SurfaceMesh()), "a.ply") == nothing)
        #expect(try await Self.judge(GLBFile.bytes(SurfaceMesh()), "a.glb") == nothing)
    }

    @Test(
        "trimesh finds a closed volume in the files of a closed surface",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["ply", "glb", "obj", "stl"]
    )
    func closed(ending: String) async throws {
        var scene = MapScene()
        scene.spheres = [(SIMD3(0.1, 0.2, 0.3), 0.25)]
        let frames = try MapScene.poses(around: SIMD3(0.1, 0.2, 0.3), distance: 1, count: 24)
            .map { try MapScene.frame(scene.view($0)) }
        let mesh = await MeshExtractor(try MapScene.field(frames)).mesh()
        let directory = try TemporaryDirectory()
        let path = directory.appending("map.\(ending)").string
        let bytes =
            switch ending {
            case "ply": PLYFile.bytes(mesh)
            case "glb": GLBFile.bytes(mesh)
            case "obj": try Self.bytes(OBJFile.content(mesh))
            default: try Self.bytes(#require(STLFile.content(mesh)))
            }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let code = """
            import sys, trimesh
            m = trimesh.load(sys.argv[1], force="mesh", process=False)
            # Triangles of an STL share no corners but by their places.
            m.merge_vertices()
            print([bool(m.is_watertight), bool(m.is_winding_consistent), m.euler_number, float(m.volume)])
            """
        let output = try await PeerPython.runAside(["-c", code, path]).outputOfSuccess()
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(output.hasPrefix("[True, True, 2, "))
        let volume = try #require(Double(output.dropFirst(16).dropLast()))
        let exact = 4 * Double.pi / 3 * 0.25 * 0.25 * 0.25
        #expect(abs(volume - exact) < 0.03 * exact)
    }
}
