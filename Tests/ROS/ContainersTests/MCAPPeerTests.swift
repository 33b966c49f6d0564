import Bags
import SystemPackage
import TestSupport
import Testing

@Suite("MCAP files of others", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct MCAPPeerTests {
    private static let layouts = [
        "chunked", "unchunked", "attachments", "bare", "without-channels", "without-message-indexes", "overlapping",
        "unchunked-attachments",
    ]

    @Test("files of the Python writer are read as Python reads them", arguments: layouts, ["none", "lz4", "zstd"])
    func pythonFiles(layout: String, compression: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("python.mcap")
        try PythonMCAP.write(path, [compression, layout])
        try Self.compare(path)
        let file = try MCAPFile(opening: path)
        #expect(file.problems.list.isEmpty)
        #expect(file.messageCounts == [1: 20, 2: 20, 3: 20])
        #expect(file.timeRange == 1_000_000_000_000_000_000...1_000_000_000_059_000_000)
        #expect(file.attachments.count == (layout.hasSuffix("attachments") ? 3 : 0))
    }

    @Test("Python reads what is written here", arguments: MCAPCompression.allCases)
    func ourFiles(compression: MCAPCompression) throws {
        let directory = try TemporaryDirectory()
        let messages = SampleMCAP.messages(count: 50)
        let options = MCAPWriterOptions(chunkBytes: 500, compression: compression)
        let path = try SampleMCAP.save(SampleMCAP.file(messages, options), in: directory)
        let python = try PythonMCAP(reading: path)
        #expect(python.messages == messages.map(Self.pythonMessage))
        #expect(python.metadata.first?.metadata == ["serialized_metadata": "version: 8\n", "other": "é"])
        try Self.compare(path)
    }

    @Test(
        "real bags are read as Python reads them",
        .enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)),
        arguments: [
            "bags-ros2-jazzy/jazzy_mcap/jrec_0", "bags-rosbag2/rosbag2_cpp/only_services",
            "bags-rosbag2/rosbag2_cpp/only_topics", "bags-rosbag2/rosbag2_cpp/topics_and_services",
            "bags-rosbag2/rosbag2_py/mcap/convert_a/rewriter_a_0",
            "bags-rosbag2/rosbag2_py/mcap/convert_b/rewriter_b_0",
            "bags-rosbag2/rosbag2_py/mcap/reindex_test_bags/multiple_files/multiple_files_0",
            "bags-rosbag2/rosbag2_py/mcap/talker/talker", "bags-rosbag2/rosbag2_py/mcap/wbag/wbag_3",
            "bags-rosbag2/rosbag2_tests/mcap/bag_with_topics_and_service_events/bag_with_topics_and_service_events",
            "bags-rosbag2/rosbag2_tests/mcap/cdr_test/cdr_test_0",
            "bags-rosbag2/rosbag2_transport/mcap/rewriter_b/rewriter_b_0",
            "bags-rosbag2/rosbag2_transport/mcap/test_bag_for_seek/test_bag_for_seek_0",
        ]
    )
    func realBags(name: String) throws {
        let path = Captures.path("\(name).mcap")
        let file = try MCAPFile(opening: path)
        #expect(file.problems.list.isEmpty)
        #expect(try file.dataSectionProblem() == nil)
        try Self.compare(path)
    }

    /// Everything that Python finds in a file, and nothing else.
    private static func compare(_ path: FilePath) throws {
        let python = try PythonMCAP(reading: path)
        let file = try MCAPFile(opening: path)
        #expect(file.header?.profile == python.profile)
        #expect(file.header?.library == python.library)
        let channels = file.channels.map { channel in
            PythonMCAP.Channel(
                id: channel.id,
                schema: channel.schemaID,
                topic: channel.topic,
                encoding: channel.messageEncoding,
                metadata: dictionary(channel.metadata)
            )
        }
        #expect(channels == python.channels)
        let schemas = file.schemas.values.sorted { $0.id < $1.id }.map { schema in
            PythonMCAP.Schema(
                id: schema.id,
                name: schema.name,
                encoding: schema.encoding,
                data: hexadecimal(schema.data)
            )
        }
        #expect(schemas == python.schemas)
        let attachments = try file.attachments.map { place, attachment in
            #expect(try file.problem(of: attachment, at: place) == nil)
            return PythonMCAP.Attachment(
                name: attachment.name,
                media: attachment.mediaType,
                log: attachment.logTime,
                create: attachment.createTime,
                data: hexadecimal(try file.data(of: attachment))
            )
        }
        #expect(attachments == python.attachments)
        let metadata = file.metadata.map {
            PythonMCAP.Metadata(name: $0.record.name, metadata: dictionary($0.record.metadata))
        }
        #expect(metadata == python.metadata)
        let read = try SampleMCAP.read(file)
        #expect(read.problems.isEmpty)
        #expect(read.messages.map(pythonMessage) == python.messages)
        #expect(read.messages.count > 0)
    }

    private static func dictionary(_ attributes: [MCAPAttribute]) -> [String: String] {
        Dictionary(attributes.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static func pythonMessage(_ message: SampleMessage) -> PythonMCAP.Message {
        PythonMCAP.Message(
            topic: message.topic,
            sequence: message.sequence,
            log: message.logTime,
            publish: message.publishTime,
            data: hexadecimal(message.data)
        )
    }
}
