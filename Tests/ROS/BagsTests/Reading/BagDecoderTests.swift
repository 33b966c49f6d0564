import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

struct BagDecoderTests {
    @Test(arguments: BagOptions.Serialization.allCases)
    func messagesComeBackAsTheyWere(_ serialization: BagOptions.Serialization) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        let messages = SampleTraffic.messages(ticks: 40)
        _ = try await BagSink(bag, options: BagOptions(serialization: serialization)).record(messages)
        let reader = try BagReader(opening: bag)
        var decoder = BagDecoder(topics: reader.topics)
        let cursor = try reader.rows()
        for message in messages {
            let row = try #require(try cursor.next())
            let decoded = try decoder.decode(row)
            #expect(decoded.topic.name == message.topic.name)
            #expect(decoded.topic.qos == message.topic.qos)
            #expect(decoded.timeNanoseconds == message.timeNanoseconds)
            #expect(decoded.message.encodedCDR() == message.message.encodedCDR())
        }
        #expect(try cursor.next() == nil)
        #expect(decoder.unknownFields.isEmpty)
    }

    /// What the phone app writes into its blobs, one field more than the type has.
    @Test func anEnvelopeIsReadWhateverTheOrderOfItsKeys() throws {
        var decoder = BagDecoder(topics: [topic("std_msgs/msg/String", "rosbridge_json")])
        for text in [
            #"{"op":"publish","topic":"/t","msg":{"data":"hello"}}"#,
            #" {"msg":{"extra":[1,{"a":null}],"data":"hello"},"id":"7","topic":"/t","op":"publish"} "#,
        ] {
            let message = try decoder.decode(row(Array(text.utf8))).message
            #expect((message as? StringMessage)?.data == "hello")
        }
        #expect(decoder.unknownFields.counts.map(\.path) == ["extra"])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"msg":1}"#, #"{"msg":{"data":"x"}"#, #"{"msg":{"data":1}}"#, #"{"msg":{"data":"x"}} {}"#,
        #"{"op":7}"#, #"{"foo":1}"#, #"{"op":7,"data":"x"}"#, #"{"data":"x","op":null}"#, #"{"topic":"/t"}"#,
    ])
    func badEnvelopesAreErrorsOfTheMessage(_ text: String) {
        var decoder = BagDecoder(topics: [topic("std_msgs/msg/String", "rosbridge_json")])
        #expect { try decoder.decode(row(Array(text.utf8))) } throws: { isMessageError($0) }
    }

    @Test func aBareMessageHasAKeyOfItsType() throws {
        var decoder = BagDecoder(topics: [topic("std_msgs/msg/String", "rosbridge_json")])
        let bare = try decoder.decode(row(Array(#"{"more":1,"data":"x"}"#.utf8))).message
        #expect((bare as? StringMessage)?.data == "x" && decoder.unknownFields.counts.map(\.path) == ["more"])
        #expect { try decoder.decode(row(Array(#"{"foo":1,"b\u0061r":[]}"#.utf8))) } throws: {
            "\($0)".contains("with a key of its type (data), found only foo, bar")
        }
        // rosbridge has two names for the fields of a time.
        var times = BagDecoder(topics: [topic("builtin_interfaces/msg/Time", "rosbridge_json")])
        let time = try times.decode(row(Array(#"{"secs":5}"#.utf8))).message
        #expect((time as? Time)?.sec == 5)
        var empty = BagDecoder(topics: [topic("std_msgs/msg/Empty", "rosbridge_json")])
        #expect(try empty.decode(row(Array("{}".utf8))).message is EmptyMessage)
        #expect { try empty.decode(row(Array(#"{"op":7}"#.utf8))) } throws: { isMessageError($0) }
    }

    @Test(arguments: [[], [0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 0, 255, 255, 255, 255], [9, 9, 9, 9, 1, 0, 0, 0, 0]])
    func badCDRIsAnErrorOfTheMessage(_ bytes: [UInt8]) {
        var decoder = BagDecoder(topics: [topic("std_msgs/msg/String", "cdr")])
        #expect { try decoder.decode(row(bytes)) } throws: { isMessageError($0) }
    }

    @Test func unknownTypesAndFormatsAreNamed() {
        var decoder = BagDecoder(topics: [topic("nobody_msgs/msg/Thing", "cdr"), topic("std_msgs/msg/String", "xml")])
        #expect(decoder.topics[0] == nil)
        #expect { try decoder.decode(BagRow(topic: 0, timeNanoseconds: 0, bytes: [])) } throws: {
            "\($0)".contains("nobody_msgs/msg/Thing")
        }
        #expect { try decoder.decode(BagRow(topic: 1, timeNanoseconds: 0, bytes: [])) } throws: {
            "\($0)".contains("xml")
        }
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
        var stored = topic("std_msgs/msg/String", "cdr")
        stored.qosText = text
        #expect(BagDecoder(topics: [stored]).topics[0]?.qos == expected)
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

    private func row(_ bytes: [UInt8]) -> BagRow { BagRow(topic: 0, timeNanoseconds: 0, bytes: bytes) }

    private func isMessageError(_ error: any Error) -> Bool {
        if case BagError.message = error { true } else { false }
    }
}
