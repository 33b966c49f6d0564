import Arvos
import Messages
import Rosbridge
import Synchronization
import Testing
import WebSocket

/// Messages through a sink that listens, to a receiver that connects.
@Suite(.serialized) struct ArvosSinkTests {
    private let pose = Topic(name: "/mapping/pose", type: PoseStamped.self, qos: .reliable(depth: 10))
    private let imu = Topic(name: "/mapping/imu", type: Imu.self, qos: .reliable(depth: 10))
    private let cloud = Topic(name: "/mapping/pointcloud/lidar", type: PointCloud2.self, qos: .reliable(depth: 10))
    private let text = Topic(name: "/chatter", type: StringMessage.self, qos: .reliable(depth: 10))

    /// What a receiver gets of messages, and what the sink says of them.
    private func send(
        _ messages: [(Topic, any Message)],
        _ arvos: ArvosOptions = ArvosOptions()
    ) async throws -> (ArvosCounts, [StampedMessage], SinkReport) {
        let options = ServerOptions {
            $0.address = "127.0.0.1"
            $0.port = 0
            $0.maximumMessageSize = 1 << 20
        }
        var delivery = ArvosSink.Delivery()
        delivery.waits = true
        let sink = ArvosSink(.listen(options), options: arvos, delivery: delivery)
        let opening = Task { try await sink.open([pose, imu, cloud, text]) }
        while await sink.port == nil { try await Task.sleep(for: .milliseconds(5)) }
        let port = try #require(await sink.port)
        let received = Mutex<[StampedMessage]>([])
        let limits = ConnectionLimits(bytes: 1 << 20)
        let receiver = ArvosReceiver(
            [.connect(try RosbridgeURL("127.0.0.1:\(port)"), TransportOptions { $0.limits = limits })],
            ArvosReceiver.Delivery(
                now: { 1_700_000_000_000_000_000 },
                notice: { _ in },
                deliver: { batch in received.withLock { $0 += batch } }
            )
        )
        let receiving = Task { try await receiver.run(untilDisconnect: true) }
        try await opening.value
        for (topic, message) in messages {
            try await sink.write(StampedMessage(topic: topic, timeNanoseconds: 1_000_000_000, message: message))
        }
        let report = try await sink.finish()
        try await receiving.value
        return (await receiver.counts, received.withLock { $0 }, report)
    }

    private func pose(_ x: Double) -> PoseStamped {
        var message = PoseStamped()
        message.header = Header(stampNanoseconds: 1_000_000_000, frameID: "map")
        message.pose.position = Point(x: x, y: 2, z: 3)
        message.pose.orientation = Quaternion(x: 0, y: 0, z: 0, w: 1)
        return message
    }

    private func cloud(_ values: [Float], _ frame: String = "map") -> PointCloud2 {
        var message = PointCloud2()
        message.header = Header(stampNanoseconds: 1_000_000_000, frameID: frame)
        message.height = 1
        message.width = UInt32(values.count / 3)
        message.pointStep = 12
        message.rowStep = 12 * message.width
        message.fields = ["x", "y", "z"].enumerated().map { place, name in
            PointField(name: name, offset: UInt32(4 * place), datatype: PointField.float32, count: 1)
        }
        message.data = values.flatMap { value in
            (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
        }
        return message
    }

    @Test("what JSON has no number for is not sent, and is counted")
    func nothingThatJSONCannotSay() async throws {
        var motion = Imu()
        motion.angularVelocity = Vector3(x: .nan, y: 0, z: 0)
        let (counts, messages, report) = try await send([
            (pose, pose(.nan)), (pose, pose(1)), (pose, pose(.infinity)), (imu, motion),
            (cloud, cloud([1, 2, 3, .nan, 0, 0])), (text, StringMessage(data: "hello")),
        ])
        #expect(counts.rejectedCount == 0 && counts.lostInSequence == 0, "\(counts)")
        #expect(counts.messages == ["handshake": 1, "status": 2, "pose": 1, "depth": 1])
        let place = messages.compactMap { $0.message.compiled(as: PoseStamped.self) }.first?.pose.position
        #expect(place.map { abs($0.x - 1) < 1e-12 && abs($0.y - 2) < 1e-12 && abs($0.z - 3) < 1e-12 } == true)
        let points = try #require(messages.compactMap { $0.message.compiled(as: PointCloud2.self) }.first)
        #expect(points.width == 2 && !points.isDense)
        #expect(report.topics.map(\.written).reduce(0, +) == 2)
        #expect(report.warnings.contains { $0.contains("2 messages of /mapping/pose have no form in Arvos") })
        #expect(report.warnings.contains { $0.contains("topics without a form in Arvos: /chatter") })
    }

    @Test("a cloud in the sensor's frame is placed by the pose of its stamp, sent or not", arguments: [true, false])
    func sensorFrame(sendsPoses: Bool) async throws {
        var arvos = ArvosOptions()
        if !sendsPoses { arvos.streams = [.camera, .depth] }
        // The body at (1, 2, 3) looks along x; what lies 5 m ahead, 1 m to the right and 2 m below is at (6, 1, 1) in the map.
        let (_, messages, _) = try await send(
            [
                (pose, pose(1)), (cloud, cloud([1, 2, 5], "iphone_camera_optical_frame")),
            ],
            arvos
        )
        #expect(sendsPoses == messages.contains { $0.message.compiled(as: PoseStamped.self) != nil })
        let points = try #require(messages.compactMap { $0.message.compiled(as: PointCloud2.self) }.first)
        #expect(points.header.frameID == "map" && points.width == 1)
        let place = (0..<3).map { axis in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(points.data[4 * axis + $1]) << (8 * UInt32($1)) })
        }
        #expect(zip(place, [6, 1, 1] as [Float]).allSatisfy { abs($0 - $1) < 1e-5 }, "\(place)")
    }

    @Test("a cloud that is too large for a message is thinned evenly")
    func thinned() async throws {
        let (counts, messages, report) = try await send([
            (cloud, cloud((0..<240_000).map { Float($0 / 3) * 0.001 }))
        ])
        #expect(counts.messages["depth"] == 1)
        let points = try #require(messages.compactMap { $0.message.compiled(as: PointCloud2.self) }.first)
        // 80,000 points of 15 bytes do not fit: every second one does.
        #expect(points.width == 40_000)
        #expect(report.warnings.contains { $0.contains("1 clouds were thinned to fit: 40000 of 80000 points") })
    }
}
