import Foundation
import Messages
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

@Suite struct SensorMessageTests {
    /// The axis that points up reads +9.80665 at rest; the phone's acceleration comes on top of it.
    @Test func specificForcePointsUp() async throws {
        let played = try await Played.everything()
        let messages = played.replayed.all("/mapping/imu", Imu.self)
        let trajectory = SyntheticSession.trajectory(played.truth.options)
        #expect(messages.count == 206)
        for message in messages {
            #expect(message.header.frameID == "imu_link")
            let seconds = Double(message.header.stampNanoseconds - played.truth.stamp(0)) / 1e9
            let force = Recording.Vector3(message.linearAcceleration)
            let inCamera = Recording.Vector3(-force.y, force.x, force.z)
            let inWorld = trajectory.worldFromCamera(atSeconds: seconds).rotation.rotating(inCamera)
            let expected = trajectory.acceleration(atSeconds: seconds) + Recording.Vector3(0, 9.80665, 0)
            #expect(inWorld.isClose(to: expected, 1e-5))
            // The orientation leads to a frame with z up, turned against the world by the generator's 0.7 rad: all of
            // the force is where it is in the world, not its tilt alone.
            let upright = Recording.Quaternion(message.orientation).rotating(force)
            let turned = Recording.Vector3(
                expected.x * cos(0.7) + expected.z * sin(0.7),
                expected.x * sin(0.7) - expected.z * cos(0.7),
                expected.y
            )
            #expect(upright.isClose(to: turned, 1e-5))
            // Tilt is known to 0.01 rad, the heading not at all; rows and columns are x, y, z of the reference.
            #expect((0..<9).map { message.orientationCovariance[$0] } == [1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e6])
            let turn = trajectory.angularVelocity(atSeconds: seconds)
            #expect(
                Recording.Vector3(message.angularVelocity).isClose(to: Recording.Vector3(turn.y, -turn.x, turn.z), 1e-5)
            )
        }
    }

    @Test func phoneOnATable() async throws {
        var builder = try SessionBuilder(frameCount: 2)
        for line in 0..<2 {
            builder.lines[line]["gravity"] = "[0,0,-1]"
            builder.lines[line]["user_acceleration"] = "[0,0,0]"
            builder.lines[line]["attitude_quaternion"] = nil
        }
        let message = try #require(try await play(builder).all("/mapping/imu", Imu.self).first)
        #expect(Recording.Vector3(message.linearAcceleration) == Recording.Vector3(0, 0, 9.80665))
        #expect(message.orientationCovariance[0] == -1)
        #expect(message.linearAccelerationCovariance[0] == 0 && message.angularVelocityCovariance[0] == 0)
    }

    /// Writers disagree about the direction of the quaternion: both give the same messages.
    @Test func invertedAttitudesAreTurnedBack() async throws {
        let played = try await Played.everything()
        let sample = try await Sample(Sample.everything)
        let file = URL(fileURLWithPath: sample.path.appending("imu.jsonl").string)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line -> String in
            var object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let q = try #require(object["attitude_quaternion"] as? [Double])
            object["attitude_quaternion"] = [-q[0], -q[1], -q[2], q[3]]
            return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: false, encoding: .utf8)
        let replayed = try await Replayed(sample.path)
        let expected = played.replayed.all("/mapping/imu", Imu.self).map(\.orientation)
        let found = replayed.all("/mapping/imu", Imu.self).map(\.orientation)
        #expect(found.count == 206)
        for (a, b) in zip(expected, found) {
            let difference = Recording.Quaternion(a).inverse * Recording.Quaternion(b)
            #expect(difference.rotationVector.length < 1e-9)
        }
        #expect(replayed.report.diagnostics.isEmpty)
        let inspection = try await Inspection.run(replayed.setup)
        #expect(inspection.attitude.direction == .deviceFromReference)
    }

    /// An attitude that gravity contradicts is published with the doubt that this casts on it, and reported.
    @Test func attitudesThatContradictGravity() async throws {
        var builder = try SessionBuilder(frameCount: 10)
        // 0.2 rad about x, where gravity says level.
        for line in 0..<10 {
            builder.lines[line]["gravity"] = "[0,0,-1]"
            builder.lines[line]["attitude_quaternion"] = "[0.0998334166,0,0,0.9950041653]"
        }
        let replayed = try await play(builder)
        let message = try #require(replayed.all("/mapping/imu", Imu.self).first)
        // 2 sin(0.1) squared.
        #expect(abs(message.orientationCovariance[0] - 0.039867) < 1e-3)
        #expect(message.orientationCovariance[4] == message.orientationCovariance[0])
        #expect(message.orientationCovariance[8] == 1e6)
        #expect(replayed.report.diagnostics.count(of: .attitudeDisagrees) == 1)
        for profile in ["record", "full"] {
            let directory = try TemporaryDirectory()
            let setup = try Replayed.setup(builder.write(into: directory.path), profile: profile)
            #expect(try await Inspection.run(setup).diagnostics.count(of: .attitudeDisagrees) == 1)
        }
    }

    /// Altitude above the ellipsoid or NaN; the covariance type says what is known.
    ///
    /// An accuracy is the radius that holds 68 % of a two-dimensional distribution: 1.515 standard deviations.
    @Test func fixesSayWhatIsKnown() async throws {
        var builder = try SessionBuilder(frameCount: 6)
        let place = "\"latitude\":48.1,\"longitude\":11.5"
        builder.files["gps.jsonl"] = Array(
            """
            {"timestamp":1000,\(place),"altitude":520,"ellipsoidal_altitude":565.5,"horizontal_accuracy":4,"vertical_accuracy":6}
            {"timestamp":1001,\(place),"altitude":520,"horizontal_accuracy":4,"vertical_accuracy":-1}
            {"timestamp":1002,\(place),"altitude":520,"horizontal_accuracy":-1,"vertical_accuracy":3}
            {"timestamp":1003,\(place)}

            """.utf8
        )
        let fixes = try await play(builder).all("/mapping/gps/fix", NavSatFix.self)
        try #require(fixes.count == 4)
        #expect(fixes.map(\.positionCovarianceType) == [2, 1, 0, 0])
        #expect(fixes[0].altitude == 565.5 && fixes.dropFirst().allSatisfy { $0.altitude.isNaN })
        let covariance = (0..<9).map { fixes[0].positionCovariance[$0] }
        #expect(covariance.enumerated().allSatisfy { $0.offset % 4 == 0 || $0.element == 0 })
        // 4² / 1.515² = 6.9709.
        #expect(abs(covariance[0] - 6.9709) < 1e-3 && covariance[4] == covariance[0] && covariance[8] == 36)
        #expect(fixes[1].positionCovariance[0] == covariance[0] && fixes[1].positionCovariance[8] == 16)
        #expect((0..<9).allSatisfy { fixes[2].positionCovariance[$0] == 0 })
        #expect(fixes.allSatisfy { $0.latitude == 48.1 && $0.longitude == 11.5 && $0.header.frameID == "gps_link" })
        // Wherever there is a place there is a fix.
        #expect(fixes.map(\.status.status) == [0, 0, 0, 0])
    }

    /// The stored bytes, and the camera matrix of just those bytes.
    @Test func imagesAreTheFilesAndCamerasMatchThem() async throws {
        var options = Sample.everything
        options.orientation = .mixed
        options.durationSeconds = 4
        options.framesPerSecond = 2
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path)
        let images = replayed.all("/mapping/camera/image/compressed", CompressedImage.self)
        let infos = replayed.all("/mapping/camera/camera_info", CameraInfo.self)
        #expect(images.count == 8 && infos.count == 8)
        let k = SyntheticSession.intrinsics(options.imageSize)
        let turns: [(frame: String, width: UInt32, height: UInt32, cx: Double, cy: Double)] = [
            ("iphone_camera_optical_frame", 96, 72, k.cx, k.cy),
            ("iphone_camera_portrait_optical_frame", 72, 96, 71 - k.cy, k.cx),
            ("iphone_camera_landscape_left_optical_frame", 96, 72, 95 - k.cx, 71 - k.cy),
            ("iphone_camera_portrait_upside_down_optical_frame", 72, 96, k.cy, 95 - k.cx),
        ]
        for (index, image) in images.enumerated() {
            let file = sample.path.appending("rgb").appending("\(SessionBuilder.number(index)).jpg")
            #expect(try image.data == Array(Data(contentsOf: URL(fileURLWithPath: file.string))))
            #expect(image.format == "rgb8; jpeg compressed bgr8")
            let info = infos[index]
            #expect(info.header.isSame(as: image.header))
            let turn = turns[index / 2]
            #expect(info.header.frameID == turn.frame)
            #expect(info.width == turn.width && info.height == turn.height)
            // The focal lengths differ by 0.3 %, and go with their axes.
            let (fx, fy) = turn.width == 96 ? (k.fx, k.fy) : (k.fy, k.fx)
            #expect(abs(k.fy / k.fx - 1.003) < 1e-6)
            // Not turned, these are the session's own numbers.
            let expected = [fx, 0, turn.cx, 0, fy, turn.cy, 0, 0, 1]
            #expect((0..<9).allSatisfy { abs(info.k[$0] - expected[$0]) < 1e-9 })
            #expect((0..<12).allSatisfy { $0 % 4 == 3 ? info.p[$0] == 0 : info.p[$0] == info.k[$0 / 4 * 3 + $0 % 4] })
            #expect((0..<9).map { info.r[$0] } == [1, 0, 0, 0, 1, 0, 0, 0, 1])
            #expect(info.d == [0, 0, 0, 0, 0] && info.distortionModel == "plumb_bob")
        }
    }

    /// Somebody made the image half as large: its camera matrix follows.
    @Test func cameraFollowsAScaledImage() async throws {
        var builder = try SessionBuilder(frameCount: 1) { _ in .portrait }
        builder.files["rgb/000000.jpg"] = try SessionBuilder.jpeg(width: 24, height: 32)
        let info = try #require(try await play(builder).all("/mapping/camera/camera_info", CameraInfo.self).first)
        #expect(info.width == 24 && info.height == 32)
        // Turned, the principal point is (47 - 23.75, 32.25); half a pixel from the corner both grids agree.
        #expect(info.k[0] == 50.15 / 2 && info.k[4] == 25)
        #expect(info.k[2] == (47 - 23.75 + 0.5) / 2 - 0.5 && info.k[5] == (32.25 + 0.5) / 2 - 0.5)
    }

    @Test func depthImages() async throws {
        var builder = try SessionBuilder(frameCount: 1)
        var metres = (0..<192).map { 0.5 + Float($0) / 50 }
        metres[0] = 0
        metres[1] = -1
        metres[2] = .infinity
        metres[3] = Float(bitPattern: 0x7F80_0001)
        metres[4] = 70
        builder.files["depth/000000.bin"] = SessionBuilder.depth(metres: metres)
        builder.files["confidence/000000.bin"] = (0..<192).map { UInt8($0 % 3) }
        let replayed = try await play(builder)
        let raw = try #require(replayed.all("/mapping/depth/image_raw", Image.self).first)
        #expect(raw.encoding == "32FC1" && raw.width == 16 && raw.height == 12 && raw.step == 64)
        #expect(raw.isBigEndian == 0 && raw.header.frameID == "iphone_camera_optical_frame")
        let nan = SessionBuilder.depth(metres: [.nan])
        #expect(raw.data == nan + nan + nan + nan + SessionBuilder.depth(metres: Array(metres.dropFirst(4))))
        let confidence = try #require(replayed.all("/mapping/depth/confidence", Image.self).first)
        #expect(confidence.encoding == "mono8" && confidence.step == 16)
        #expect(confidence.data == (0..<192).map { UInt8($0 % 3) })
        let info = try #require(replayed.all("/mapping/depth/camera_info", CameraInfo.self).first)
        #expect(info.width == 16 && info.header.isSame(as: raw.header))
        #expect(info.k[0] == 12.5 && info.k[4] == 50.15 / 4)
        let centre: (x: Double, y: Double) = ((32.25 + 0.5) / 4 - 0.5, (23.75 + 0.5) / 4 - 0.5)
        #expect(info.k[2] == centre.x && info.k[5] == centre.y)
        let compressed = try #require(
            replayed.all("/mapping/depth/image_raw/compressedDepth", CompressedImage.self).first
        )
        #expect(compressed.format == "16UC1; compressedDepth png")
        #expect(compressed.data.prefix(12) == [UInt8](repeating: 0, count: 12)[...])
        #expect(compressed.data.dropFirst(12).prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    private func play(_ builder: SessionBuilder) async throws -> Replayed {
        let directory = try TemporaryDirectory()
        return try await Replayed(builder.write(into: directory.path), epoch: .boot)
    }
}
