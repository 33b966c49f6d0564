import Messages
import Testing

@Suite("Definition texts")
struct DefinitionTests {
    @Test("constants, then fields; the own package has no prefix, defaults are written")
    func msgText() {
        #expect(
            PointField.msgText.hasPrefix("uint8 INT8=1\nuint8 UINT8=2\n")
                && PointField.msgText.hasSuffix("string name\nuint32 offset\nuint8 datatype\nuint32 count\n")
        )
        #expect(Pose.msgText == "Point position\nQuaternion orientation\n")
        #expect(PoseStamped.msgText == "std_msgs/Header header\nPose pose\n")
        #expect(Quaternion.msgText == "float64 x\nfloat64 y\nfloat64 z\nfloat64 w 1.0\n")
        #expect(EmptyMessage.msgText == "")
        #expect(
            Seqs.msgText
                == "uint8[] a\nfloat64[] b\nstring[] c\nbool[] d\nuint16[3] e\nstring f\nint32[] g\nfloat32[2] h\n"
        )
        #expect(Nest.msgText == "uint8 a\nInner[] b\nInner[2] c\nstring d\nInner e\n")
    }

    @Test("dependencies follow depth first, by name, each once")
    func definitionText() {
        let rule = String(repeating: "=", count: 80)
        #expect(
            PoseStamped.definitionText == """
                std_msgs/Header header
                Pose pose

                \(rule)
                MSG: geometry_msgs/Pose
                Point position
                Quaternion orientation

                \(rule)
                MSG: geometry_msgs/Point
                float64 x
                float64 y
                float64 z

                \(rule)
                MSG: geometry_msgs/Quaternion
                float64 x
                float64 y
                float64 z
                float64 w 1.0

                \(rule)
                MSG: std_msgs/Header
                builtin_interfaces/Time stamp
                string frame_id

                \(rule)
                MSG: builtin_interfaces/Time
                int32 sec
                uint32 nanosec

                """
        )
        #expect(StringMessage.definitionText == "string data\n")
    }

    @Test("each type below the root is there once")
    func onlyOnce() {
        let names = Marker.definitionText.split(separator: "\n").filter { $0.hasPrefix("MSG: ") }
        #expect(Set(names).count == names.count)
        #expect(names.count == 11)
    }
}

extension Message {
    /// The text of the type's own .msg file.
    static var msgText: String { MessageSchema.compiled(self).ownText }
}
