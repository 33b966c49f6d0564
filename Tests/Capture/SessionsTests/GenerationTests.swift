import Recording
import Sessions
import TestSupport
import Testing

@Suite struct GenerationTests {
    @Test(arguments: SessionBuilder.Generation.allCases, [false, true])
    func everyGenerationReads(generation: SessionBuilder.Generation, shuffled: Bool) throws {
        var builder = try SessionBuilder(generation: generation)
        builder.shufflesKeys = shuffled
        let read = try ReadSession(builder)
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics.entries)")
        #expect(read.indices == [0, 1, 2, 3])
        #expect(read.summary.generation == generation.rawValue)
        #expect(read.frames.map(\.line) == [1, 2, 3, 4])
        let times: [Int64] = [1_000_000_000_000, 1_000_200_000_000, 1_000_400_000_000, 1_000_600_000_000]
        #expect(read.frames.map(\.time.nanoseconds) == times)
        let frame = try #require(read.frames.last)
        let expected = CameraIntrinsics(width: 64, height: 48, fx: 50, fy: 50.15, cx: 32.25, cy: 23.75)
        #expect(frame.intrinsics == expected)
        #expect(frame.worldFromCamera.translation == Vector3(0.03, 0.5, -0.25))
        #expect((frame.worldFromCamera.rotation.rotating(Vector3(1, 0, 0)) - Vector3(-1, 0, 0)).length < 1e-12)
        #expect(frame.tracking == .normal)
        #expect(frame.declaredOrientation == (generation == .two ? .landscapeRight : nil))
        #expect(frame.hasImage && frame.depthSize == SessionBuilder.depthSize)
        #expect(frame.exposureSeconds == 0.016666667)
        #expect(frame.sharpness == (generation == .two ? 321.5 : nil))
        let payloads = read.loadAll()
        #expect(read.diagnostics.isEmpty)
        #expect(payloads.allSatisfy { $0.decoded?.width == 64 && $0.image?.orientation == .landscapeRight })
        #expect(payloads[0].depth?.metres.first == 1 && payloads[0].depth?.metres.last == 1 + 191.0 / 100)
        #expect(payloads[0].depth?.confidence == [UInt8](repeating: 2, count: 192))
    }

    @Test func summaryOfTheNewestGeneration() throws {
        let summary = try ReadSession(SessionBuilder(frameCount: 6)).summary
        #expect(summary.name == SessionBuilder.name && summary.format == "native")
        #expect(summary.deviceModel == "iPhone15,2" && summary.osVersion == "Version 16.6.1 (Build 20G81)")
        #expect(summary.lineCount == 6 && summary.frameCount == 6)
        #expect(summary.durationSeconds == 1)
        #expect(abs(try #require(summary.medianIntervalSeconds) - 0.2) <= 0.000_25)
        #expect(abs(summary.largestGapSeconds - 0.2) < 1e-9)
        #expect(summary.isTimeOrdered)
        #expect(summary.sensorSize == GridSize(width: 64, height: 48))
        #expect(summary.orientations == ["landscapeRight": 6])
        #expect(summary.tracking == [.normal: 6])
        #expect(summary.hasImages && summary.hasDepth && summary.hasConfidence)
        #expect(!summary.hasRelativeDepth && !summary.hasSatelliteTiles && !summary.hasElevationTiles)
        #expect(summary.depthSize == SessionBuilder.depthSize)
    }

    @Test func motionComesFromWhereTheGenerationHasIt() throws {
        let oldest = try ReadSession(SessionBuilder(generation: .zero))
        #expect(oldest.summary.motionSource == .table)
        #expect(oldest.motion.count == 20)
        #expect(oldest.motion[3].time.nanoseconds == 1_000_030_000_000)
        #expect(oldest.motion[3].rotationRate == Vector3(0.1, 0.2, 3))
        #expect(oldest.motion[3].userAcceleration == Vector3(0.01, 0.02, 0.03))
        #expect(oldest.motion[3].gravity == Vector3(1, 0, 0))
        for generation in [SessionBuilder.Generation.one, .two] {
            let read = try ReadSession(SessionBuilder(generation: generation))
            #expect(read.summary.motionSource == .frames)
            let times: [Int64] = [1_000_030_000_000, 1_000_230_000_000, 1_000_430_000_000, 1_000_630_000_000]
            #expect(read.motion.map(\.time.nanoseconds) == times)
            #expect(read.motion[0].gravity == Vector3(1, 0, 0))
            // The attitude of the same instant has gravity straight down.
            let attitude = try #require(read.motion[0].attitude)
            #expect((attitude.rotating(Vector3(1, 0, 0)) - Vector3(0, 0, -1)).length < 1e-9)
            #expect(read.motion[0].magneticField == .zero)
        }
    }

    /// Sessions of the first app begin with a frame that has no IMU sample yet.
    @Test func framesWithoutMotionAreFrames() throws {
        var builder = try SessionBuilder()
        for key in builder.lines[0].keys where ["imu_timestamp", "gravity", "rotation_rate"].contains(key) {
            builder.lines[0][key] = nil
        }
        let read = try ReadSession(builder)
        #expect(read.diagnostics.isEmpty)
        #expect(read.frames.count == 4 && read.motion.count == 3)
    }

    @Test(arguments: [
        ("normal", TrackingState.normal), ("limited_excessive_motion", .limitedMotion),
        ("limited_insufficient_features", .limitedFeatures), ("limited_initializing", .initializing),
        ("limited_relocalizing", .relocalizing), ("limited_unknown", .limited), ("limited_motion", .limitedMotion),
        ("limited_features", .limitedFeatures), ("initializing", .initializing), ("relocalizing", .relocalizing),
        ("limited", .limited), ("not_available", .notAvailable), ("what is this", .limited),
    ])
    func everyWordForTracking(word: String, state: TrackingState) throws {
        var builder = try SessionBuilder(frameCount: 2)
        builder.lines[0]["tracking_state"] = "\"\(word)\""
        let frames = try ReadSession(builder).frames
        #expect(frames.map(\.tracking) == [state, .normal])
        #expect(frames[0].tracking.isNormal == (state == .normal))
    }

    @Test func wholeNumbersMayHaveDecimals() throws {
        var builder = try SessionBuilder()
        builder.lines[1]["frame_index"] = "1.0"
        builder.lines[1]["camera_resolution"] = "[64.0,4.8e1]"
        builder.lines[1]["depth_resolution"] = "[16.0,12.0]"
        let read = try ReadSession(builder)
        #expect(read.diagnostics.isEmpty)
        #expect(read.indices == [0, 1, 2, 3] && read.frames[1].depthSize == SessionBuilder.depthSize)
    }

    @Test func timesKeepTheirNanoseconds() throws {
        var builder = try SessionBuilder(frameCount: 2)
        builder.lines[0]["timestamp"] = "104158.150365083361"
        builder.lines[1]["timestamp"] = "\"104158.250365083459\""
        builder.metadata = nil
        let times = try ReadSession(builder).frames.map(\.time.nanoseconds)
        #expect(times == [104_158_150_365_083, 104_158_250_365_083])
    }
}
