import Bags
import Messages
import Testing

struct RowTimesTests {
    private let definition = "std_msgs/Header header\nint32 value\n"

    @Test func theHeaderOfADescribedTypeHasATimeToo() throws {
        let schema = try MessageSchema(typeName: "some_msgs/msg/Reading", definitionText: definition)
        var message = DynamicValue.message(try #require(schema.layout.defaultMessage()))
        message.mapHeaderStamps { _ in 5_000_000_007 }
        let bytes = try schema.encodedCDR(message)
        var times = RowTimes([3: topic(schema.typeName, definition), 4: topic("nobody_msgs/msg/Thing", "")])
        bytes.withUnsafeBytes { bytes in
            #expect(times.stamp(topic: 3, bytes) == 5_000_000_007)
            #expect(times.stamp(topic: 3, UnsafeRawBufferPointer(rebasing: bytes[..<8])) == nil)
            #expect(times.stamp(topic: 4, bytes) == nil && times.stamp(topic: 5, bytes) == nil)
        }
    }

    private func topic(_ type: String, _ definition: String) -> BagTopic {
        BagTopic(
            name: "/t",
            typeName: type,
            serializationFormat: "cdr",
            qosText: "",
            typeHash: "",
            definitionText: definition
        )
    }
}
