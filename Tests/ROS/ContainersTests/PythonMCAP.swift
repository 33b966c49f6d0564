import Foundation
import SystemPackage
import TestSupport

/// What the Python `mcap` library reads from a file.
struct PythonMCAP: Decodable {
    struct Channel: Decodable, Equatable {
        var id: UInt16
        var schema: UInt16
        var topic: String
        var encoding: String
        var metadata: [String: String]
    }

    struct Schema: Decodable, Equatable {
        var id: UInt16
        var name: String
        var encoding: String
        var data: String
    }

    struct Message: Decodable, Hashable {
        var topic: String
        var sequence: UInt32
        var log: UInt64
        var publish: UInt64
        var data: String
    }

    struct Attachment: Decodable, Equatable {
        var name: String
        var media: String
        var log: UInt64
        var create: UInt64
        var data: String
    }

    struct Metadata: Decodable, Equatable {
        var name: String
        var metadata: [String: String]
    }

    var profile: String
    var library: String
    var channels: [Channel]
    var schemas: [Schema]
    var messages: [Message]
    var attachments: [Attachment]
    var metadata: [Metadata]

    /// Reads with `iter_messages` in log-time order, with CRCs checked; the rest record by record.
    init(reading path: FilePath) throws {
        self = try PeerPython.json(Self.reader, [path.string])
    }

    private static let reader = """
        import json, sys
        from mcap.reader import make_reader, NonSeekingReader
        from mcap.stream_reader import StreamReader
        from mcap.records import Schema, Channel, Attachment, Metadata, Header
        out = dict(channels={}, schemas={}, messages=[], attachments=[], metadata=[])
        with open(sys.argv[1], "rb") as f:
            for x in StreamReader(f, validate_crcs=True).records:
                if isinstance(x, Header): out.update(profile=x.profile, library=x.library)
                if isinstance(x, Schema):
                    out["schemas"][x.id] = dict(id=x.id, name=x.name, encoding=x.encoding, data=x.data.hex())
                if isinstance(x, Channel):
                    out["channels"][x.id] = dict(
                        id=x.id, schema=x.schema_id, topic=x.topic, encoding=x.message_encoding, metadata=x.metadata)
                if isinstance(x, Attachment):
                    out["attachments"].append(dict(
                        name=x.name, media=x.media_type, log=x.log_time, create=x.create_time, data=x.data.hex()))
                if isinstance(x, Metadata): out["metadata"].append(dict(name=x.name, metadata=x.metadata))
        with open(sys.argv[1], "rb") as f:
            reader = make_reader(f, validate_crcs=True)
            summary = reader.get_summary()
            # With an index, but without channels in the summary, it stops with an error of its own.
            if summary and not summary.channels:
                f.seek(0)
                reader = NonSeekingReader(f, validate_crcs=True)
            for schema, channel, m in reader.iter_messages(log_time_order=True):
                out["messages"].append(dict(
                    topic=channel.topic, sequence=m.sequence, log=m.log_time, publish=m.publish_time, data=m.data.hex()))
        for key in ("channels", "schemas"): out[key] = [out[key][k] for k in sorted(out[key])]
        json.dump(out, sys.stdout)
        """

    /// Writes a file of 60 messages of three topics with the Python writer.
    static func write(_ path: FilePath, _ arguments: [String]) throws {
        _ = try PeerPython.output(of: writer, [path.string] + arguments)
    }

    private static let writer = """
        import random, struct, sys
        from mcap.writer import Writer, CompressionType, IndexType
        path, compression, layout = sys.argv[1:4]
        options = dict(chunk_size=400, compression=CompressionType[compression.upper()], enable_data_crcs=True)
        if "unchunked" in layout: options.update(use_chunking=False)
        if layout == "bare":
            options.update(index_types=IndexType.NONE, repeat_channels=False, repeat_schemas=False, use_statistics=False,
                           use_summary_offsets=False)
        if layout == "without-channels": options.update(repeat_channels=False, repeat_schemas=False)
        if layout == "without-message-indexes": options.update(index_types=IndexType.CHUNK)
        random.seed(5)
        with open(path, "wb") as f:
            writer = Writer(f, **options)
            writer.start("ros2", "python")
            schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\\n")
            channels = [writer.register_channel(t, "cdr", schema if t != "/three" else 0, {"offered_qos_profiles": "", "a": t})
                        for t in ("/one", "/two", "/three")]
            times = list(range(60))
            if layout == "overlapping": random.shuffle(times)
            for n, t in enumerate(times):
                text = random.randbytes(random.randrange(90)).hex().encode() + b"\\0"
                data = b"\\0\\1\\0\\0" + struct.pack("<I", len(text)) + text
                writer.add_message(channels[n % 3], 10**18 + t * 10**6, data, 10**18 + t, n)
                if "attachments" in layout and n % 20 == 7:
                    writer.add_attachment(5, 6 + n, f"name {n}", "text/plain", b"attached" * n)
                    writer.add_metadata(f"metadata {n}", {"key": str(n), "second": "\\u00e9"})
            writer.finish()
        """
}

/// The digits that Python's `bytes.hex` gives.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
}
