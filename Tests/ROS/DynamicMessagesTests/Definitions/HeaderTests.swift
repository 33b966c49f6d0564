import Messages
import TestSupport
import Testing

@Suite("Headers of dynamic messages")
struct HeaderTests {
    @Test("times and frames of headers, of stamped elements, of clocks")
    func finding() throws {
        var transforms = TFMessage()
        for index in 1...3 {
            var transform = TransformStamped()
            transform.header.stamp = Time(nanosecondsSinceEpoch: Int64(index) * 1_500_000_000)
            transform.header.frameID = "frame\(index)"
            transforms.transforms.append(transform)
        }
        let schema = MessageSchema.compiled(TFMessage.self)
        var value = try schema.decode(cdr: transforms.encodedCDR())
        #expect(value.message?.headerStampsNanoseconds == [1_500_000_000, 3_000_000_000, 4_500_000_000])
        #expect(value.message?.headerFrameIDs == ["frame1", "frame2", "frame3"])
        let isSet = value.mapHeaderStamps { _ in -1 }
        #expect(isSet)
        #expect(value.message?.headerStampsNanoseconds == [-1, -1, -1])
        let again = try TFMessage.decoding(cdr: try schema.encodedCDR(value))
        #expect(again.transforms.map(\.header.stamp.nanosecondsSinceEpoch) == [-1, -1, -1])
        #expect(again.transforms.map(\.header.frameID) == ["frame1", "frame2", "frame3"])
    }

    @Test("a clock has a time, a string and a duration have none")
    func others() throws {
        let clock = MessageSchema.compiled(ClockMessage.self)
        var value = try clock.decode(json: Array(#"{"clock":{"sec":1,"nanosec":5}}"#.utf8))
        #expect(value.headerStampNanoseconds == 1_000_000_005)
        #expect(value.headerFrameID == nil)
        let isMoved = value.mapHeaderStamps { $0 + 10 }
        #expect(isMoved)
        #expect(value.headerStampNanoseconds == 1_000_000_015)
        let texts = [
            "string data", "builtin_interfaces/Duration a", "", "std_msgs/Header[] a", "std_msgs/Header[1] a",
            "uint8 a\nstd_msgs/Header b",
        ]
        for text in texts {
            let schema = try MessageSchema(typeName: "p/msg/M", definitionText: text)
            var value = try schema.decode(json: Array("{}".utf8))
            #expect(value.headerStampNanoseconds == nil)
            let isSet = value.mapHeaderStamps { _ in 1 }
            #expect(!isSet)
        }
    }
}
