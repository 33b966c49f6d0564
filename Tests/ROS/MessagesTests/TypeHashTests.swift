import Messages
import TestSupport
import Testing
import Text

@Suite("Type hashes")
struct TypeHashTests {
    @Test("equal those of rosidl's own generator, for every type")
    func agreesWithRosidl() throws {
        let table = try Vectors.load("rihs01_jazzy.json")
        // These packages are in no core distribution: their hashes are judged by rosbags.
        let others = ["foxglove_msgs/", "apriltag_msgs/"]
        for type in MessageTypes.all where !others.contains(where: type.typeName.hasPrefix) {
            let entry = try #require(table[type.typeName], "\(type.typeName)")
            if let text = entry["hashed_json"]?.string {
                #expect(MessageSchema.compiled(type).layout.typeDescriptionJSON == text)
            }
            #expect(type.typeHash == entry["hash"]?.string, "\(type.typeName)")
        }
    }

    // From rosbridge_suite's issue 1022, where a running system reported it.
    @Test("of tf2_msgs/msg/TFMessage is the one seen in the field")
    func seenInTheField() {
        #expect(TFMessage.typeHash.hasPrefix("RIHS01_e369d0f0"))
        #expect(TFMessage.typeHash.hasSuffix("f087"))
        #expect(TFMessage.typeHash.count == 7 + 64)
    }

    @Test("names are unique and found in both forms")
    func names() {
        for type in MessageTypes.all {
            #expect(MessageTypes.type(named: type.typeName) == type)
            #expect(MessageTypes.type(named: type.typeName.replacing("/msg/", with: "/")) == type)
        }
        for name in ["Imu", "sensor_msgs", "", "/", "sensor_msgs/srv/Imu", "sensor_msgs//Imu", "sensor_msgs/imu"] {
            #expect(MessageTypes.type(named: name) == nil)
        }
    }
}
