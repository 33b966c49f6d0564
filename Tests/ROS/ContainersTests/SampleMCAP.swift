import Bags
import SystemPackage
import TestSupport

/// A message of a test file.
struct SampleMessage: Hashable {
    var topic: String
    var sequence: UInt32
    var logTime: UInt64
    var publishTime: UInt64
    var data: [UInt8]
}

/// Small MCAP files of `std_msgs/msg/String`, written by the writer under test.
enum SampleMCAP {
    static let library = "sample 1"
    static let schemaText = Array("string data\n".utf8)
    static let topics = ["/one", "/two", "/three"]

    /// A `std_msgs/msg/String` in CDR.
    static func string(_ text: String) -> [UInt8] {
        let count = UInt32(text.utf8.count + 1)
        return [0, 1, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + Array(text.utf8) + [0]
    }

    /// Messages a millisecond apart, over three topics; `textBytes` is how long each one's text is.
    static func messages(count: Int, textBytes: Int = 40) -> [SampleMessage] {
        var generator = SeededRandomNumbers(seed: 11)
        return (0..<count).map { index in
            let letters = (0..<textBytes).map { _ in
                Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &generator)))
            }
            return SampleMessage(
                topic: topics[index % topics.count],
                sequence: UInt32(index),
                logTime: 1_000_000_000 + UInt64(index) * 1_000_000,
                publishTime: 1_000_000_000 + UInt64(index) * 1_000_000 - 7,
                data: string(String(letters))
            )
        }
    }

    /// A writer and the channels of all topics.
    static func writer(_ options: MCAPWriterOptions) throws -> (MCAPWriter, [String: UInt16]) {
        var writer = try MCAPWriter(profile: "ros2", library: library, options: options)
        let schema = try writer.addSchema(name: "std_msgs/msg/String", encoding: "ros2msg", data: schemaText)
        var channels: [String: UInt16] = [:]
        for topic in topics {
            channels[topic] = try writer.addChannel(
                topic: topic,
                schema: schema,
                messageEncoding: "cdr",
                metadata: [("offered_qos_profiles", ""), ("topic_type_hash", "RIHS01_00")]
            )
        }
        return (writer, channels)
    }

    /// A whole file.
    static func file(_ messages: [SampleMessage], _ options: MCAPWriterOptions) throws -> [UInt8] {
        var (writer, channels) = try writer(options)
        writer.addMetadata(name: "rosbag2", [("serialized_metadata", "version: 8\n"), ("other", "é")])
        for message in messages { try write(message, &writer, channels) }
        try writer.flushChunk()
        return writer.takeOutput() + writer.ending()
    }

    static func write(_ message: SampleMessage, _ writer: inout MCAPWriter, _ channels: [String: UInt16]) throws {
        try message.data.withUnsafeBytes { data in
            try writer.write(
                channel: channels[message.topic] ?? 0,
                sequence: message.sequence,
                logTime: message.logTime,
                publishTime: message.publishTime,
                data: data
            )
        }
    }

    /// What the reader under test reads from a file.
    static func read(
        _ file: MCAPFile,
        _ filter: MCAPMessageFilter = MCAPMessageFilter()
    ) throws -> (messages: [SampleMessage], problems: [MCAPProblem]) {
        let cursor = file.messages(filter, verifiesChecksums: true)
        var messages: [SampleMessage] = []
        while let message = try cursor.next() {
            messages.append(
                SampleMessage(
                    topic: file.channelsByID[message.channelID]?.topic ?? "",
                    sequence: message.sequence,
                    logTime: message.logTime,
                    publishTime: message.publishTime,
                    data: try cursor.withData { [UInt8]($0) }
                )
            )
        }
        return (messages, cursor.problems.list)
    }

    static func save(
        _ bytes: [UInt8],
        as name: String = "sample.mcap",
        in directory: TemporaryDirectory
    ) throws -> FilePath {
        let path = directory.appending(name)
        let file = try FileDescriptor.open(
            path,
            .writeOnly,
            options: [.create, .truncate],
            permissions: .ownerReadWrite
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
        return path
    }
}
