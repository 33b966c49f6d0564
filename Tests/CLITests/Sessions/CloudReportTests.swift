import Foundation
import Testing

/// What every report says of the pixels that the filters of the clouds dropped.
@Suite(.serialized) struct CloudReportTests {
    private struct Clouds: Decodable, Equatable {
        var topic: String
        var clouds: Int
        var pixels: Int
        var dropped: [String: Int]
        var points: Int

        var addsUp: Bool { pixels == points + dropped.values.reduce(0, +) }
    }

    private struct Report: Decodable {
        var clouds: [Clouds]
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func clouds(_ arguments: [String]) async throws -> [Clouds] {
        let report: Report = try await Binary.json(arguments + ["--json"])
        #expect(report.clouds.allSatisfy { $0.addsUp })
        return report.clouds
    }

    @Test func everyReportCountsTheSame() async throws {
        let session = try await Samples.full.value
        let bag = folder("bag"), file = folder("report.json")
        let written = try await clouds(["bag", session, "-o", bag, "--profile", "record", "--report", file])
        #expect(written.map(\.topic) == ["/mapping/pointcloud/lidar", "/mapping/pointcloud/depth_anything"])
        #expect(written.map(\.clouds) == [20, 20])
        #expect(written.map(\.pixels) == [20 * 256 * 192, 20 * 518 * 392])
        for filter in ["depth", "confidence", "edge", "voxel"] {
            #expect(written[0].dropped[filter] ?? 0 > 0, "\(filter)")
        }
        let reported = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(reported.clouds == written)
        #expect(try await clouds(["inspect", session, "--profile", "record", "--exact"]) == written)
        #expect(try await clouds(["replay", session, "--dry-run"]) == written)
        #expect(try await clouds(["replay", session, "--dry-run", "-j", "3"]) == written)
        // Without --exact up to 16 frames are looked at.
        let inspect = ["inspect", session, "--profile", "record"]
        let sampled = try await clouds(inspect)
        #expect(sampled.map(\.topic) == written.map(\.topic))
        #expect(sampled.allSatisfy { (8...16).contains($0.clouds) && $0.points > 0 })
        #expect(sampled[0].pixels == sampled[0].clouds * 256 * 192)
        for command in [inspect, inspect + ["--exact"], ["replay", session, "--dry-run"]] {
            let text = try await Binary.succeed(command)
            let counts = command == inspect ? sampled : written
            for cloud in counts {
                let filters = ["depth", "confidence", "edge", "voxel", "range", "outlier"]
                let numbers = filters.map { cloud.dropped[$0] ?? -1 } + [cloud.points, cloud.pixels, cloud.clouds]
                let cells = ([cloud.topic] + numbers.map(String.init))
                let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
                #expect(rows.contains(cells), "\(cells) is not in\n\(text)")
            }
        }
        let plain = try await clouds(["inspect", session, "--topics", "/mapping/pose"])
        #expect(plain.isEmpty)
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func pointsAreThoseOfTheBag() async throws {
        let session = try await Samples.full.value
        let bag = folder("bag")
        let renamed = ["--remap", "/mapping/pointcloud/lidar:=/cloud"]
        let written = try await clouds(
            ["bag", session, "-o", bag, "--profile", "record", "--voxel-size", "0.02"] + renamed
        )
        let topics = try await BagDescription.of(bag)
        #expect(written.map(\.topic) == ["/cloud", "/mapping/pointcloud/depth_anything"])
        for cloud in written { #expect(topics[cloud.topic]?.points == cloud.points, "\(cloud.topic)") }
        #expect(written[0].dropped["outlier"] ?? 0 > 0)
    }

    /// Depth and confidence against the files of the session, pixel by pixel.
    @Test func limitsDropWhatTheFilesSay() async throws {
        let session = try await Samples.full.value
        let options = ["--max-depth", "3", "--min-confidence", "2", "--voxel-size", "0", "--outlier", "off"]
        let counts = try await clouds(
            ["replay", session, "--dry-run", "--topics", "/mapping/pointcloud/lidar", "--no-edge-filter"] + options
        )
        var far = 0
        var unsure = 0
        var kept = 0
        // 5 of 10 frames a second.
        for frame in stride(from: 0, to: 40, by: 2) {
            let name = (frame < 10 ? "00000" : "0000") + "\(frame).bin"
            let depth = try Data(contentsOf: URL(fileURLWithPath: "\(session)/depth/\(name)"))
            let confidence = try Data(contentsOf: URL(fileURLWithPath: "\(session)/confidence/\(name)"))
            for pixel in 0..<256 * 192 {
                let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(depth[4 * pixel + $1]) << (8 * UInt32($1)) }
                let metres = Float(bitPattern: bits)
                if !(metres > 0.1 && metres < 3) {
                    far += 1
                } else if confidence[pixel] < 2 {
                    unsure += 1
                } else {
                    kept += 1
                }
            }
        }
        try #require(counts.count == 1)
        #expect(far > 0 && unsure > 0 && kept > 0)
        #expect(counts[0].dropped["depth"] == far && counts[0].dropped["confidence"] == unsure)
        #expect(counts[0].points == kept && counts[0].dropped["edge"] == 0 && counts[0].dropped["voxel"] == 0)
    }

    @Test func aFilterThatIsOffHasNoNumbers() async throws {
        let session = try await Samples.plain.value
        for option in [["--outlier-voxel", "0.2"], ["--outlier-neighbours", "5"]] {
            let outcome = try await Binary.run(["inspect", session, "--outlier", "off"] + option)
            outcome.expectError(2, naming: "--outlier")
        }
    }
}
