import Bags
import Codecs
import Messages
import Platform
import Recording
import Sessions
import Synthetic
import Testing
import Translation

/// A session that was written as a bag and is read as a session again.
@Suite struct BagSessionRoundTripTests {
    private static let storages: [BagOptions.Storage] = [.sqlite3, .mcap]

    /// The phone app's own recorder stores JSON, which only tables hold.
    @Test(
        arguments: [
            (BagOptions.Storage.sqlite3, "full"), (.mcap, "full"), (.sqlite3, "app"), (.mcap, "app"),
            (.sqlite3, "app as JSON"),
        ]
    )
    func framesComeBack(_ storage: BagOptions.Storage, _ form: String) async throws {
        let profile = form == "full" ? "full" : "app"
        let bagged = try await BaggedSample(
            profile: profile,
            storage: storage,
            serialization: form == "app as JSON" ? .rosbridgeJSON : .cdr
        )
        let session = try bagged.open()
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        let frames = try BaggedSample.frames(session)
        let recorded = try bagged.recordedFrames()
        // Both have each frame: the one in /tf, the other in its pose.
        #expect(frames.count == 60)
        #expect(frames.filter(\.hasImage).count == 4)
        #expect(frames.filter(\.hasDepth).count == (profile == "full" ? 10 : 0))
        let (loader, original) = (session.makeLoader(), bagged.recorded.makeLoader())
        var (problems, ignored) = (Diagnostics(), Diagnostics())
        for frame in frames {
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect((frame.worldFromCamera.translation - other.worldFromCamera.translation).length < 1e-9)
            #expect(frame.worldFromCamera.rotation.angle(to: other.worldFromCamera.rotation) < 1e-7)
            #expect(frame.intrinsics.size == other.intrinsics.size)
            #expect(abs(frame.intrinsics.fx - other.intrinsics.fx) < 1e-9)
            #expect(abs(frame.intrinsics.cx - other.intrinsics.cx) < 1e-9)
            #expect(abs(frame.intrinsics.cy - other.intrinsics.cy) < 1e-9)
            if frame.hasImage {
                let image = try #require(loader.image(of: frame, &problems))
                let stored = try #require(original.image(of: other, &ignored))
                #expect(image.bytes == stored.bytes)
                #expect(image.orientation == stored.orientation)
            }
            if frame.hasDepth {
                let depth = try #require(loader.depth(of: frame, &problems))
                let stored = try #require(original.depth(of: other, &ignored))
                #expect(depth.size == stored.size)
                #expect(depth.confidence == stored.confidence)
                let isEqual = zip(depth.metres, stored.metres).allSatisfy { one, other in
                    other.isFinite && other > 0 ? one.bitPattern == other.bitPattern : one.isNaN
                }
                #expect(isEqual)
            }
        }
        #expect(problems.isEmpty, "\(problems.entries)")
    }

    @Test(arguments: storages) func samplesComeBack(_ storage: BagOptions.Storage) async throws {
        let bagged = try await BaggedSample(storage: storage)
        let session = try bagged.open()
        let samples = try BaggedSample.motion(session)
        let recorded = try BaggedSample.motion(bagged.recorded)
        #expect(samples.count == 206)
        #expect(samples.count == recorded.count)
        for (one, other) in zip(samples, recorded) {
            #expect(one.time.nanoseconds == other.time.nanoseconds + bagged.offset)
            let force = one.userAcceleration + one.gravity
            #expect(force.isClose(to: other.userAcceleration + other.gravity))
            #expect(one.gravity.isClose(to: other.gravity, 1e-6))
            #expect(one.rotationRate.isClose(to: other.rotationRate))
        }
        let (fixes, places) = (try BaggedSample.fixes(session), try BaggedSample.fixes(bagged.recorded))
        #expect(fixes.count == places.count && !fixes.isEmpty)
        for (one, other) in zip(fixes, places) {
            #expect(one.latitudeDegrees == other.latitudeDegrees && one.longitudeDegrees == other.longitudeDegrees)
            #expect(one.altitudeMetres == other.altitudeMetres)
            #expect(one.ellipsoidalAltitudeMetres == other.ellipsoidalAltitudeMetres)
            #expect(one.horizontalAccuracyMetres == other.horizontalAccuracyMetres)
            #expect(one.verticalAccuracyMetres == other.verticalAccuracyMetres)
            #expect(one.speedMetresPerSecond == other.speedMetresPerSecond)
        }
    }

    /// The other sign and unit of the app, told by the bag's metadata; and by the name of the frame where there is none.
    @Test(arguments: [true, false]) func accelerationOfTheAppComesBack(_ keepsProvenance: Bool) async throws {
        let bagged = try await BaggedSample(keepsProvenance: keepsProvenance) { plan in
            plan.profile.conventions.imu = .app
            plan.profile.conventions.axes = .app
        }
        let session = try bagged.open()
        let (samples, recorded) = (
            try BaggedSample.motion(session), try BaggedSample.motion(bagged.recorded)
        )
        #expect(samples.count == recorded.count && !samples.isEmpty)
        for (one, other) in zip(samples, recorded) {
            let force = one.userAcceleration + one.gravity
            #expect(force.isClose(to: other.userAcceleration + other.gravity))
        }
        let frames = try bagged.recordedFrames()
        for frame in try BaggedSample.frames(session) {
            let other = try #require(frames[frame.time.nanoseconds])
            #expect(frame.worldFromCamera.rotation.angle(to: other.worldFromCamera.rotation) < 1e-7)
        }
    }

    @Test(arguments: ImageOrientation.allCases, ["full", "app"])
    func turnedImagesComeBack(_ orientation: ImageOrientation, _ profile: String) async throws {
        var options = Sample.everything
        options.durationSeconds = 0.5
        options.orientation = .fixed(orientation)
        let bagged = try await BaggedSample(options, profile: profile)
        let session = try bagged.open()
        let recorded = try bagged.recordedFrames()
        let (loader, original) = (session.makeLoader(), bagged.recorded.makeLoader())
        var (problems, ignored) = (Diagnostics(), Diagnostics())
        let frames = try BaggedSample.frames(session).filter(\.hasImage)
        #expect(!frames.isEmpty)
        for frame in frames {
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect(frame.intrinsics.size == other.intrinsics.size)
            #expect(abs(frame.intrinsics.cx - other.intrinsics.cx) < 1e-9)
            #expect(abs(frame.intrinsics.cy - other.intrinsics.cy) < 1e-9)
            let image = try #require(loader.image(of: frame, &problems))
            #expect(image.orientation == orientation)
            #expect(image.orientation == original.image(of: other, &ignored)?.orientation)
        }
        #expect(problems.isEmpty, "\(problems.entries)")
    }

    /// Of the app's own bags nothing says how an image is turned but its size and gravity.
    @Test(arguments: [ImageOrientation.portrait, .portraitUpsideDown])
    func turnIsDecidedByGravity(_ orientation: ImageOrientation) async throws {
        var options = Sample.everything
        options.durationSeconds = 0.5
        options.orientation = .fixed(orientation)
        let bagged = try await BaggedSample(options, profile: "app", keepsProvenance: false)
        let frames = try BaggedSample.frames(bagged.open())
        #expect(!frames.isEmpty && frames.allSatisfy { $0.declaredOrientation == orientation })
    }

    @Test func summaryIsWhole() async throws {
        let bagged = try await BaggedSample()
        let (summary, recorded) = (try bagged.open().summary, bagged.recorded.summary)
        #expect(summary.name == recorded.name)
        #expect(summary.deviceModel == recorded.deviceModel && summary.deviceModel != nil)
        #expect(summary.osVersion == recorded.osVersion)
        #expect(summary.worldAlignment == recorded.worldAlignment && summary.worldAlignment != nil)
        #expect(summary.frameCount == 60 && summary.lineCount == 60 && summary.isTimeOrdered)
        #expect(summary.firstTime.nanoseconds == recorded.firstTime.nanoseconds + bagged.offset)
        #expect(summary.lastTime.nanoseconds == recorded.lastTime.nanoseconds + bagged.offset)
        #expect(summary.medianIntervalSeconds == recorded.medianIntervalSeconds)
        #expect(summary.sensorSize == recorded.sensorSize && summary.depthSize == recorded.depthSize)
        #expect(summary.hasImages && summary.hasDepth && summary.hasConfidence)
        #expect(summary.payloads[.images]?.text == "4" && summary.payloads[.depth]?.text == "10")
        #expect(try bagged.open().examined().summary.hasDepth)
        #expect(summary.location.count == 3 && summary.motionSource.rawValue == "/mapping/imu")
        let anchor = EpochAnchor(ClockRequest(), summary)
        #expect(anchor.offsetNanoseconds == 0 && anchor.source == .unixAlready)
    }

    /// What a recorder without our metadata writes: device and name are in the message about the session.
    @Test func bagOfARecorderIsRead() async throws {
        let bagged = try await BaggedSample(storage: .mcap, keepsProvenance: false)
        let session = try bagged.open()
        #expect(session.summary.deviceModel == bagged.recorded.summary.deviceModel)
        #expect(session.summary.name == bagged.recorded.summary.name)
        let recorded = try bagged.recordedFrames()
        for frame in try BaggedSample.frames(session) {
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect(frame.worldFromCamera.rotation.angle(to: other.worldFromCamera.rotation) < 1e-7)
        }
    }

    @Test func bagBecomesTheSameBagAgain() async throws {
        let bagged = try await BaggedSample()
        let first = try await Replayed(bagged.sample.path)
        let again = try await Replayed(bagged.open(), profile: "full") { _ in }
        for name in ["/mapping/odom", "/mapping/imu", "/mapping/gps/fix", "/tf"] {
            #expect(again.stamps(name) == first.stamps(name), "\(name)")
        }
        let images = again.all("/mapping/camera/image/compressed", CompressedImage.self)
        #expect(images.map(\.data) == first.all("/mapping/camera/image/compressed", CompressedImage.self).map(\.data))
        let depths = again.all("/mapping/depth/image_raw", Image.self)
        #expect(depths.map(\.data) == first.all("/mapping/depth/image_raw", Image.self).map(\.data))
        #expect(!images.isEmpty && !depths.isEmpty)
    }

    /// Each worker reads the files by itself, in any order.
    @Test(arguments: storages) func workersGiveTheSame(_ storage: BagOptions.Storage) async throws {
        let bagged = try await BaggedSample(storage: storage, maximumChunkBytes: 300_000) { plan in
            plan.profile = Profile.named("data") ?? plan.profile
        }
        let session = try bagged.open()
        let frames = try BaggedSample.frames(session)
        func loaded(_ workers: Int) async throws -> [String] {
            var all: [String] = []
            var next = 0
            try await forEachOrdered(
                workers: workers,
                window: 3 * workers,
                next: { () -> FrameReference? in
                    defer { next += 1 }
                    return next < frames.count ? frames[next] : nil
                },
                makeWorker: { session.makeLoader() },
                transform: { loader, frame in
                    var problems = Diagnostics()
                    let image = loader.image(of: frame, &problems)?.bytes
                    let depth = loader.depth(of: frame, &problems)
                    let bits = depth?.metres.map(\.bitPattern)
                    return "\(frame.line) \(image.hashValue) \(bits.hashValue) \(depth?.confidence.hashValue ?? 0)"
                        + " \(problems.lostCount)"
                },
                deliver: { all.append($0) }
            )
            return all
        }
        let (one, four) = (try await loaded(1), try await loaded(4))
        #expect(one == four)
        #expect(Set(one).count == frames.count && frames.filter(\.hasImage).count == 20)
    }
}
