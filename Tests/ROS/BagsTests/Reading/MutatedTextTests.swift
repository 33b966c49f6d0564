import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

/// A short pass of what tools/fuzz does for longer, over the texts of a bag.
struct MutatedTextTests {
    private static let metadata = """
        rosbag2_bagfile_information:
          version: 9
          storage_identifier: mcap
          duration: {nanoseconds: 5}
          starting_time: {nanoseconds_since_epoch: 1000}
          message_count: 2
          topics_with_message_count:
            - topic_metadata:
                name: /a
                type: std_msgs/msg/String
                serialization_format: cdr
                offered_qos_profiles: [{history: keep_last, depth: 10, reliability: reliable}]
              message_count: 2
          compression_format: ""
          compression_mode: ""
          relative_file_paths: [a_0.mcap]
          files:
            - path: a_0.mcap
              starting_time: {nanoseconds_since_epoch: 1000}
              duration: {nanoseconds: 5}
              message_count: 2
          custom_data: {a: b}
        """

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The text of metadata.yaml as it is written again; nil where it is refused.
    private func written(_ text: [UInt8]) throws -> String? {
        try SessionBuilder.write(text, to: directory.appending("metadata.yaml"))
        return (try? BagMetadataFile.read(in: directory.path)).map { BagMetadataFile.text($0) }
    }

    @Test func whatIsReadOfMutatedMetadataIsWrittenSoThatItReadsTheSame() throws {
        let words = ["version: 4\n", "0", "-1", "~", "&a ", "*a", "? ", "|\n", "\"", "{", "}", "[", "]", "\n  "]
        var generator = SeededRandomNumbers(seed: 51)
        var taken = 0
        for _ in 0..<1_000 {
            let bytes = mutated(Array(Self.metadata.utf8), words: words, using: &generator)
            guard let text = try written(bytes) else { continue }
            taken += 1
            #expect(try written(Array(text.utf8)) == text, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 100)
    }

    /// Without a number of messages there is no knowing whether there are any: zero, and then no times either.
    @Test(arguments: ["\n  message_count: 2", "\n      message_count: 2"])
    func aMissingCountIsZeroOnceItIsWritten(line: String) throws {
        let text = Self.metadata.replacing(line, with: "")
        #expect(text != Self.metadata)
        let once = try #require(try written(Array(text.utf8)))
        #expect(try written(Array(once.utf8)) == once)
    }

    @Test func mutatedProfilesHaveADepthAndAreWrittenSoThatTheyReadTheSame() {
        let words = [
            "history: ", "depth: ", "18446744073709551615", "-1", "transient_local", "&a ", "*a", "- ", "? ", "{",
        ]
        var generator = SeededRandomNumbers(seed: 52)
        for _ in 0..<1_500 {
            let bytes = mutated(Array(QoS.latched.rosbag2Text.utf8), words: words, using: &generator)
            let qos = QoS(rosbag2Text: String(decoding: bytes, as: UTF8.self))
            #expect(qos.depth > 0)
            #expect(QoS(rosbag2Text: qos.rosbag2Text) == qos)
        }
    }

    @Test func theTopicOfAMutatedRowIsThatOfItsReading() throws {
        let message = RandomFiller.message(of: PoseStamped.self, seed: 3)
        var row: [UInt8] = []
        try RosbridgeEnvelope.appendPublish(topic: "/a", isLatched: true, message: message, to: &row)
        let words = ["\"op\":", "\"publish\",", "\"topic\":", "\"msg\":{", "null", "\"/b\",", "{", "}", ","]
        var generator = SeededRandomNumbers(seed: 53)
        let decoder = RowDecoder(PoseStamped.kind, format: "rosbridge_json")
        var taken = 0
        for round in 0..<2_000 {
            let bytes = mutated(round % 4 == 0 ? try message.encodedJSON() : row, words: words, using: &generator)
            var unknown = UnknownFields()
            guard let read = try? decoder.decode(bytes, unknown: &unknown) else { continue }
            taken += 1
            #expect(
                (RosbridgeRow.topic(bytes) == nil) == (read.topic == nil),
                "\(String(decoding: bytes, as: UTF8.self))"
            )
        }
        #expect(taken > 100)
    }
}
