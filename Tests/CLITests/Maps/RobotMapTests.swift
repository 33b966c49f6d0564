import Foundation
import TestSupport
import Testing

/// `map -o NAME.yaml`, `.bt` and `.tif`: maps for robots.
@Suite(.serialized) struct RobotMapTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var map: String
        var image: String?
        var width: Int
        var height: Int
        var resolution_m: Double
        var free_m2: Double
        var occupied_m2: Double
        var floor_tilt_deg: Double
        var frames_fused: Int
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder(name))) }

    private func head(_ name: String, _ count: Int) throws -> String {
        String(decoding: try bytes(name).prefix(count), as: UTF8.self)
    }

    @Test func theNameTellsTheForm() async throws {
        let session = try await Samples.plain.value
        let nav2: Report = try await Binary.json(["map", session, "-o", folder("a.yaml"), "--json"])
        #expect(nav2.map == folder("a.yaml") && nav2.image == folder("a.pgm") && nav2.resolution_m == 0.05)
        #expect(nav2.free_m2 > 4 && nav2.occupied_m2 > 0.5 && nav2.floor_tilt_deg <= 0.2 && nav2.frames_fused > 5)
        #expect(try head("a.pgm", 60).hasPrefix("P5\n\(nav2.width) \(nav2.height)\n255\n"))
        #expect(try bytes("a.pgm").suffix(nav2.width * nav2.height).allSatisfy { [0, 205, 254].contains($0) })
        let yaml = try head("a.yaml", 1000)
        #expect(yaml.contains("\nimage: \"a.pgm\"\nmode: trinary\nresolution: 0.05\norigin: [-"))
        let text = try await Binary.succeed(["map", session, "-o", folder("a.bt")])
        #expect(text.contains("occupied, ") && text.contains(" nodes"))
        #expect(try head("a.bt", 28) == "# Octomap OcTree binary file")
        let heights: Report = try await Binary.json(["map", session, "-o", folder("a.tif"), "--json"])
        #expect(heights.width == nav2.width && heights.image == nil)
        #expect(try head("a.tif", 3) == "II*")
        // A larger cell, and another image.
        let steps = ["map", session, "-o", folder("b.yaml"), "--map-mode", "scale", "--voxel-size", "0.1", "--json"]
        let coarse: Report = try await Binary.json(steps)
        #expect(coarse.width < nav2.width && coarse.image == folder("b.png"))
        #expect(try bytes("b.png").prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        // Files of such maps are replaced, where that is asked for.
        #expect(try await Binary.run(steps).status == 73)
        try await Binary.succeed(steps + ["--force"])
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("b.png")))
        #expect(try await Binary.run(steps + ["--force"]).status == 73)
    }

    @Test func theSameBytesWithAnyNumberOfWorkers() async throws {
        let session = try await Samples.plain.value
        for ending in ["yaml", "bt", "tif"] {
            for jobs in ["1", "4"] {
                try await Binary.succeed(["map", session, "-o", folder("a.\(ending)"), "-j", jobs, "--force"])
                try FileManager.default.copyItem(atPath: folder("a.\(ending)"), toPath: folder("\(jobs).\(ending)"))
            }
            #expect(try bytes("1.\(ending)") == bytes("4.\(ending)"))
        }
    }

    @Test func withoutAFloorNoMapIsMadeUp() async throws {
        let session = folder("wall")
        let shape = ["--walk", "wall", "--duration", "2", "--fps", "10", "--size", "256x192"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        let outcome = try await Binary.run(["map", session, "-o", folder("a.yaml")])
        #expect(outcome.status == 65 && outcome.errors.contains("floor: expected a level surface"), "\(outcome)")
        let manager = FileManager.default
        #expect(!manager.fileExists(atPath: folder("a.yaml")) && !manager.fileExists(atPath: folder("a.pgm")))
        try await Binary.succeed(["map", session, "-o", folder("a.bt")])
        // Nothing of the kind is in a bag either, which says so.
        let text = try await Binary.succeed(["bag", session, "-o", folder("bag"), "--topics", "/map", "/tf"])
        #expect(text.contains("no floor was seen below the camera"), "\(text)")
    }

    @Test func optionsThatMeanNothingAreRefused() async throws {
        let session = try await Samples.plain.value
        for (name, option) in [
            ("a.ply", "--min-height=0.1"), ("a.bt", "--max-height=1"), ("a.tif", "--map-mode=raw"),
            ("a.yaml", "--min-component=1"), ("a.bt", "--cloud"), ("a.yaml", "--voxel-size=0.001"),
            ("a.tif", "--max-height=0.01"), ("a.yaml", "--min-height=-1"),
        ] {
            let outcome = try await Binary.run(["map", session, "-o", folder(name), option])
            let shown = option.prefix { $0 != "=" }
            #expect(outcome.status == 2 && outcome.errors.contains("\(shown): expected"), "\(option): \(outcome)")
        }
    }
}
