import Codecs
import Messages
import Playback
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// The dry run says what the real run does.
@Suite struct InspectionTests {
    /// Their sizes follow from all frames before, of which a dry run looks at a few, or from the sinks.
    private static let growing: Set<String> = [
        "/mapping/map", "/mapping/mesh_snapshot", "/mapping/surfels", "/mapping/status", "/map",
    ]

    @Test func countsAreThoseOfTheReplay() async throws {
        let sample = try await Sample(Sample.everything)
        let setup = try Replayed.setup(sample.path)
        let inspection = try await Inspection.run(setup)
        let replayed = try await Replayed(sample.path)
        let lines = Dictionary(uniqueKeysWithValues: inspection.topics.map { ($0.statistics.name, $0) })
        for real in replayed.report.playback.topics {
            let line = try #require(lines[real.name])
            // How many messages a changed map takes is known only when it is made.
            let isMap = real.name == "/mapping/map"
            #expect(isMap || line.statistics.count == real.count, "\(real.name)")
            #expect(line.statistics.firstNanoseconds == real.firstNanoseconds, "\(real.name)")
            #expect(line.statistics.lastNanoseconds == real.lastNanoseconds, "\(real.name)")
            let difference = abs(line.statistics.bytes - real.bytes)
            let tolerance = Self.growing.contains(real.name) ? 1.0 : 0.1
            let limit = line.isEstimated ? tolerance * Double(real.bytes) : 0
            #expect(Double(difference) <= limit, "\(real.name)")
            let frames = Set(
                replayed.messages.filter { $0.topic.name == real.name }.compactMap(\.message.headerFrameID)
            )
            #expect(Set(line.frameIDs) == frames, "\(real.name)")
        }
        #expect(lines.count == replayed.report.playback.topics.count)
        #expect(inspection.framesWithImage == 60 && inspection.framesWithDepth == 60)
        #expect(inspection.framesWithRelativeDepth == 60 && inspection.motionSamples == 206)
        #expect(abs(try #require(inspection.motionRateHertz) - 100) < 0.01)
        #expect(try #require(inspection.gravity.medianDegrees) < 1)
        #expect(inspection.depth.valid > 0.9 && inspection.depth.confidence.count == 3)
        #expect(inspection.diagnostics.isEmpty)
    }

    /// All pixels at 1600 m of terrarium's formula, and all fixes at 1609.5 m.
    @Test func fixesAreComparedWithTheElevationTiles() async throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.addLocations(count: 5)
        builder.addTiles([SessionBuilder.tileLayer(.elevation)])
        let pixels = [[UInt8]](repeating: [0x86, 0x40, 0], count: 256 * 256).flatMap { $0 }
        let image = RGBImage(width: 256, height: 256, pixels: pixels)
        builder.files["tiles/dem/12/853/1554.png"] = try PNG.encode(image)
        let directory = try TemporaryDirectory()
        let path = try builder.write(into: directory.path)
        let terrain = try #require(try await Inspection.run(Replayed.setup(path)).terrain)
        #expect(terrain.comparedCount == 5 && terrain.differences?.medianMetres == 9.5)
        builder.files["tiles/manifest.json"] = nil
        let bare = try await Inspection.run(Replayed.setup(builder.write(into: directory.path, as: "bare"))).terrain
        #expect(bare?.differences == nil && bare?.reason == "the session has no elevation tiles")
    }

    @Test func damageIsCountedWithoutPublishing() async throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.files["rgb/000001.jpg"] = nil
        builder.files["depth/000002.bin"] = [1, 2]
        builder.files["rgb/000009.jpg"] = [1]
        builder.lines[3]["tracking_state"] = "\"limited\""
        builder.lines[4]["camera_transform"] = "[]"
        let directory = try TemporaryDirectory()
        let inspection = try await Inspection.run(Replayed.setup(builder.write(into: directory.path)))
        let kinds = Dictionary(uniqueKeysWithValues: inspection.diagnostics.entries.map { ($0.kind, $0.count) })
        #expect(kinds == [.missingImage: 1, .wrongDepthSize: 1, .orphanFile: 1, .badField: 1])
        #expect(inspection.counts.limitedTracking == 1)
        #expect(inspection.framesWithImage == 4 && inspection.framesWithDepth == 4)
    }

    /// The sizes that are used are those of the frames, whatever metadata.json says.
    @Test func sizesOfDepthAreThoseOfTheFrames() async throws {
        var builder = try SessionBuilder(frameCount: 3)
        builder.metadata?["depthResolution"] = "[256,192]"
        builder.metadata?["relative_depth"] = "{\"resolution\":[4,3]}"
        for (index, size) in [(8, 6), (64, 48), (8, 6)].enumerated() {
            builder.lines[index]["relative_depth_resolution"] = "[\(size.0),\(size.1)]"
            builder.files["relative_depth/00000\(index).bin"] = [UInt8](repeating: 0, count: 4 * size.0 * size.1)
        }
        let directory = try TemporaryDirectory()
        let inspection = try await Inspection.run(Replayed.setup(builder.write(into: directory.path)))
        #expect(inspection.framesWithDepth == 3 && inspection.framesWithRelativeDepth == 3)
        #expect(inspection.depthSizes == [SessionBuilder.depthSize])
        #expect(inspection.relativeDepthSizes == [GridSize(width: 8, height: 6), GridSize(width: 64, height: 48)])
    }

    /// Wrong axes of the IMU show at once.
    @Test func gravityThatDisagreesIsReported() async throws {
        var builder = try SessionBuilder(frameCount: 6)
        for line in 0..<6 { builder.lines[line]["gravity"] = "[0,-1,0]" }
        let directory = try TemporaryDirectory()
        let inspection = try await Inspection.run(Replayed.setup(builder.write(into: directory.path)))
        #expect(inspection.diagnostics.count(of: .gravityDisagrees) == 1)
        #expect(try #require(inspection.gravity.medianDegrees) == 90)
    }
}
