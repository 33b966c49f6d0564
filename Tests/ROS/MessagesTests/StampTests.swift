import Messages
import Testing

@Suite("Stamps")
struct StampTests {
    @Test(
        "seconds are rounded down, nanoseconds are never negative",
        arguments: [
            (0, 0, 0), (1, 0, 1), (-1, -1, 999_999_999), (1_700_000_000_123_456_789, 1_700_000_000, 123_456_789),
            (-1_000_000_000, -1, 0), (-1_000_000_001, -2, 999_999_999),
            (2_147_483_647_999_999_999, 2_147_483_647, 999_999_999),
            (-2_147_483_648_000_000_000, -2_147_483_648, 0),
        ] as [(Int64, Int32, UInt32)]
    )
    func split(nanoseconds: Int64, sec: Int32, nanosec: UInt32) {
        let time = Time(nanosecondsSinceEpoch: nanoseconds)
        #expect(time.sec == sec && time.nanosec == nanosec)
        #expect(time.nanosecondsSinceEpoch == nanoseconds)
    }

    @Test("what 32 bits of seconds cannot hold becomes the nearest that they can")
    func clamped() {
        #expect(Time(nanosecondsSinceEpoch: .max) == Time(sec: .max, nanosec: 999_999_999))
        #expect(Time(nanosecondsSinceEpoch: .min) == Time(sec: .min, nanosec: 0))
    }

    @Test("a message's time is that of its header, first transform or clock")
    func headerStamps() {
        let header = Header(stampNanoseconds: 42, frameID: "map")
        var imu = Imu()
        imu.header = header
        var markers = MarkerArray(markers: [Marker(), Marker()])
        markers.markers[0].header = header
        var transform = TransformStamped()
        transform.header = header
        var clock = ClockMessage()
        clock.clock = header.stamp
        var pose = PoseStamped()
        pose.header = header
        let stamped: [any Message] = [
            imu, header, markers, transform, TFMessage(transforms: [transform, TransformStamped()]),
            clock, pose,
        ]
        for message in stamped { #expect(message.headerStampNanoseconds == 42) }
        let timeless: [any Message] = [
            TFMessage(), MarkerArray(), StringMessage(data: "x"), Point(), EmptyMessage(), PublisherStats(), Pose(),
            Odometry().pose, RegionOfInterest(),
        ]
        for message in timeless { #expect(message.headerStampNanoseconds == nil) }
    }

    @Test("rosbag2's text of a profile has numbers for policies and rmw's infinity")
    func qosText() {
        #expect(
            QoS.latched.rosbag2Text == """
                - history: 1
                  depth: 1
                  reliability: 1
                  durability: 1
                  deadline:
                    sec: 9223372036
                    nsec: 854775807
                  lifespan:
                    sec: 9223372036
                    nsec: 854775807
                  liveliness: 1
                  liveliness_lease_duration:
                    sec: 9223372036
                    nsec: 854775807
                  avoid_ros_namespace_conventions: false
                """
        )
        let qos = QoS(history: .keepAll, depth: 7, reliability: .bestEffort, durability: .volatile)
        #expect(qos.rosbag2Text.hasPrefix("- history: 2\n  depth: 7\n  reliability: 2\n  durability: 2\n"))
    }
}
