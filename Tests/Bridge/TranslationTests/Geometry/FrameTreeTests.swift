import Messages
import Recording
import Sessions
import Synthetic
import SystemPackage
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

    /// What RGB-D readers ask of an image and its depth: one frame, and sides of one ratio; and the depth of a pixel is that of
    /// the sensor's pixel which shows the same point.
    @Test(arguments: ImageOrientation.allCases, ["data", "full"])
    func depthIsTurnedWithItsImage(orientation: ImageOrientation, profile: String) async throws {
        var options = Sample.everything
        options.durationSeconds = 1
        options.orientation = .fixed(orientation)
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path, profile: profile)
        let cameras = replayed.all("/mapping/camera/camera_info", CameraInfo.self)
        let infos = replayed.all("/mapping/depth/camera_info", CameraInfo.self)
        let depths = replayed.all("/mapping/depth/image_raw", Image.self)
        let confidences = replayed.all("/mapping/depth/confidence", Image.self)
        #expect(depths.count > 3 && infos.count == depths.count && confidences.count == depths.count)
        var pairs = 0
        for depth in depths {
            for camera in cameras where camera.header.stamp == depth.header.stamp {
                pairs += 1
                #expect(camera.header.frameID == depth.header.frameID)
                #expect(camera.width * depth.height == camera.height * depth.width)
            }
        }
        #expect(pairs >= (profile == "data" ? depths.count : 1))

        let session = try SessionFormats.open(path: sample.path.string)
        let frame = try #require(BaggedSample.frames(session).first { $0.hasDepth })
        var problems = Diagnostics()
        let truth = try #require(session.makeLoader().depth(of: frame, &problems))
        let (depth, info) = (try #require(depths.first), try #require(infos.first))
        let edges = edges(replayed)
        let toSensor =
            try #require(edges.first { $0.child == "iphone_camera_optical_frame" }).transform.inverse
            * (try #require(edges.first { $0.child == depth.header.frameID }).transform)
        let sensor = frame.intrinsics.scaled(toWidth: truth.width, height: truth.height)
        #expect(Int(depth.width * depth.height) == truth.metres.count && info.header.isSame(as: depth.header))
        var seen: Set<Int> = []
        for place in truth.metres.indices {
            let (u, v) = (Double(place % Int(depth.width)), Double(place / Int(depth.width)))
            let ray = toSensor * Recording.Vector3((u - info.k[2]) / info.k[0], (v - info.k[5]) / info.k[4], 1)
            let (x, y) = (ray.x / ray.z * sensor.fx + sensor.cx, ray.y / ray.z * sensor.fy + sensor.cy)
            #expect(abs(x - x.rounded()) < 1e-6 && abs(y - y.rounded()) < 1e-6)
            let source = Int(y.rounded()) * truth.width + Int(x.rounded())
            seen.insert(source)
            let bits = depth.data[4 * place..<4 * place + 4].enumerated().reduce(0) {
                $0 | UInt32($1.element) << (8 * $1.offset)
            }
            let metres = Float(bitPattern: bits)
            #expect(metres == truth.metres[source] || metres.isNaN && !(truth.metres[source] > 0))
            #expect(confidences.first?.data[place] == truth.confidence?[source])
        }
        #expect(seen.count == truth.metres.count)
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
