import Messages
import Perception
import Playback
import Recording
import Sessions
import Testing
import Translation

/// A recording format of the test's own, replayed by the same code as the native one.
@Suite struct SecondFormatTests {
    @Test func framesAndSamplesBecomeMessages() async throws {
        let replayed = try await Replayed(MemorySession(), epoch: .boot) { plan in
            plan.profile.clouds.voxelSizeMetres = nil
            plan.profile.clouds.outlierFilter = .off
            plan.profile.clouds.edgeFilter = false
            for kind in [TopicKind.pose, .cameraImage, .depthImage, .lidarCloud, .imu] {
                plan.profile.topics[kind] = .init(rateHertz: 0)
            }
        }
        let times = (0..<3).map { MemorySession.time(frame: $0).nanoseconds }
        for name in ["/mapping/pose", "/mapping/camera/image/compressed", "/mapping/pointcloud/lidar"] {
            #expect(replayed.stamps(name) == times, "\(name)")
        }
        let poses = replayed.all("/mapping/pose", PoseStamped.self).map { Recording.Vector3($0.pose.position) }
        #expect(poses.count == 3)
        for (frame, position) in poses.enumerated() {
            #expect(position.isClose(to: Recording.Vector3(0.5 * Double(frame), 2, 1)))
        }
        let images = replayed.all("/mapping/camera/image/compressed", CompressedImage.self)
        #expect(images.map(\.data) == [[0], [1], [2]])
        #expect(replayed.all("/mapping/pointcloud/lidar", PointCloud2.self).map(\.width) == [192, 192, 192])
        #expect(replayed.all("/mapping/depth/image_raw", Image.self).count == 3)
        #expect(replayed.all("/mapping/imu", Imu.self).count == 2)
        #expect(!replayed.names.contains("/mapping/gps/fix") && !replayed.report.lostAnything)
    }

    @Test func onePlaceIsFoundByItsFrame() throws {
        let plan = ReplayPlan(profile: try #require(Profile.named("record")))
        let setup = try ReplaySetup(OpenedRecording(MemorySession(), ClockRequest(.boot)), plan: plan)
        let place = try setup.resolved(.frame(2))
        #expect(place == .date(nanoseconds: MemorySession.time(frame: 2).nanoseconds))
    }

    @Test func itIsInspectedWithoutFiles() async throws {
        let setup = try ReplaySetup(
            OpenedRecording(MemorySession()),
            plan: ReplayPlan(profile: try #require(Profile.named("full")))
        )
        let inspection = try await Inspection.run(setup)
        #expect(inspection.framesWithImage == 3 && inspection.framesWithDepth == 3 && inspection.motionSamples == 2)
    }
}

/// Three frames and two IMU samples, in memory.
private struct MemorySession: Session {
    static func time(frame: Int) -> Timestamp { Timestamp(nanoseconds: 5_000_000_000 + Int64(frame) * 100_000_000) }

    let records: [Record]
    let summary: SessionSummary
    let diagnostics = Diagnostics()

    init() {
        let frames = (0..<3).map { index in
            Record.frame(
                FrameReference(
                    index: index,
                    line: index + 1,
                    time: Self.time(frame: index),
                    worldFromCamera: Recording.Transform(
                        rotation: .identity,
                        translation: Recording.Vector3(0.5 * Double(index), 1, -2)
                    ),
                    intrinsics: CameraIntrinsics(width: 160, height: 120, fx: 120, fy: 121, cx: 79.5, cy: 59.5),
                    tracking: .normal,
                    depthSize: GridSize(width: 16, height: 12)
                )
            )
        }
        let samples = (0..<2).map { index in
            Record.motion(
                MotionSample(
                    time: Self.time(frame: index).advanced(byNanoseconds: 50_000_000),
                    userAcceleration: .zero,
                    rotationRate: .zero,
                    gravity: Recording.Vector3(-1, 0, 0)
                )
            )
        }
        records = (frames + samples).sorted { $0.time < $1.time }
        var summary = SessionSummary(name: "memory", format: "test")
        summary.frameCount = 3
        summary.firstTime = Self.time(frame: 0)
        summary.lastTime = Self.time(frame: 2)
        summary.medianIntervalSeconds = 0.1
        summary.sensorSize = GridSize(width: 160, height: 120)
        summary.hasImages = true
        summary.hasDepth = true
        summary.motionSource = .init(rawValue: "memory")
        self.summary = summary
    }

    func records(_ request: RecordRequest) throws -> any RecordCursor {
        MemoryCursor(
            records.filter { request.span.contains($0.time) && request.streams.contains($0.stream) }
        )
    }

    func makeLoader() -> any PayloadLoader { MemoryLoader() }
}

private final class MemoryCursor: RecordCursor {
    let diagnostics = Diagnostics()
    let limitedTrackingCount = 0
    let upcomingLocationTime: Timestamp? = nil
    private var waiting: ArraySlice<Record>

    init(_ records: [Record]) {
        waiting = records[...]
    }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        while let record = waiting.popFirst() {
            if case .frame(let frame) = record, !isFrameWanted(frame.time) { continue }
            return record
        }
        return nil
    }
}

private final class MemoryLoader: PayloadLoader {
    func image(of frame: FrameReference, _ picture: VideoPicture?, _ diagnostics: inout Diagnostics) -> StoredImage? {
        StoredImage(bytes: [UInt8(frame.index)], width: 160, height: 120, orientation: .landscapeRight)
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        let (width, height) = fullSize ? (image.width, image.height) : (image.width / 8, image.height / 8)
        return RGBImage(width: width, height: height, pixels: [UInt8](repeating: 200, count: 3 * width * height))
    }

    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        DepthMap(width: 16, height: 12, metres: [Float](repeating: 2, count: 192))
    }
}
