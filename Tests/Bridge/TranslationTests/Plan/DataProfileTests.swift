import Messages
import Perception
import TestSupport
import Testing
import Translation

/// The profile `data`: whole frames, and every record of the other streams.
struct DataProfileTests {
    private static let image = "/mapping/camera/image/compressed", depth = "/mapping/depth/image_raw"

    /// 2 s at 30 Hz; only each n-th frame has an image.
    private func replayed(imageEach step: Int, _ change: (inout ReplayPlan) -> Void = { _ in }) async throws -> Replayed
    {
        var builder = try SessionBuilder(frameCount: 60, framesPerSecond: 30)
        for frame in 0..<60 where !frame.isMultiple(of: step) {
            builder.files["rgb/\(SessionBuilder.number(frame)).jpg"] = nil
        }
        let directory = try TemporaryDirectory()
        let replayed = try await Replayed(builder.write(into: directory.path), profile: "data", change)
        return replayed
    }

    @Test("depth is of the frames whose images are published", arguments: [1, 2])
    func together(step: Int) async throws {
        let replayed = try await replayed(imageEach: step)
        let images = replayed.stamps(Self.image)
        #expect(images.count == 20 && Set(images).isSubset(of: replayed.stamps(Self.depth)), "\(images.count)")
        if step == 1 { #expect(replayed.stamps(Self.depth) == images) }
        for topic in ["/mapping/camera/camera_info"] { #expect(replayed.stamps(topic) == images) }
        #expect(replayed.stamps("/mapping/odom").count == 60)
    }

    @Test("frames without images give depth of their own, at the ceiling; no image lacks its depth")
    func sparseImages() async throws {
        let replayed = try await replayed(imageEach: 15)
        let (images, depth) = (replayed.stamps(Self.image), replayed.stamps(Self.depth))
        #expect(images.count == 4 && Set(images).isSubset(of: depth))
        #expect((20...24).contains(depth.count), "\(depth.count)")
        let all = try await self.replayed(imageEach: 15) { $0.profile.limitFrames(toHertz: 0) }
        #expect(all.stamps(Self.depth).count == 60 && all.stamps(Self.image).count == 4)
    }

    @Test("a profile by catalogue rates stays as it was: its gates are independent")
    func othersAreUnchanged() async throws {
        let record = try #require(Profile.named("record"))
        #expect(!record.keepsFramesTogether && record.rateHertz(.cameraImage) == 2)
        let data = try #require(Profile.named("data"))
        #expect(data.rateHertz(.cameraImage) == 10 && data.rateHertz(.depthImage) == 10 && data.rateHertz(.imu) == nil)
        #expect(data.clouds.voxelSizeMetres == 0.02 && data.rateHertz(.lidarCloud) == 5)
        #expect(data.topics[.tags] == nil && data.topics[.meshMarkers] == nil)
    }
}
