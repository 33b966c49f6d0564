import Bags
import Messages
import SystemPackage
import TestSupport
import Testing
import Text

struct RowDecoderTests {
    @Test(arguments: BagOptions.Serialization.allCases)
    func messagesComeBackAsTheyWere(_ serialization: BagOptions.Serialization) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        let messages = SampleTraffic.messages(ticks: 40)
        _ = try await BagSink(bag, options: BagOptions(serialization: serialization)).record(messages)
        let reader = try BagReader(opening: bag)
        let decoders = try reader.topics.map { try RowDecoder($0) }
        var unknown = UnknownFields()
        let cursor = try reader.rows()
        for message in messages {
            let row = try #require(try cursor.next())
            let topic = reader.topics[row.topic]
            let decoded = try decoders[row.topic].decode(row.bytes, unknown: &unknown)
            #expect(topic.name == message.topic.name)
            #expect(QoS(rosbag2Text: topic.qosText) == message.topic.qos)
            #expect(row.timeNanoseconds == message.timeNanoseconds)
            #expect(decoded.message.encodedCDR() == message.message.encodedCDR())
            #expect(decoded.topic == (serialization == .cdr ? nil : topic.name))
        }
        #expect(try cursor.next() == nil)
        #expect(unknown.isEmpty)
    }

    /// What the phone app writes into its blobs, one field more than the type has.
    @Test func anEnvelopeIsReadWhateverTheOrderOfItsKeys() throws {
        let decoder = try RowDecoder(topic("std_msgs/msg/String", "rosbridge_json"))
        var unknown = UnknownFields()
        for text in [
            #"{"op":"publish","topic":"/t","msg":{"data":"hello"}}"#,
            #" {"msg":{"extra":[1,{"a":null}],"data":"hello"},"id":"7","topic":"/t","op":"publish"} "#,
        ] {
            let message = try decoder.decode(Array(text.utf8), unknown: &unknown).message
            #expect((message as? StringMessage)?.data == "hello")
        }
        #expect(unknown.counts.map(\.path) == ["extra"])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"msg":1}"#, #"{"msg":{"data":"x"}"#, #"{"msg":{"data":1}}"#, #"{"msg":{"data":"x"}} {}"#,
        #"{"op":7}"#, #"{"foo":1}"#, #"{"op":7,"data":"x"}"#, #"{"data":"x","op":null}"#, #"{"topic":"/t"}"#,
    ])
    func badEnvelopesAreErrorsOfTheText(_ text: String) throws {
        let decoder = try RowDecoder(topic("std_msgs/msg/String", "rosbridge_json"))
        #expect { try decoder.decode(Array(text.utf8)) } throws: { isTextError($0) }
    }

    @Test func aBareMessageHasAKeyOfItsType() throws {
        let decoder = try RowDecoder(topic("std_msgs/msg/String", "rosbridge_json"))
        var unknown = UnknownFields()
        let bare = try decoder.decode(Array(#"{"more":1,"data":"x"}"#.utf8), unknown: &unknown)
        #expect((bare.message as? StringMessage)?.data == "x" && unknown.counts.map(\.path) == ["more"])
        #expect(bare.topic == nil)
        #expect { try decoder.decode(Array(#"{"foo":1,"b\u0061r":[]}"#.utf8)) } throws: {
            "\($0)".contains("with a key of its type (data), found only foo, bar")
        }
        // rosbridge has two names for the fields of a time.
        let times = try RowDecoder(topic("builtin_interfaces/msg/Time", "rosbridge_json"))
        let time = try times.decode(Array(#"{"secs":5}"#.utf8))
        #expect((time as? Time)?.sec == 5)
        let empty = try RowDecoder(topic("std_msgs/msg/Empty", "rosbridge_json"))
        #expect(try empty.decode(Array("{}".utf8)) is EmptyMessage)
        #expect { try empty.decode(Array(#"{"op":7}"#.utf8)) } throws: { isTextError($0) }
    }

    @Test(arguments: [[], [0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 0, 255, 255, 255, 255], [9, 9, 9, 9, 1, 0, 0, 0, 0]])
    func badCDRIsAnErrorOfTheBytes(_ bytes: [UInt8]) throws {
        for type in [StringMessage.kind, MessageSchema.compiled(StringMessage.self)] {
            let decoder = RowDecoder(type, format: "cdr")
            #expect(throws: CDRError.self) { try decoder.decode(bytes) }
        }
    }

    @Test func theTypeSaysWhetherTheBytesAreKept() throws {
        let bigEndian: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3]
        let type = try TypeResolver().resolve("builtin_interfaces/msg/Time")
        let kept = try RowDecoder(type, format: "cdr").decode(bigEndian)
        #expect(kept.encodedCDR() == bigEndian)
        let values = try RowDecoder(type.schema, format: "cdr").decode(bigEndian)
        #expect(values.encodedCDR() == [0, 1, 0, 0, 2, 1, 0, 0, 3, 0, 0, 0] && values.encodedCDRSize == 12)
        let compiled = try RowDecoder(type.direct, format: "cdr").decode(bigEndian)
        #expect((compiled as? Time)?.sec == 258)
        for message in [kept, values, compiled] {
            #expect(message.compiled(as: Time.self)?.nanosec == 3)
            #expect(try type.schema.value(of: message)["sec"] == .integer(258))
        }
    }

    @Test func unknownTypesAndFormatsAreNamed() throws {
        #expect { try RowDecoder(topic("nobody_msgs/msg/Thing", "cdr")) } throws: {
            "\($0)".contains("nobody_msgs/msg/Thing")
        }
        let decoder = try RowDecoder(topic("std_msgs/msg/String", "xml"))
        #expect(decoder.serialization == nil)
        #expect { try decoder.decode([]) } throws: { "\($0)".contains("xml") }
    }

    @Test(arguments: [
        ("", QoS.reliable(depth: 10)),
        ("- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n", .latched),
        (
            "- history: keep_last\n  depth: 100\n  reliability: reliable\n  durability: volatile\n",
            .reliable(depth: 100)
        ),
        (
            "- history: 2\n  depth: 0\n  reliability: 2\n  durability: 2\n",
            QoS(history: .keepAll, depth: 10, reliability: .bestEffort, durability: .volatile)
        ),
        ("{[", .reliable(depth: 10)),
    ])
    func qosIsReadInBothForms(_ text: String, _ expected: QoS) {
        #expect(QoS(rosbag2Text: text) == expected)
    }

    private func topic(_ type: String, _ format: String) -> BagTopic {
        BagTopic(
            name: "/t",
            typeName: type,
            serializationFormat: format,
            qosText: "",
            typeHash: "",
            definitionText: ""
        )
    }

    private func isTextError(_ error: any Error) -> Bool { error is JSONError || error is JSONMismatch }
}
