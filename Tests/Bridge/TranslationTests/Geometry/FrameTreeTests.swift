import Messages
import Recording
import Synthetic
import Testing
import Translation

/// The tree of frames, and where things are in it.
@Suite struct FrameTreeTests {
    private func edges(_ replayed: Replayed) -> [(parent: String, child: String, transform: Recording.Transform)] {
        replayed.all("/tf_static", TFMessage.self).flatMap(\.transforms)
            .map { ($0.header.frameID, $0.childFrameID, Recording.Transform($0.transform)) }
    }

    @Test func staticTreeIsCompleteAndSentOnce() async throws {
        let replayed = try await Played.everything().replayed
        #expect(replayed.stamps("/tf_static").count == 1)
        let edges = edges(replayed)
        #expect(
            edges.prefix(3).map { "\($0.parent)>\($0.child)" } == ["earth>map", "map>odom", "base_link>iphone_camera"]
        )
        let children = edges.map(\.child)
        #expect(Set(children).count == children.count)
        let parents = Dictionary(uniqueKeysWithValues: edges.map { ($0.child, $0.parent) })
        for frame in ["iphone_camera_optical_frame", "imu_link", "gps_link", "iphone_camera_portrait_optical_frame"] {
            var place = frame
            while let parent = parents[place] { place = parent }
            #expect(place == "base_link", "\(frame)")
        }
        #expect(edges[1].transform == .identity)
        #expect(
            replayed.all("/tf", TFMessage.self).allSatisfy {
                $0.transforms.count == 1 && $0.transforms[0].header.frameID == "odom"
                    && $0.transforms[0].childFrameID == "base_link"
            }
        )
    }

    /// A point seen by the stored image is found again through the tree, wherever the phone was held.
    @Test(arguments: ImageOrientation.allCases)
    func treeLeadsFromTheImageToTheMap(orientation: ImageOrientation) async throws {
        var options = Sample.everything
        options.durationSeconds = 0.5
        options.orientation = .fixed(orientation)
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path)
        let info = try #require(replayed.all("/mapping/camera/camera_info", CameraInfo.self).first)
        let edges = edges(replayed)
        let optical = try #require(edges.first { $0.child == info.header.frameID }).transform
        let camera = try #require(edges.first { $0.child == "iphone_camera" }).transform
        let body = try #require(replayed.all("/tf", TFMessage.self).first).transforms[0]
        #expect(body.header.stampNanoseconds == info.header.stampNanoseconds)
        let mapFromOptical = Recording.Transform(body.transform) * camera * optical
        let worldFromCamera = sample.truth.worldFromCamera(at: info.header.stampNanoseconds)
        // Sensor point (60, 20) at 2 m, straight from the definitions of the recording app.
        let sensor = SyntheticSession.intrinsics(options.imageSize)
        let p = Recording.Vector3((60 - sensor.cx) / sensor.fx * 2, -(20 - sensor.cy) / sensor.fy * 2, -2)
        let w = worldFromCamera * p
        // Whole numbers are centres of pixels: the place of pixel (60, 20) after the turn of a sensor of 96 x 72.
        let stored: (x: Double, y: Double) =
            switch orientation {
            case .landscapeRight: (60, 20)
            case .landscapeLeft: (35, 51)
            case .portrait: (51, 60)
            case .portraitUpsideDown: (20, 35)
            }
        let q = Recording.Vector3((stored.x - info.k[2]) / info.k[0] * 2, (stored.y - info.k[5]) / info.k[4] * 2, 2)
        #expect((mapFromOptical * q).isClose(to: Recording.Vector3(w.x, -w.z, w.y), 1e-5))
    }

    @Test func posesAreTheTruth() async throws {
        let played = try await Played.everything()
        for message in played.replayed.all("/mapping/pose", PoseStamped.self) {
            let truth = played.truth.worldFromCamera(at: message.header.stampNanoseconds)
            let t = truth.translation
            #expect(message.header.frameID == "map")
            #expect(Recording.Vector3(message.pose.position).isClose(to: Recording.Vector3(t.x, -t.z, t.y), 1e-6))
            let body = Recording.Quaternion(message.pose.orientation)
            let forward = truth.rotation.rotating(Recording.Vector3(0, 0, -1))
            let up = truth.rotation.rotating(Recording.Vector3(0, 1, 0))
            #expect(
                body.rotating(Recording.Vector3(1, 0, 0))
                    .isClose(to: Recording.Vector3(forward.x, -forward.z, forward.y), 1e-6)
            )
            #expect(body.rotating(Recording.Vector3(0, 0, 1)).isClose(to: Recording.Vector3(up.x, -up.z, up.y), 1e-6))
        }
    }

    /// Velocity in the body's axes, from neighbouring poses: half a frame behind the truth.
    @Test func odometryMovesAsTheTruthDoes() async throws {
        let played = try await Played.everything()
        let messages = played.replayed.all("/mapping/odom", Odometry.self)
        #expect(messages.count == 60)
        #expect(messages[0].twist.covariance[0] > 1000 && messages[1].twist.covariance[0] < 1)
        let trajectory = SyntheticSession.trajectory(played.truth.options)
        for message in messages.dropFirst() {
            #expect(message.header.frameID == "odom" && message.childFrameID == "base_link")
            let seconds = Double(message.header.stampNanoseconds - played.truth.stamp(0)) / 1e9 - 0.5 / 30
            let inCamera = trajectory.worldFromCamera(atSeconds: seconds).rotation.inverse
                .rotating(trajectory.velocity(atSeconds: seconds))
            let turn = trajectory.angularVelocity(atSeconds: seconds)
            let linear = Recording.Vector3(-inCamera.z, -inCamera.x, inCamera.y)
            #expect(Recording.Vector3(message.twist.twist.linear).isClose(to: linear, 0.02))
            #expect(
                Recording.Vector3(message.twist.twist.angular).isClose(
                    to: Recording.Vector3(-turn.z, -turn.x, turn.y),
                    0.01
                )
            )
            for axis in 0..<6 { #expect(message.pose.covariance[axis * 7] > 0) }
        }
        let fastest = messages.map { Recording.Vector3($0.twist.twist.linear).length }.max() ?? 0
        #expect(fastest > 0.2)
    }
}
