import Bags
import SystemPackage
import TestSupport
import Testing

/// metadata.yaml that lacks something, once it is written again.
struct MetadataTextTests {
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

    /// Without a number of messages there is no knowing whether there are any: zero, and then no times either.
    @Test(arguments: ["\n  message_count: 2", "\n      message_count: 2"])
    func aMissingCountIsZeroOnceItIsWritten(line: String) throws {
        let text = Self.metadata.replacing(line, with: "")
        #expect(text != Self.metadata)
        let once = try #require(try written(Array(text.utf8)))
        #expect(try written(Array(once.utf8)) == once)
    }
}
