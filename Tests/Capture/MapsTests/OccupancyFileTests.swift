import Foundation
import Maps
import Perception
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite("Files of maps for robots")
struct OccupancyFileTests {
    private static func volume() throws -> OccupancyVolume {
        try OccupancyScene.volume(OccupancyScene.room(frames: 12).frames())
    }

    private static func read<Value: Decodable>(_ peer: String, _ files: [(String, [UInt8])]) async throws -> Value {
        let directory = try TemporaryDirectory()
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: directory.appending(name).string))
        }
        let path = directory.appending(files.first?.0 ?? "").string
        let output = try await PeerPython.runAside([Checkout.path("tools/peers/\(peer)").string, path])
            .outputOfSuccess()
        return try JSONDecoder().decode(Value.self, from: Data(output.utf8))
    }

    // MARK: - nav2

    private struct GridRead: Decodable {
        var width: Int
        var height: Int
        var resolution: Double
        var origin: [Double]
        var mode: String
        var cells: [Int]
    }

    @Test(
        "nav2's rules read back what was written, in each mode",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [Nav2Map.Mode.trinary, .raw]
    )
    func nav2(mode: Nav2Map.Mode) async throws {
        let map = try OccupancyMap(try Self.volume())
        let file = Nav2Map(map, mode)
        let name = "a \"map\": 1.pgm"
        let yaml = file.yaml(image: name, comments: ["session\nof two lines"])
        let read: GridRead = try await Self.read("read_nav2_map.py", [("a.yaml", Array(yaml.utf8)), (name, file.pgm)])
        #expect(read.width == map.width && read.height == map.height && read.resolution == 0.05)
        #expect(abs(read.origin[0] - map.origin.x) < 1e-6 && abs(read.origin[1] - map.origin.y) < 1e-6)
        #expect(read.origin[2] == 0 && read.mode == mode.rawValue)
        let expected = mode == .raw ? map.likelihood : map.cells
        #expect(read.cells == expected.map { Int($0) })
        #expect(Set(map.cells) == [-1, 0, 100])
    }

    @Test("grey is read as the number that it stands for")
    func shades() {
        for value in 0...100 as ClosedRange<Int8> {
            let occupied = 1 - Double(Nav2Map.shade(value)) / 255
            let read: Double =
                occupied > Nav2Map.occupiedThreshold
                ? 100
                : occupied < Nav2Map.freeThreshold
                    ? 0
                    : ((occupied - Nav2Map.freeThreshold) / (Nav2Map.occupiedThreshold - Nav2Map.freeThreshold) * 100)
                        .rounded()
            #expect(abs(read - Double(value)) <= 1, "\(value): \(read)")
        }
        // The usual grey of what is unknown.
        #expect(1 - 205.0 / 255 >= Nav2Map.freeThreshold)
    }

    @Test("what is unknown is transparent in an image of steps")
    func steps() throws {
        let map = try OccupancyMap(try Self.volume())
        let pixels = Nav2Map(map, .scale).rgba
        #expect(pixels.count == 4 * map.cells.count)
        for index in [0, map.width / 2, map.cells.count / 2 + 7, map.cells.count - 1] {
            let (x, y) = (index % map.width, map.height - 1 - index / map.width)
            let value = map.likelihood[y * map.width + x]
            #expect(pixels[4 * index + 3] == (value < 0 ? 0 : 255))
            #expect(value < 0 || pixels[4 * index] == Nav2Map.shade(value))
        }
        #expect(Set(map.likelihood).count > 10)
    }

    // MARK: - OctoMap

    private struct TreeRead: Decodable {
        var resolution: Double
        var size: Int
        var nodes: Int
        var rest: Int
        var pruned: Bool
        var occupied: [[Int32]]
        var free: [[Int32]]
    }

    @Test(
        "an independent reader of octrees finds the cells of the volume",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func octree() async throws {
        let volume = try Self.volume()
        let file = OctoMapFile(volume, comments: ["a comment\ndata"])
        let read: TreeRead = try await Self.read("read_octomap.py", [("a.bt", file.bytes)])
        #expect(read.resolution == 0.05 && read.size == read.nodes && read.rest == 0 && read.pruned)
        #expect(read.size == file.nodeCount && read.occupied.count == file.occupiedCount)
        #expect(read.free.count == file.freeCount && file.outsideCount == 0 && file.freeCount > 100_000)
        // Cells of the file are cells of the volume; their numbers say that none is missing.
        func isWrong(_ place: [Int32], _ isOccupied: Bool) -> Bool {
            volume.cell(SIMD3(place[0], place[1], place[2]))?.isOccupied != isOccupied
        }
        #expect(read.occupied.count { isWrong($0, true) } == 0 && read.free.count { isWrong($0, false) } == 0)
        var count = 0
        for z in -50..<50 as Range<Int32> {
            for y in -100..<100 as Range<Int32> {
                for x in -100..<100 as Range<Int32> where volume.cell(SIMD3(x, y, z)) != nil { count += 1 }
            }
        }
        #expect(count == read.occupied.count + read.free.count)
    }

    @Test(
        "OctoMap's own library reads it, and writes the same nodes",
        .enabled(
            if: PeerPython.isAvailable && OctoMapLibrary.isAvailable,
            "needs the Python peers, c++ and liboctomap-dev"
        )
    )
    func library() async throws {
        struct Read: Decodable {
            var resolution: Double
            var size: Int
            var pruned: Int
            var occupied: Int
            var free: Int
        }
        let file = OctoMapFile(try Self.volume())
        let directory = try TemporaryDirectory()
        let path = directory.appending("a.bt").string
        try Data(file.bytes).write(to: URL(fileURLWithPath: path))
        let code = """
            import subprocess, sys
            reader = sys.argv[2] + ".reader"
            subprocess.run(["c++", "-o", reader, sys.argv[1], "-loctomap", "-loctomath"], check=True)
            subprocess.run([reader, sys.argv[2]], check=True)
            """
        let source = Checkout.path("tools/peers/read_octomap.cpp").string
        let output = try await PeerPython.runAside(["-c", code, source, path]).outputOfSuccess()
        let read = try JSONDecoder().decode(Read.self, from: Data(output.utf8))
        #expect(read.resolution == 0.05 && read.size == file.nodeCount && read.pruned == file.nodeCount)
        #expect(read.occupied == file.occupiedCount && read.free == file.freeCount)
        func nodes(_ bytes: Data) -> Data? { bytes.range(of: Data("\ndata\n".utf8)).map { bytes[$0.upperBound...] } }
        let again = try Data(contentsOf: URL(fileURLWithPath: path + ".again"))
        #expect(nodes(again) == nodes(Data(file.bytes)))
    }

    @Test(
        "an empty volume, and one outside of the tree, are files of nothing",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func emptyTrees() async throws {
        let empty = OctoMapFile(try OccupancyVolume())
        let read: TreeRead = try await Self.read("read_octomap.py", [("a.bt", empty.bytes)])
        #expect(read.size == 0 && read.rest == 0)
        let scene = OccupancyScene.room(frames: 1)
        let far = Transform(rotation: .identity, translation: Vector3(5000, 0, 0))
        let file = OctoMapFile(try OccupancyScene.volume(scene.frames(turnedBy: far)))
        #expect(file.outsideCount > 1000 && file.nodeCount == 0 && file.occupiedCount == 0)
    }

    // MARK: - Heights

    private struct HeightsRead: Decodable {
        var description: String
        var scale: [Double]
        var tie: [Double]
        var keys: [Int]
        var text: String
        var nodata: String
        var mode: String
        var width: Int
        var height: Int
        var heights: [Float?]
    }

    @Test(
        "Pillow reads the heights, and where they are",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func heights() async throws {
        let map = try OccupancyMap(try Self.volume())
        let file = HeightMapFile(map, description: "heights")
        let read: HeightsRead = try await Self.read("read_height_map.py", [("a.tif", try #require(file.bytes))])
        #expect(read.mode == "F" && read.width == map.width && read.height == map.height)
        #expect(read.description.hasPrefix("heights") && read.scale == [0.05, 0.05, 0] && read.nodata.hasPrefix("nan"))
        #expect(read.tie == [0, 0, 0, map.origin.x, map.origin.y + 0.05 * Double(map.height), 0])
        #expect(Array(read.keys.prefix(8)) == [1, 1, 0, 4, 1024, 0, 1, 32_767])
        for (index, height) in read.heights.enumerated() {
            let (x, y) = (index % map.width, map.height - 1 - index / map.width)
            let own = map.heights[y * map.width + x]
            #expect(height == (own.isNaN ? nil : own))
        }
        // The floor, and the seat of the sofa.
        let known = read.heights.compactMap(\.self)
        #expect(known.count { abs($0) < 0.02 } > 2000 && known.count { abs($0 - 0.43) < 0.02 } > 200)
        #expect(known.allSatisfy { $0 < 1.801 })
    }

    @Test("turned to the north each pixel has the height of the cell below it")
    func turned() throws {
        let map = try OccupancyMap(try Self.volume())
        let angle = 0.6
        func place(_ x: Double, _ y: Double) -> (east: Double, north: Double) {
            (
                500_000 + 0.9996 * (cos(angle) * x - sin(angle) * y),
                4_649_000 + 0.9996 * (sin(angle) * x + cos(angle) * y)
            )
        }
        let file = try HeightMapFile(map, epsgCode: 32_633, limit: 1_000_000, description: "", place: place)
        var (same, wrong) = (0, 0)
        for y in 0..<map.height {
            for x in 0..<map.width {
                let (east, north) = place(
                    map.origin.x + (Double(x) + 0.5) * 0.05,
                    map.origin.y + (Double(y) + 0.5) * 0.05
                )
                let column = Int(((east - file.left) / 0.05).rounded(.down))
                let row = Int(((file.top - north) / 0.05).rounded(.down))
                try #require((0..<file.width).contains(column) && (0..<file.height).contains(row))
                let (one, other) = (map.heights[y * map.width + x], file.heights[row * file.width + column])
                if one.isNaN || other.isNaN { continue }
                // A neighbour's at most.
                if abs(one - other) < 0.02 { same += 1 } else { wrong += 1 }
            }
        }
        #expect(same > 2000 && wrong * 12 < same, "\(wrong) of \(same)")
        #expect(file.coordinates == .projected(epsgCode: 32_633) && file.bytes != nil)
        #expect(throws: OversizeMap.self) {
            try HeightMapFile(map, epsgCode: 1, limit: 100, description: "", place: place)
        }
        #expect(throws: OversizeMap.self) {
            try HeightMapFile(map, epsgCode: 1, limit: 100, description: "") { _, _ in (.nan, .infinity) }
        }
    }
}

/// OctoMap's library, where a compiler and its headers are.
private enum OctoMapLibrary {
    static var isAvailable: Bool {
        ["/usr/bin/c++", "/usr/include/octomap/octomap.h"].allSatisfy { FileManager.default.fileExists(atPath: $0) }
    }
}
