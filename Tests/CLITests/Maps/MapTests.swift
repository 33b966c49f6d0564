import Foundation
import TestSupport
import Testing

/// `map`: one mesh or cloud of a whole session.
@Suite(.serialized) struct MapTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var frames: Int
        var frames_with_depth: Int
        var frames_fused: Int
        var points: Int
        var triangles: Int
        var points_without_colour: Int
        var field_bytes: Int
        var without_depth: Int
        var frames_without_room: Int
        var pose_jumps: Int
        var problems: [Problem]

        struct Problem: Decodable {
            var kind: String
            var count: Int
        }
    }

    private func head(_ path: String, _ count: Int) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)).prefix(count), as: UTF8.self)
    }

    @Test func theNameTellsTheForm() async throws {
        let session = try await Samples.plain.value
        for name in ["a.ply", "a.glb", "a.pcd", "a.OBJ", "a.stl"] {
            let report: Report = try await Binary.json(["map", session, "-o", folder(name), "--json"])
            #expect(report.frames == 40 && report.frames_with_depth == 40 && report.pose_jumps == 0)
            #expect(report.frames_fused > 5 && report.frames_fused <= 40)
            #expect(report.points > 30_000 && report.triangles > report.points && report.problems.isEmpty)
        }
        let ply = try head(folder("a.ply"), 600)
        #expect(ply.hasPrefix("ply\nformat binary_little_endian 1.0\ncomment mapeverything"))
        #expect(ply.contains("comment frame map (x, y, z up), metres\n") && ply.contains("element face"))
        #expect(try head(folder("a.glb"), 4) == "glTF")
        #expect(try head(folder("a.pcd"), 22) == "# .PCD v0.7 - Point Cl")
        #expect(try head(folder("a.OBJ"), 15) == "# Wavefront OBJ" && head(folder("a.stl"), 10) == "binary STL")
        try await Binary.succeed(["map", session, "-o", folder("cloud.ply"), "--cloud"])
        let cloud = try head(folder("cloud.ply"), 600)
        #expect(cloud.contains("property float scalar_weight") && !cloud.contains("element face"))
    }

    private struct Surface: Decodable {
        var positions: [[Double]]
        var colours: [[Int]]
        var faces: [[Int]]
    }

    private struct Triangles: Decodable {
        var triangles: Int
        var area: Double
        var bounds: [[Double]]
    }

    @Test(
        "others read the same surface in .obj and .stl as in .ply",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func plainFiles() async throws {
        let session = try await Samples.plain.value
        for ending in ["ply", "obj", "stl"] {
            try await Binary.succeed(["map", session, "-o", folder("a.\(ending)"), "--voxel-size", "0.08"])
        }
        func read<Value: Decodable>(_ name: String) async throws -> Value {
            let words = [Repository.path("tools/peers/read_map.py"), folder(name)]
            let text = try await PeerPython.runAside(words).outputOfSuccess()
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
        let (ply, obj): (Surface, Surface) = try await (read("a.ply"), read("a.obj"))
        let stl: Triangles = try await read("a.stl")
        try #require(ply.faces.count > 1000 && ply.positions.count == obj.positions.count)
        #expect(ply.faces == obj.faces && ply.colours == obj.colours)
        for (one, other) in zip(ply.positions, obj.positions) {
            #expect(zip(one, other).allSatisfy { abs($0 - $1) < 6e-6 })
        }
        var area = 0.0
        for face in ply.faces {
            let (a, b, c) = (ply.positions[face[0]], ply.positions[face[1]], ply.positions[face[2]])
            let (u, v) = (zip(b, a).map { $0 - $1 }, zip(c, a).map { $0 - $1 })
            let (x, y, z) = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            area += (x * x + y * y + z * z).squareRoot() / 2
        }
        // Triangles without an area are no triangles to that reader.
        #expect(abs(stl.area - area) < 1e-3 * area && stl.triangles > ply.faces.count * 99 / 100, "\(stl) \(area)")
        for axis in 0..<3 {
            let values = ply.positions.map { $0[axis] }
            #expect(abs((values.min() ?? 0) - stl.bounds[0][axis]) < 1e-5)
            #expect(abs((values.max() ?? 0) - stl.bounds[1][axis]) < 1e-5)
        }
        try await Binary.run(["map", session, "-o", folder("b.stl"), "--cloud"]).expectError(2, naming: "--cloud")
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func surveyorsFindThePointsOnTheEarth() async throws {
        let session = try await Samples.full.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record"])
        try await Binary.succeed(["export", session, "--to", "ply", "-o", folder("a.ply"), "--voxel-size", "0.05"])
        let output = try await Binary.succeed(
            ["export", session, "--to", "las", "-o", folder("a.las"), "--voxel-size", "0.05"]
        )
        #expect(output.contains("WGS 84 / UTM zone 32N (EPSG:32632)"), "\(output)")
        let judge = [Repository.path("tools/peers/check_las.py"), folder("a.las"), folder("a.ply")]
        let verdict = try await PeerPython.runAside(judge + [folder("bag")])
        #expect(verdict.status == 0, "\(verdict.everything)")
        // Without a place on the Earth the file claims none.
        let local = try await Samples.plain.value
        try await Binary.succeed(["export", local, "--to", "ply", "-o", folder("b.ply"), "--voxel-size", "0.05"])
        let text = try await Binary.succeed(["map", local, "-o", folder("b.las"), "--voxel-size", "0.05"])
        #expect(text.contains("coordinates  local: those of the frame map"), "\(text)")
        let plain = [Repository.path("tools/peers/check_las.py"), folder("b.las"), folder("b.ply")]
        let second = try await PeerPython.runAside(plain)
        #expect(second.status == 0, "\(second.everything)")
    }

    @Test func aFolderGetsAFileOfTheSessionsName() async throws {
        let session = try await Samples.plain.value
        let output = try await Binary.succeed(["map", session, "-o", folder(""), "--voxel-size", "0.05"])
        #expect(output.contains("plain.ply"))
        #expect(try head(folder("plain.ply"), 3) == "ply")
    }

    @Test func theSameBytesWithAnyNumberOfWorkers() async throws {
        let session = try await Samples.plain.value
        var files: [Data] = []
        for jobs in ["1", "2", "5"] {
            try await Binary.succeed(["map", session, "-o", folder("\(jobs).ply"), "-j", jobs])
            files.append(try Data(contentsOf: URL(fileURLWithPath: folder("\(jobs).ply"))))
        }
        #expect(files[0] == files[1] && files[0] == files[2])
    }

    /// What a mesh says of itself, and of its points heights and colours.
    private func mesh(_ path: String) throws -> (head: String, points: [(height: Float, colour: [UInt8])]) {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let end = try #require(data.range(of: Data("end_header\n".utf8))).upperBound
        let head = String(decoding: data[..<end], as: UTF8.self)
        let count = try #require(
            head.components(separatedBy: "element vertex ").last.flatMap { Int($0.prefix { $0.isNumber }) }
        )
        let bytes = [UInt8](data[end...])
        // Three numbers of a place, three of a normal, and a colour.
        let points = (0..<count).map { index in
            let place = 27 * index
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + 8 + $1]) << (8 * UInt32($1)) }
            return (Float(bitPattern: bits), Array(bytes[place + 24..<place + 27]))
        }
        return (head, points)
    }

    @Test("no colour is height, the brighter the higher, and said; with images there is no word of it")
    func heights() async throws {
        let session = folder("dark")
        let shape = ["--duration", "2", "--fps", "5", "--size", "160x120"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        let remark = "by height: no image showed the surface"
        let coloured = try await Binary.succeed(["map", session, "-o", folder("a.ply"), "--voxel-size", "0.05"])
        #expect(!coloured.contains("by height"))
        #expect(try !mesh(folder("a.ply")).head.contains("by height"))
        try FileManager.default.removeItem(atPath: session + "/rgb")
        let text = try await Binary.succeed(["map", session, "-o", folder("b.ply"), "--voxel-size", "0.05"])
        #expect(text.contains("colours    \(remark)\n"), "\(text)")
        let (words, points) = try mesh(folder("b.ply"))
        #expect(words.contains("comment colours \(remark)\n") && words.contains("property uchar red"))
        #expect(Set(points.map(\.colour)).count > 100)
        let light = points.sorted { $0.height < $1.height }.map { 2 * Int($0.colour[0]) + 5 * Int($0.colour[1]) }
        let tenth = light.count / 10
        let means = (0..<10).map { part in light[part * tenth..<(part + 1) * tenth].reduce(0, +) / tenth }
        #expect(zip(means, means.dropFirst()).allSatisfy { $0 <= $1 + 4 } && means[9] > 2 * means[0], "\(means)")
        // The other forms say it, too, and `export` as `map`.
        for name in ["b.glb", "b.pcd", "b.obj", "b.las"] {
            let to = String(name.suffix(3))
            try await Binary.succeed(["export", session, "--to", to, "-o", folder(name), "--voxel-size", "0.05"])
            #expect(try head(folder(name), 2000).contains("colours " + remark), "\(name)")
        }
        struct Colours: Decodable {
            var colours: String
            var points: Int
            var points_without_colour: Int
        }
        let arguments = ["--voxel-size", "0.05", "--json"]
        let report: Colours = try await Binary.json(["map", session, "-o", folder("c.ply")] + arguments)
        #expect(report.colours == "height" && report.points_without_colour == report.points)
    }

    /// The corners and triangles of a .ply, read by its layout.
    private func ply(_ path: String) throws -> (places: [SIMD3<Float>], triangles: [[Int]]) {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let end = try #require(data.range(of: Data("end_header\n".utf8))).upperBound
        let head = String(decoding: data[..<end], as: UTF8.self)
        let points = try #require(head.firstMatch(of: /element vertex (\d+)/).flatMap { Int($0.1) })
        let faces = try #require(head.firstMatch(of: /element face (\d+)/).flatMap { Int($0.1) })
        let bytes = [UInt8](data[end...])
        try #require(bytes.count == 27 * points + 13 * faces)
        let places = (0..<points).map { place(bytes, 27 * $0) }
        let triangles = (0..<faces).map { face in
            (0..<3).map { Int(word(bytes, 27 * points + 13 * face + 1 + 4 * $0)) }
        }
        return (places, triangles)
    }

    private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
    }

    private func place(_ bytes: [UInt8], _ offset: Int) -> SIMD3<Float> {
        let numbers = (0..<3).map { Float(bitPattern: word(bytes, offset + 4 * $0)) }
        return SIMD3(numbers[0], numbers[1], numbers[2])
    }

    @Test("an .obj and an .stl have the corners and triangles of the .ply, from `map` and from `export`")
    func otherMeshesAreTheSame() async throws {
        let session = try await Samples.plain.value
        let coarse = ["--voxel-size", "0.05"]
        for name in ["a.ply", "a.obj", "a.stl"] {
            let report: Report = try await Binary.json(["map", session, "-o", folder(name), "--json"] + coarse)
            #expect(report.triangles > 1000 && (report.points_without_colour == report.points) == (name == "a.stl"))
        }
        let (places, triangles) = try ply(folder("a.ply"))
        let text = try String(contentsOfFile: folder("a.obj"), encoding: .utf8)
        #expect(text.hasPrefix("# Wavefront OBJ\n# mapeverything"))
        #expect(text.contains("\n# frame map (x, y, z up), metres\nv "))
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        let corners = lines.filter { $0[0] == "v" }.map { $0[1...3].compactMap { Float($0) } }
        #expect(corners == places.map { [$0.x, $0.y, $0.z] })
        let faces = lines.filter { $0[0] == "f" }.map { $0.dropFirst().compactMap { Int($0.prefix { $0 != "/" }) } }
        #expect(faces == triangles.map { $0.map { $0 + 1 } })
        #expect(lines.filter { $0[0] == "v" }.allSatisfy { $0.count == 7 })

        let stl = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder("a.stl"))))
        #expect(Int(word(stl, 80)) == triangles.count && stl.count == 84 + 50 * triangles.count)
        for (index, triangle) in triangles.enumerated() {
            let start = 84 + 50 * index + 12
            let read = [0, 12, 24].map { place(stl, start + $0) }
            try #require(read == triangle.map { places[$0] })
        }

        for name in ["obj", "STL"] {
            let output = try await Binary.succeed(["export", session, "--to", name, "-o", folder(name)] + coarse)
            #expect(output.contains("none: STL has no place for them") == (name == "STL"), "\(output)")
            let path = folder("a." + name.lowercased())
            #expect(FileManager.default.contentsEqual(atPath: folder(name), andPath: path))
        }
        // Points alone have neither normals nor triangles.
        try await Binary.succeed(["map", session, "-o", folder("cloud.obj"), "--cloud"] + coarse)
        let cloud = try String(contentsOfFile: folder("cloud.obj"), encoding: .utf8).split(separator: "\n")
        #expect(cloud.count { $0.hasPrefix("v ") } == places.count)
        #expect(cloud.allSatisfy { $0.hasPrefix("v ") || $0.hasPrefix("#") })
        // What is ours is replaced.
        try await Binary.succeed(["map", session, "-o", folder("a.obj"), "--cloud", "--force"] + coarse)
        try await Binary.succeed(["map", session, "-o", folder("a.stl"), "--force"] + coarse)
    }

    /// In `map` the clouds of a bag and the mesh lie on one another: both are the same room.
    @Test func theMeshHasTheAxesOfTheBag() async throws {
        let session = try await Samples.plain.value
        try await Binary.succeed(["map", session, "-o", folder("a.pcd")])
        let text = try Data(contentsOf: URL(fileURLWithPath: folder("a.pcd")))
        let marker = try #require(text.range(of: Data("DATA binary\n".utf8)))
        let bytes = [UInt8](text[marker.upperBound...])
        #expect(bytes.count > 1_000_000 && bytes.count.isMultiple(of: 32))
        func number(_ place: Int) -> Float {
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) })
        }
        // The room's floor is 1.42 m below the camera's start, its ceiling 1.18 m above: truth.json says so.
        let heights = stride(from: 0, to: bytes.count, by: 32).map { number($0 + 8) }
        #expect(abs((heights.min() ?? 0) + 1.42) < 0.03)
        #expect((heights.max() ?? 9) < 1.21)
    }

    @Test func aFileIsReplacedOnlyIfForced() async throws {
        let session = try await Samples.plain.value
        let path = folder("a.ply")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        // A file of another kind is replaced by nothing.
        try await Binary.run(["map", session, "-o", path, "--force"]).expectError(73, naming: path, "another file")
        #expect(try head(path, 10) == "mine")
        try Data("ply\ncomment mapeverything".utf8).write(to: URL(fileURLWithPath: path))
        try await Binary.run(["map", session, "-o", path]).expectError(73, naming: path, "does not exist yet")
        #expect(try head(path, 11) == "ply\ncomment")
        try await Binary.succeed(["map", session, "-o", path, "--force", "--voxel-size", "0.1"])
        #expect(try head(path, 3) == "ply")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["a.ply"])
    }

    @Test func whatCannotBeMeantIsRefusedBeforeAnythingIsRead() async throws {
        let none = folder("none")
        for arguments in [
            ["-o", folder("a.ply"), "--voxel-size", "0"], ["-o", folder("a.ply"), "--min-component=-1"],
            ["-o", folder("a.ply"), "--max-memory", "12"], ["-o", folder("a.ply"), "-j", "0"],
            ["-o", folder("a.ply"), "--min-confidence", "3"],
        ] {
            let outcome = try await Binary.run(["map", none] + arguments)
            outcome.expectError(2, naming: String(arguments[2].prefix { $0 != "=" }))
        }
        let session = try await Samples.plain.value
        try await Binary.run(["map", session, "-o", folder("a.off")])
            .expectError(2, naming: "--output", "a.off; take .ply", "help formats")
        try await Binary.run(["map", session, "-o", folder("a.glb"), "--cloud"]).expectError(2, naming: "--cloud")
        try await Binary.run(["map", session, "-o", folder("a.stl"), "--cloud"])
            .expectError(2, naming: "--cloud", "STL has triangles alone")
        try await Binary.run(["map", session, "-o", folder("no/a.ply")]).expectError(73, naming: folder("no"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")).isEmpty)
    }

    @Test func withoutDepthThereIsNoFile() async throws {
        let session = folder("session")
        let shape = ["--duration", "1", "--fps", "10", "--size", "64x48"]
        try await Binary.succeed(["sample", "-o", session, "--no-lidar"] + shape)
        let outcome = try await Binary.run(["map", session, "-o", folder("a.ply")])
        outcome.expectError(65, naming: "session", "10 frames", "0 with depth")
        #expect(!FileManager.default.fileExists(atPath: folder("a.ply")))
    }

    @Test func framesThatAreNotTrustedAreLeftOutAndCounted() async throws {
        let session = folder("session")
        let shape = ["--duration", "1", "--fps", "10", "--size", "64x48"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        let lines = URL(fileURLWithPath: session + "/frames.jsonl")
        let text = try String(contentsOf: lines, encoding: .utf8)
        try text.replacing("\"tracking_state\":\"normal\"", with: "\"tracking_state\":\"limited_motion\"")
            .write(to: lines, atomically: true, encoding: .utf8)
        try await Binary.run(["map", session, "-o", folder("a.ply")])
            .expectError(65, naming: "0 frames with trusted poses", "10 frames of limited tracking")
        let report: Report = try await Binary.json(
            ["map", session, "-o", folder("a.ply"), "--keep-limited-tracking", "--json"]
        )
        #expect(report.frames == 10 && report.frames_fused > 0)
    }

    @Test func cutDepthFilesAreSkippedAndCounted() async throws {
        let session = folder("session")
        let shape = ["--duration", "1", "--fps", "10", "--size", "64x48"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        for frame in ["000002", "000005"] {
            let file = URL(fileURLWithPath: "\(session)/depth/\(frame).bin")
            try Data(contentsOf: file).prefix(1000).write(to: file)
        }
        let report: Report = try await Binary.json(["map", session, "-o", folder("a.ply"), "--all-frames", "--json"])
        #expect(report.frames == 10 && report.frames_with_depth == 8 && report.frames_fused == 8)
        #expect(report.problems.map(\.kind) == ["wrongDepthSize"] && report.problems.map(\.count) == [2])
        let strict = try await Binary.run(["map", session, "-o", folder("b.ply"), "--every", "--strict"])
        #expect(strict.status == 1)
        #expect(strict.output.contains("skipped: depth file of the wrong size; the frame's depth is dropped (2 times)"))
    }

    @Test func aMapThatIsFullSaysSo() async throws {
        let session = try await Samples.plain.value
        let outcome = try await Binary.run(
            ["map", session, "-o", folder("a.ply"), "--max-memory", "2MB", "--strict"]
        )
        #expect(outcome.status == 1 && outcome.output.contains("frames needed more than --max-memory"))
        let report: Report = try await Binary.json(
            ["map", session, "-o", folder("b.ply"), "--max-memory", "2MB", "--json"]
        )
        #expect(report.frames_without_room > 0 && report.field_bytes <= 2_000_000 && report.triangles > 1000)
    }

    @Test func relativeDepthIsFusedInMetres() async throws {
        let session = try await Samples.full.value
        let report: Report = try await Binary.json(
            ["map", session, "-o", folder("a.ply"), "--depth", "relative", "--json"]
        )
        #expect(report.frames_fused > 5 && report.triangles > 30_000)
        let part: Report = try await Binary.json(
            ["map", session, "-o", folder("b.ply"), "--start", "1", "--duration", "1", "--all-frames", "--json"]
        )
        #expect(part.frames_fused >= 10 && part.frames_fused <= 11)
    }
}
