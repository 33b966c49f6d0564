import Messages
import Perception
import Playback
import Recording
import Sessions
import Synchronization
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

@Suite(.timeLimit(.minutes(2))) struct ReplayPolicyTests {
    private func limited(_ states: [String]) throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: states.count)
        for (line, state) in states.enumerated() { builder.lines[line]["tracking_state"] = "\"\(state)\"" }
        return builder
    }

    @Test func limitedTrackingIsSkippedAndCounted() async throws {
        let builder = try limited(["initializing", "normal", "normal", "limited_motion", "normal", "not_available"])
        let directory = try TemporaryDirectory()
        let path = try builder.write(into: directory.path)
        let replayed = try await Replayed(path, epoch: .boot)
        let good = [200, 400, 800].map { 1_000_000_000_000 + $0 * 1_000_000 }
        for name in ["/tf", "/mapping/pose", "/mapping/odom", "/mapping/pointcloud/lidar"] {
            let stamps = replayed.stamps(name)
            #expect(!stamps.isEmpty && stamps.allSatisfy { good.contains(Int($0)) }, "\(name)")
        }
        #expect(replayed.stamps("/mapping/pose").count == 3)
        #expect(replayed.report.counts.limitedTracking == 3)
        // A velocity against a pose that was not trusted is none.
        let twists = replayed.all("/mapping/odom", Odometry.self).map { $0.twist.covariance[0] < 1 }
        #expect(twists == [false, true, false])
        // Whatever is published, and however often it is played, these frames are left out once.
        for profile in ["record", "full"] {
            let setup = try Replayed.setup(path, profile: profile) { $0.profile.topics[.pose] = .init(rateHertz: 1) }
            #expect(try await Inspection.run(setup).counts.limitedTracking == 3, "\(profile)")
        }
        let few = try await Replayed(path, profile: "record") { plan in
            plan.selection.only = ["/mapping/pose"]
            plan.profile.topics[.pose] = .init(rateHertz: 1)
            plan.playback.loops = 2
        }
        #expect(few.report.counts.limitedTracking == 3 && few.stamps("/mapping/pose").count == 2)
        let kept = try await Replayed(path) { $0.keepsLimitedTracking = true }
        #expect(kept.stamps("/mapping/pose").count == 6 && kept.report.counts.limitedTracking == 0)
    }

    @Test func appProfileIsTheAppsOwnChoices() async throws {
        let sample = try await Sample(Sample.everything)
        let replayed = try await Replayed(sample.path, profile: "app")
        #expect(
            replayed.names == [
                "/mapping/pose", "/mapping/camera/image/compressed", "/mapping/camera/camera_info",
                "/mapping/pointcloud/lidar", "/mapping/pointcloud/depth_anything",
                "/mapping/depth_anything/calibration", "/mapping/gps/fix", "/mapping/gps/metadata",
            ]
        )
        let poses = replayed.all("/mapping/pose", PoseStamped.self)
        #expect(poses.count == 60)
        for pose in poses {
            let truth = sample.truth.worldFromCamera(at: pose.header.stampNanoseconds)
            #expect(Recording.Vector3(pose.pose.position).isClose(to: truth.translation, 1e-6))
        }
        let image = try #require(replayed.all("/mapping/camera/image/compressed", CompressedImage.self).first)
        #expect(image.header.frameID == "iphone_camera" && image.format == "jpeg")
        let fix = try #require(replayed.all("/mapping/gps/fix", NavSatFix.self).first)
        #expect(fix.header.frameID == "earth" && abs(fix.altitude - 519.6) < 1)
        let cloud = try #require(replayed.all("/mapping/pointcloud/lidar", PointCloud2.self).first)
        #expect(cloud.header.frameID == "map")
        #expect(cloud.fields.map(\.datatype) == [7, 7, 7, 6])
        // y is up: the floor is 1.42 m below the start. The app scales the principal point to the depth grid without
        // regard to where in a pixel it counts from, which at up to 5 m, and with images as small as these, is 2 cm.
        let camera = SyntheticSession.intrinsics(sample.options.imageSize)
        let scale = 256 / Double(camera.width)
        let shift = Float(5 * abs(0.5 * scale - 0.5) / (scale * camera.fy))
        #expect(shift > 0.02 && shift < 0.022)
        let ys = stride(from: 4, to: cloud.data.count, by: 16).map { float(cloud.data, $0) }
        #expect((ys.min() ?? 0) > -1.42 - shift && (ys.max() ?? 0) < 1.18 + shift)
        // With the centres of pixels the same clouds lie in the room.
        let exact = try await Replayed(sample.path, profile: "app") { $0.profile.clouds.pixelPoint = .centre }
        let heights = exact.all("/mapping/pointcloud/lidar", PointCloud2.self).flatMap { cloud in
            stride(from: 4, to: cloud.data.count, by: 16).map { float(cloud.data, $0) }
        }
        #expect((heights.min() ?? 0) > -1.4202 && (heights.max() ?? 0) < 1.1802)
    }

    /// Axes and names of frames, and nothing else: signs, datums, datatypes and fits are the profile's.
    @Test func framesAreAxesAndNamesOnly() async throws {
        let ros = try await Played.everything().replayed
        let sample = try await Sample(Sample.everything)
        let app = try await Replayed(sample.path) { $0.profile.axes = .app }
        func imus(_ replayed: Replayed) -> [[UInt8]] { replayed.all("/mapping/imu", Imu.self).map { $0.encodedCDR() } }
        #expect(imus(app).count == 206 && imus(app) == imus(ros))
        func fixes(_ replayed: Replayed) -> [[UInt8]] {
            replayed.all("/mapping/gps/fix", NavSatFix.self).map { fix in
                var fix = fix
                fix.header.frameID = ""
                return fix.encodedCDR()
            }
        }
        #expect(fixes(app).count == 3 && fixes(app) == fixes(ros))
        let images = app.all("/mapping/camera/image/compressed", CompressedImage.self)
        #expect(images.count == 4)
        #expect(images.allSatisfy { $0.format == "rgb8; jpeg compressed bgr8" && $0.header.frameID == "iphone_camera" })
        let clouds = app.all("/mapping/pointcloud/lidar", PointCloud2.self)
        #expect(clouds.count == 10 && clouds.allSatisfy { $0.fields.map(\.datatype) == [7, 7, 7, 7] })
        let name = "/mapping/depth_anything/calibration"
        func scales(_ replayed: Replayed) -> [Double] { replayed.all(name, DepthAnythingCalibration.self).map(\.scale) }
        #expect(scales(app).count == 10 && scales(app) == scales(ros))
    }

    @Test func loopsGoOnWhereTheLastOneEnded() async throws {
        var options = Sample.everything
        options.durationSeconds = 1
        let sample = try await Sample(options)
        let once = try await Replayed(sample.path)
        let thrice = try await Replayed(sample.path) { $0.playback.loops = 3 }
        for name in once.names {
            let isOnce = name == "/tf_static"
            let stamps = thrice.stamps(name)
            #expect(isOnce ? stamps.count == 1 : stamps.count >= 3 * once.stamps(name).count - 3, "\(name)")
            // What a pass has left of the map may take several messages.
            let isOnceAStamp = name != "/mapping/map"
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { isOnceAStamp ? $0 < $1 : $0 <= $1 }, "\(name)")
        }
        #expect(thrice.stamps("/mapping/odom").count == 90)
        // One frame interval between the last frame of a pass, or what came after it, and the first of the next.
        let steps = zip(thrice.stamps("/mapping/odom"), thrice.stamps("/mapping/odom").dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > 30_000_000 && $0 < 200_000_000 })
    }

    @Test func sameMessagesForAnyNumberOfWorkers() async throws {
        var options = Sample.everything
        options.hasNoise = true
        let sample = try await Sample(options)
        let one = try await Replayed(sample.path)
        let three = try await Replayed(sample.path) { $0.jobs = 3 }
        #expect(one.messages.count > 300)
        #expect(one.everything == three.everything)
        #expect(one.report.diagnostics.isEmpty && three.report.diagnostics.isEmpty)
        #expect(one.report.counts == three.report.counts)
    }

    @Test func stampsOfTheWallClock() async throws {
        let directory = try TemporaryDirectory()
        let path = try SessionBuilder().write(into: directory.path)
        let ticks = Mutex<Int64>(1_800_000_000_000_000_000)
        let replayed = try await Replayed(path) { plan in
            plan.stamp = .now
            plan.nowNanoseconds = { ticks.withLock { value in (value += 1_000_000, value).1 } }
        }
        var byFrame: [Int64: Set<String>] = [:]
        for message in replayed.messages {
            #expect(message.timeNanoseconds > 1_800_000_000_000_000_000)
            let stamp = try #require(message.message.headerStampNanoseconds)
            #expect(stamp == message.timeNanoseconds)
            byFrame[stamp, default: []].insert(message.topic.name)
        }
        // Four frames and four IMU samples, each with its own stamp for all that comes of it, and the end of the session.
        #expect(byFrame.count == 9)
        #expect(byFrame.values.filter { $0.isSuperset(of: ["/tf", "/mapping/pose", "/mapping/odom"]) }.count == 4)
    }

    @Test func clockTicksUpToTheData() async throws {
        let directory = try TemporaryDirectory()
        let path = try SessionBuilder(frameCount: 6).write(into: directory.path)
        let replayed = try await Replayed(path, epoch: .boot) { plan in
            plan.clockHertz = 10
        }
        let clocks = replayed.all("/clock", ClockMessage.self).map(\.clock.nanosecondsSinceEpoch)
        #expect(clocks == (0...10).map { 1_000_000_000_000 + $0 * 100_000_000 })
        #expect(replayed.topics.last?.name == "/clock")
        var latest: Int64 = 0
        for message in replayed.messages {
            if message.topic.name == "/clock" { latest = message.timeNanoseconds }
            #expect(message.timeNanoseconds >= latest)
        }
    }

    @Test func namesAreChangedOnTheWayOut() async throws {
        let directory = try TemporaryDirectory()
        let path = try SessionBuilder().write(into: directory.path)
        let replayed = try await Replayed(path, profile: "record") { plan in
            plan.naming.namespace = "/robot"
            plan.naming.remaps = [TopicRemap(from: "/mapping/pose", to: "/where")]
        }
        #expect(replayed.names.isSuperset(of: ["/tf", "/tf_static", "/where", "/robot/mapping/pointcloud/lidar"]))
        #expect(!replayed.names.contains("/mapping/pose"))
    }

    @Test func failingSinkEndsItAndEverySinkIsFinished() async throws {
        let directory = try TemporaryDirectory()
        let setup = try Replayed.setup(SessionBuilder().write(into: directory.path))
        let good = CollectingSink()
        let bad = CollectingSink(refusesMessage: 7)
        let report = await setup.run(into: [good, bad])
        #expect(report.playback.failure as? CollectingSink.Refusal == CollectingSink.Refusal(place: "write"))
        #expect(await good.finishCount == 1)
        #expect(await bad.finishCount == 1)
        #expect(await bad.messages.count == 7)
    }

    @Test(arguments: [1, 2])
    func cancellationEndsItInOrder(jobs: Int) async throws {
        let directory = try TemporaryDirectory()
        let setup = try Replayed.setup(SessionBuilder(frameCount: 4).write(into: directory.path)) { plan in
            plan.playback.loops = nil
            plan.jobs = jobs
        }
        let (seen, signal) = AsyncStream.makeStream(of: Int.self)
        let sink = CollectingSink { signal.yield($0) }
        let task = Task { await setup.run(into: [sink]) }
        for await count in seen where count == 100 { break }
        task.cancel()
        let report = await task.value
        #expect(report.playback.wasInterrupted)
        #expect(report.playback.sinks.count == 1)
        #expect(await sink.finishCount == 1)
        #expect(await sink.messages.count >= 100)
    }

    /// Played for ever, a session without one good frame must not spin.
    @Test func nothingToPublishEndsAnEndlessLoop() async throws {
        let builder = try limited(["limited_motion", "limited_motion"])
        let directory = try TemporaryDirectory()
        let replayed = try await Replayed(builder.write(into: directory.path), profile: "record") {
            $0.playback.loops = nil
        }
        #expect(replayed.messages.isEmpty)
        #expect(replayed.report.counts.limitedTracking == 2)
    }

    private func float(_ bytes: [UInt8], _ place: Int) -> Float {
        Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) })
    }
}
