import Foundation
import Perception
import Recording
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Tags in the synthetic room, and poses that drift.
@Suite struct HangingTagTests {
    @Test("tags hang flat on surfaces of the room, apart from each other and free of what stands before them")
    func places() {
        let room = Room(seed: 1, hasTags: true)
        #expect(room.tags.count == 16 && Set(room.tags.map(\.id)).count == 16)
        #expect(Room(seed: 1).tags.isEmpty)
        for tag in room.tags {
            let normal = tag.worldFromTag.rotation.rotating(Vector3(0, 0, 1))
            for corner in tag.corners {
                #expect(room.distanceToSurface(corner) < 1e-9)
                // Nothing is within 10 cm before it.
                let before = corner + normal * 0.1
                #expect(room.distanceToSurface(before) > 0.04, "\(tag.id)")
            }
            for other in room.tags where other.id != tag.id {
                #expect((other.worldFromTag.translation - tag.worldFromTag.translation).length > 0.4)
            }
        }
    }

    @Test("each cell of a tag has its colour, and what is beside it has none of it")
    func cells() throws {
        let (room, bare) = (Room(seed: 1, hasTags: true), Room(seed: 1))
        for tag in room.tags {
            let pattern = try #require(HangingTag.family.pattern(of: tag.id))
            let cell = tag.edgeMetres / Double(pattern.borderCells)
            for row in 0..<pattern.cells {
                for column in 0..<pattern.cells {
                    let x = (Double(column) + 0.5) * cell - Double(pattern.cells) / 2 * cell
                    let y = Double(pattern.cells) / 2 * cell - (Double(row) + 0.5) * cell
                    let point = tag.worldFromTag * Vector3(x, y, 0)
                    let colour = room.colour(at: point, surface: tag.surface, footprintMetres: 0.001)
                    let brightness = colour.sum() / 3
                    // Light falls off, but no white is as dark as any black.
                    let isWhite = pattern.isWhite[row * pattern.cells + column]
                    #expect(isWhite ? brightness > 90 : brightness < 60, "\(tag.id) \(row) \(column): \(brightness)")
                }
            }
            let beside = tag.worldFromTag * Vector3(0.75 * tag.edgeMetres, 0, 0)
            #expect(
                room.colour(at: beside, surface: tag.surface) == bare.colour(at: beside, surface: tag.surface)
            )
        }
    }

    private func poses(_ path: FilePath) throws -> [[Double]] {
        struct Line: Decodable { var camera_transform: [Double] }
        let text = try String(contentsOfFile: path.appending("frames.jsonl").string, encoding: .utf8)
        return try text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).camera_transform
        }
    }

    private static func gap(_ a: [Double], _ b: [Double]) -> Double {
        (Vector3(a[12], a[13], a[14]) - Vector3(b[12], b[13], b[14])).length
    }

    @Test("drift grows with the way, keeps up up, and leaves everything but the poses alone")
    func drift() async throws {
        let directory = try TemporaryDirectory()
        var options = SampleOptions()
        options.durationSeconds = 60
        options.framesPerSecond = 2
        options.imageSize = GridSize(width: 32, height: 24)
        options.imageCount = 1
        options.hasLidar = false
        options.hasTags = true
        let (straight, drifting) = (directory.appending("a"), directory.appending("b"))
        try await SyntheticSession.write(to: straight, options: options)
        options.drift = .percent(2)
        try await SyntheticSession.write(to: drifting, options: options)
        let (a, b) = (try poses(straight), try poses(drifting))
        var walked = 0.0
        for index in a.indices.dropFirst() {
            walked += Self.gap(a[index], a[index - 1])
            // The second row: where up is.
            for column in 0..<3 { #expect(abs(a[index][4 * column + 1] - b[index][4 * column + 1]) < 1e-5) }
        }
        let gap = Self.gap(a[a.count - 1], b[b.count - 1])
        #expect((0.002 * walked...0.08 * walked).contains(gap), "\(gap) of \(walked)")
        #expect(a[0] == b[0])
        for name in ["truth.json", "imu.jsonl", "tags_truth.txt", "rgb/000000.jpg"] {
            let contents = try [straight, drifting].map {
                try Data(contentsOf: URL(fileURLWithPath: $0.appending(FilePath(name).components).string))
            }
            #expect(contents[0] == contents[1], "\(name)")
        }
    }
}
