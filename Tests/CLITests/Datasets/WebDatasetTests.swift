import Foundation
import TestSupport
import Testing

/// `export --to webdataset`: samples in tar files.
@Suite struct WebDatasetTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Found: Decodable {
        var keys: [String]
        var equal_images: Int
        var place_m: Double
        var depth_mm: Double
        var depth_size: [Int]
    }

    @Test(
        "webdataset reads each frame's image, depth and camera; nothing else is in the folder",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func samples() async throws {
        let room = folder("my.room")
        try await Binary.succeed(["sample", "-o", room, "--duration", "1", "--fps", "10", "--size", "320x240"])
        try await Binary.succeed(["export", room, "--to", "webdataset", "-o", folder("shards")])
        let found: Found = try await Peer.json("read_shards.py", [folder("shards"), room])
        #expect(found.keys == (0..<10).map { "my_room_00000\($0)" } && found.equal_images == 10)
        #expect(found.place_m < 1e-6 && found.depth_mm < 0.51 && found.depth_size == [192, 256])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder("shards")).sorted()
        #expect(files == ["README.txt", "mapeverything.json", "my_room-000000.tar"])
        // The same bytes with other workers.
        try await Binary.succeed(["export", room, "--to", "webdataset", "-o", folder("again"), "-j", "1"])
        let tars = try ["shards", "again"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder("\($0)/my_room-000000.tar")))
        }
        #expect(tars[0] == tars[1])
    }
}
