import Arvos
import Messages
import Synchronization
import TestSupport
import Testing
import Text

/// What a phone sends as messages of topics.
@Suite struct ArvosDecoderTests {
    private let ledger = ArvosLedger()
    private let decoder: ArvosDecoder

    init() { decoder = ArvosDecoder(.mapping, ledger: ledger) { 1_700_000_000_000_000_000 } }

    private func messages(_ text: String) -> [StampedMessage] { decoder.messages(text: Array(text.utf8)) }

    @Test("one clock is fixed by the first time that a device shows")
    func clock() throws {
        _ = messages(#"{"type":"handshake","deviceName":"a","timestampNs":1000,"capabilities":{}}"#)
        let made = messages(#"{"sensorType":"pose","timestampNs":2500,"position":[0,0,0],"orientation":[0,0,0,1]}"#)
        #expect(Set(made.map(\.timeNanoseconds)) == [1_700_000_000_000_001_500])
        #expect(ledger.devices.map(\.clock.offsetNanoseconds) == [1_700_000_000_000_000_000 - 1000])
        // A later connection of the same phone keeps it, though its first message came a little later.
        let second = ArvosDecoder(.mapping, ledger: ledger) { 1_700_000_001_000_000_000 }
        let handshake = #"{"type":"handshake","deviceName":"a","timestampNs":900003000}"#
        #expect(second.messages(text: Array(handshake.utf8)).map(\.timeNanoseconds) == [1_700_000_000_900_002_000])
        // A phone that was started again, slept, or only has the same name gets another.
        for (uptime, now) in [
            (10, 1_800_000_000), (500_000_000_000_000, 1_700_000_002), (4_000_000_000, 1_700_000_012),
        ] {
            let nanoseconds = Int64(now) * 1_000_000_000
            let other = ArvosDecoder(.mapping, ledger: ledger) { nanoseconds }
            let handshake = #"{"type":"handshake","deviceName":"a","timestampNs":\#(uptime)}"#
            #expect(other.messages(text: Array(handshake.utf8)).map(\.timeNanoseconds) == [nanoseconds])
        }
        #expect(ledger.devices.count == 4)
    }

    /// Gyroscope samples as they come: the time of each, and when it came, in milliseconds.
    private func stamps(_ samples: [(time: Int, arrival: Int)]) -> [Int] {
        let now = Mutex<Int64>(0)
        let decoder = ArvosDecoder(.mapping, ledger: ledger) { now.withLock { $0 } }
        var made: [StampedMessage] = []
        for (time, arrival) in samples {
            now.withLock { $0 = Int64(1_700_000_000_000 + arrival) * 1_000_000 }
            let sample =
                #"{"type":"imu","timestampNs":\#(time)000000,"angularVelocity":[0,0,0],"linearAcceleration":[0,0,0]}"#
            made += decoder.messages(text: Array(sample.utf8))
        }
        made += decoder.finish()
        return made.map { Int($0.timeNanoseconds / 1_000_000 - 1_700_000_000_000) }
    }

    @Test("a clock that stood still while the phone slept is set forward; one that goes on is not")
    func sleep() {
        let before = (0..<5).map { (time: 1000 + 100 * $0, arrival: 100 * $0) }
        // Asleep for 8 s: all that follows comes 8 s later than the clock says.
        let awake = (5..<15).map { (time: 1000 + 100 * $0, arrival: 8000 + 100 * $0) }
        #expect(stamps(before + awake) == (before + awake).map(\.arrival))
        // A connection that stood still for 8 s: what waited comes at once, and then all is in time again.
        let late = (5..<85).map { (time: 1000 + 100 * $0, arrival: 8500 + $0) }
        let inTime = (86..<95).map { (time: 1000 + 100 * $0, arrival: 100 * $0) }
        let all = before + late + inTime
        #expect(stamps(all) == all.map { $0.time - 1000 })
        // A replay at half the speed falls behind slowly.
        let slow = (0..<300).map { (time: 1000 + 100 * $0, arrival: 200 * $0) }
        #expect(stamps(slow) == slow.map { $0.time - 1000 })
    }

    @Test("requests of several devices have a clock for each, and one for Unix time")
    func shared() {
        let now: Int64 = 1_700_000_000_000_000_000
        let decoder = ArvosDecoder(.mapping, ledger: ledger, isShared: true) { now }
        for time in [1_600_000_000_000_000_000, 1_000_000_000_000, 500_000_000_000_000, 1_000_500_000_000] as [Int64] {
            let text = #"{"type":"watch_activity","timestampNs":\#(time)}"#
            let expected = time > 1 << 60 ? time : time == 1_000_500_000_000 ? now + 500_000_000 : now
            #expect(decoder.messages(text: Array(text.utf8)).map(\.timeNanoseconds) == [expected])
        }
    }

    @Test("Unix time stays as it is")
    func unixTime() {
        let made = messages(#"{"type":"watch_activity","timestampNs":1600000000000000007,"isRunning":true}"#)
        #expect(made.map(\.timeNanoseconds) == [1_600_000_000_000_000_007])
        #expect(made.first?.message.compiled(as: StringMessage.self)?.data.contains("isRunning") == true)
    }

    @Test("ARKit's pose becomes that of the body in map, and the tree of frames comes with it")
    func pose() throws {
        // A phone held upright that looks along -z of ARKit's world, 2 m above its origin: body x is where it looks.
        let made = messages(#"{"type":"pose","timestampNs":1,"position":[1,2,3],"orientation":[0,0,0,1]}"#)
        #expect(made.map(\.topic.name) == ["/tf_static", "/tf", "/mapping/pose"])
        let pose = try #require(made.last?.message.compiled(as: PoseStamped.self))
        #expect(pose.header.frameID == "map")
        let place = pose.pose.position
        for (found, expected) in zip([place.x, place.y, place.z], [1.0, -3, 2]) {
            #expect(abs(found - expected) < 1e-12)
        }
        // map is x right, y where the camera looked, z up: the body is turned by 90 degrees about z.
        let half = 0.5.squareRoot()
        let q = pose.pose.orientation
        #expect(abs(abs(half * q.z + half * q.w) - 1) < 1e-12, "\(q)")
        let again = messages(#"{"type":"pose","timestampNs":2,"position":[1,2,3],"orientation":[0,0,0,1]}"#)
        #expect(again.map(\.topic.name) == ["/tf", "/mapping/pose"])
    }

    @Test("acceleration and gravity of Apple are the negative of specific force")
    func imu() throws {
        // At rest on a table, screen up: gravity is along -z of the phone, and an accelerometer shows +9.81.
        let text = """
            {"type":"imu","timestampNs":5,"angularVelocity":[0.1,0.2,0.3],"linearAcceleration":[0,0,0],
             "gravity":[0,0,-9.80665],"attitude":{"roll":0,"pitch":0,"yaw":0.5}}
            """
        let imu = try #require(messages(text).first?.message.compiled(as: Imu.self))
        #expect(imu.linearAcceleration.z == 9.80665 && imu.angularVelocity.y == 0.2)
        #expect(abs(imu.orientation.z - 0.24740395925452294) < 1e-15)
        let plain = #"{"type":"imu","timestampNs":6,"angularVelocity":[0,0,0],"linearAcceleration":[1,2,3]}"#
        let without = try #require(messages(plain).first?.message.compiled(as: Imu.self))
        #expect(without.orientationCovariance[0] == -1 && ledger.counts.withoutGravity == 1)
    }

    @Test("bad telemetry is refused and counted, and what follows is taken")
    func damage() {
        let bad = [
            #"{"type":"pose","timestampNs":1,"position":[0,0],"orientation":[0,0,0,1]}"#,
            #"{"type":"pose","timestampNs":1,"position":[0,0,0]}"#,
            #"{"type":"pose","timestampNs":1,"position":[0,0,"a"],"orientation":[0,0,0,1]}"#,
            #"{"type":"pose","timestampNs":1,"position":[0,0,0],"orientation":[0,0,0,0]}"#,
            #"{"type":"pose","timestampNs":-1,"position":[0,0,0],"orientation":[0,0,0,1]}"#,
            #"{"type":"pose","timestampNs":1.5,"position":[0,0,0],"orientation":[0,0,0,1]}"#,
            #"{"type":"pose","timestampNs":9223372036854775807,"position":[0,0,0],"orientation":[0,0,0,1]}"#,
            #"{"type":"pose","position":[0,0,0],"orientation":[0,0,0,1]}"#,
            #"{"type":"imu","timestampNs":1,"angularVelocity":[0,0,1e999],"linearAcceleration":[0,0,0]}"#,
            #"{"type":"imu","timestampNs":1,"angularVelocity":[0,0,0],"linearAcceleration":null}"#,
            #"{"type":"gps","timestampNs":1,"latitude":91,"longitude":0}"#,
            #"{"type":"unheard_of","timestampNs":1}"#,
            #"{"type":"camera","timestampNs":1}"#,
        ]
        for text in bad { #expect(messages(text).isEmpty, "\(text)") }
        #expect(ledger.counts.rejectedCount == bad.count && ledger.counts.receivedCount == 0)
        #expect(!messages(#"{"type":"gps","timestampNs":1,"latitude":47,"longitude":8,"altitude":400}"#).isEmpty)
        // Bytes that are no frame at all do not spoil the next one.
        #expect(decoder.messages(binary: [0xFF, 0xFF, 0xFF, 0x7F, 1]).isEmpty)
        let good = ArvosFrameTests.frame(#"{"type":"camera","timestampNs":2,"dataSize":2}"#, [0xFF, 0xD8])
        #expect(decoder.messages(binary: good).count == 1)
    }

    @Test("two frames in one message: the first is taken, the rest is said")
    func surplus() {
        let one = ArvosFrameTests.frame(#"{"type":"camera","timestampNs":2,"dataSize":2}"#, [0xFF, 0xD8])
        #expect(decoder.messages(binary: one + one).count == 1)
        #expect(ledger.counts.rejected == [.surplus: 1])
    }

    @Test("gaps in the sender's numbers are counted, also where the numbers are absurd")
    func sequence() {
        for sequence in ["1", "2", "5", "4", "6", "-9", "1000000000000000000", "9223372036854775807", "null"] {
            _ = messages(#"{"type":"status","sequence":\#(sequence)}"#)
        }
        #expect(ledger.counts.lostInSequence == 9_223_372_036_854_775_801)
    }

    @Test("a cloud as binary PLY, as text and with other properties")
    func clouds() throws {
        func cloud(_ ply: String, _ body: [UInt8] = []) -> PointCloud2? {
            let bytes = Array(ply.utf8) + body
            let frame = ArvosFrameTests.frame(#"{"type":"depth","timestampNs":3,"format":"ply"}"#, bytes)
            return decoder.messages(binary: frame).first?.message.compiled(as: PointCloud2.self)
        }
        func floats(_ cloud: PointCloud2) -> [Float] {
            stride(from: 0, to: cloud.data.count, by: 4).map { place in
                Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(cloud.data[place + $1]) << (8 * UInt32($1)) })
            }
        }
        let text = """
            ply
            format ascii 1.0
            comment by hand
            element vertex 2
            property float x
            property float y
            property float z
            property uchar red
            property uchar green
            property uchar blue
            end_header
            1 2 3 255 0 16
            -1 0.5 0 1 2 3

            """
        let asText = try #require(cloud(text))
        // ARKit's y is up: map has it as z.
        #expect(asText.width == 2 && asText.header.frameID == "map" && asText.pointStep == 16)
        #expect(Array(floats(asText)[0..<3]) == [1, -3, 2] && Array(asText.data[12..<16]) == [16, 0, 255, 0])
        let header = """
            ply
            format binary_little_endian 1.0
            element vertex 1
            property double x
            property double y
            property double z
            property uchar alpha
            end_header

            """
        var body: [UInt8] = []
        for value in [1.5, 2.5, 3.5] {
            body += (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) }
        }
        let wide = try #require(cloud(header, body + [7]))
        #expect(Array(floats(wide)[0..<3]) == [1.5, -3.5, 2.5])
        #expect(cloud(header, body) == nil)
        #expect(cloud(text.replacing("vertex 2", with: "vertex 4000000000")) == nil)
        #expect(cloud(text.replacing("ascii", with: "binary_big_endian")) == nil)
        #expect(cloud("solid") == nil)
        #expect(ledger.counts.rejectedCount == 4)
    }

    @Test("H.264 is kept as it came")
    func video() throws {
        let header = #"{"type":"camera","timestampNs":2,"format":"h264","width":1920,"height":1440,"dataSize":4}"#
        let made = decoder.messages(binary: ArvosFrameTests.frame(header, [0, 0, 0, 1]))
        let video = try #require(made.first?.message.compiled(as: CompressedVideo.self))
        #expect(
            made.first?.topic.name == "/mapping/camera/video"
                && made.first?.topic.typeName == "foxglove_msgs/msg/CompressedVideo"
        )
        #expect(video.data == [0, 0, 0, 1] && video.format == "h264")
    }

    @Test("names of Arvos's own bridge")
    func names() {
        let decoder = ArvosDecoder(.arvos, ledger: ledger) { 0 }
        let gps = #"{"type":"gps","timestampNs":1,"latitude":47,"longitude":8}"#
        #expect(decoder.messages(text: Array(gps.utf8)).map(\.topic.name) == ["/arvos/gps", "/arvos/gps/metadata"])
    }
}
