import BagTools

/// .mcap files that break each rule of the format and of the profile.
enum MCAPBreakages {
    static let all: [Breakage] = frame + chunks + summary + statistics + directory

    /// The file as a whole.
    private static let frame: [Breakage] = [
        patch("the first magic", "b[3] = 0", [.mcapMagic]),
        patch("the last magic", "b[-3] = 0", [.mcapMagic]),
        patch("half a file", "del b[len(b) // 2:]", [.mcapCut]),
        patch("without its last byte", "del b[-1:]", [.mcapMagic, .mcapCut]),
        patch("cut behind the data", "del b[at(15)[0]:]", [.mcapCut]),
        patch("a record that claims 2^63 bytes", "put(at(6, 1)[0] + 1, '<Q', 1 << 63)", [.mcapCut]),
        edit("no Header", "rs.pop(0)", [.mcapHeader]),
        edit("two Headers", "rs.insert(1, rs[0])", [.mcapHeader]),
        edit("no library", "rs[0][1] = text('ros2') + text('')", [.mcapHeader], isError: false),
        edit("another profile", "rs[0][1] = text('x') + text('y')", [.mcapProfile], isError: false),
        edit("no DataEnd", "rs[:] = [r for r in rs if r[0] != 15]", [.mcapCut]),
        edit("no Footer", "rs.pop()", [.mcapCut]),
        edit("a record behind the Footer", "rs.append([12, text('a') + struct.pack('<I', 0)])", [.mcapRecord]),
        edit("an unknown record", "rs.insert(1, [0x30, b'abc'])", [.mcapRecord]),
        edit("a ChunkIndex among the data", "rs.insert(1, rs[first(8)])", [.mcapRecord]),
        edit("a Chunk in the summary", "rs.insert(first(8), rs[first(6)])", [.mcapRecord]),
        patch("data_section_crc", "put(at(15)[1], '<I', 12345)", [.mcapDataCRC]),
        patch("summary_crc", "put(at(2)[1] + 16, '<I', 12345)", [.mcapSummaryCRC]),
        patch("summary_start", "put(at(2)[1], '<Q', at(2)[0])", [.mcapFooter]),
        patch("summary_offset_start", "put(at(2)[1] + 8, '<Q', 77)", [.mcapFooter]),
    ]

    private static let chunks: [Breakage] = [
        patch("a bit of a message", "b[at(6)[2] - 3] ^= 1", [.mcapChunkCRC]),
        patch("a chunk's CRC", "put(at(6)[1] + 24, '<I', 12345)", [.mcapChunkCRC]),
        patch("a chunk's uncompressed size", "put(at(6)[1] + 16, '<Q', 5)", [.mcapChunk]),
        patch("a chunk that claims 2^63 bytes", "put(at(6)[1] + 16, '<Q', 1 << 63)", [.mcapChunk]),
        patch("a chunk's start", "put(at(6)[1], '<Q', 5)", [.mcapChunkTimes]),
        patch("a chunk's end", "put(at(6)[1] + 8, '<Q', 5)", [.mcapChunkTimes]),
        edit("an unknown compression", "repack(rs[first(6)], compression='zip')", [.mcapCompression]),
        edit("zstd in words alone", "repack(rs[first(6)], compression='zstd')", [.mcapChunk]),
        edit("a broken record in a chunk", "repack(rs[first(6)], content=lambda c: c[:-4])", [.mcapChunk]),
        edit(
            "a Statistics in a chunk",
            "repack(rs[first(6)], content=lambda c: c + record(11, bytes(46)))",
            [.mcapRecord, .mcapChunk]
        ),
        edit("an empty chunk with times", "repack(rs[first(6)], content=lambda c: b'')", [.mcapChunkTimes]),
        edit(
            "a message outside of the chunks",
            "rs.insert(first(7), [5, struct.pack('<HIQQ', 1, 0, T, T) + b'\\0\\1\\0\\0'])",
            [.mcapOutsideChunk]
        ),
        edit(
            "a message of no channel",
            "rs.insert(1, [5, struct.pack('<HIQQ', 99, 0, T, T) + b'\\0\\1\\0\\0'])",
            [.mcapChannel]
        ),
        edit("a MessageIndex before any chunk", "rs.insert(1, [7, struct.pack('<HI', 1, 0)])", [.mcapMessageIndex]),
        patch("an offset of a MessageIndex", "put(at(7)[1] + 14, '<Q', 3)", [.mcapMessageIndex]),
        patch("a time of a MessageIndex", "put(at(7)[1] + 6, '<Q', 3)", [.mcapMessageIndex]),
        edit("a MessageIndex too few", "rs.pop(first(7))", [.mcapChunkIndex]),
        patch("a bit of an attachment", "b[at(9)[2] - 6] ^= 1", [.mcapAttachmentCRC]),
        edit(
            "no summary",
            "rs[:] = [r for r in rs if r[0] not in (8, 10, 11, 13, 14)]",
            [.mcapNoIndex],
            isError: false,
            arguments: "--need-index"
        ),
    ]

    private static let summary: [Breakage] = [
        patch("the start of a ChunkIndex", "put(at(8)[1], '<Q', 5)", [.mcapChunkIndex]),
        patch("the end of a ChunkIndex", "put(at(8)[1] + 8, '<Q', 5)", [.mcapChunkIndex]),
        patch("the offset of a ChunkIndex", "put(at(8)[1] + 16, '<Q', 5)", [.mcapChunkIndex]),
        patch("the length of a ChunkIndex", "put(at(8)[1] + 24, '<Q', 5)", [.mcapChunkIndex]),
        patch("the size of a ChunkIndex", "put(at(8)[2] - 8, '<Q', 5)", [.mcapChunkIndex]),
        patch("the compressed size of a ChunkIndex", "put(at(8)[2] - 16, '<Q', 5)", [.mcapChunkIndex]),
        patch("a message index offset", "put(at(8)[1] + 38, '<Q', 5)", [.mcapChunkIndex]),
        patch("a channel of message index offsets", "put(at(8)[1] + 36, '<H', 55)", [.mcapChunkIndex]),
        edit("a ChunkIndex twice", "rs.insert(first(8), rs[first(8)])", [.mcapChunkIndex]),
        edit("a ChunkIndex too few", "rs.pop(first(8))", [.mcapChunkIndex]),
        edit("a summary out of groups", "rs.insert(first(14), rs[first(8)])", [.mcapSummary]),
        patch("the start of a SummaryOffset", "put(at(14)[1] + 1, '<Q', 5)", [.mcapSummaryOffset]),
        patch("the length of a SummaryOffset", "put(at(14)[1] + 9, '<Q', 5)", [.mcapSummaryOffset]),
        patch("the opcode of a SummaryOffset", "b[at(14)[1]] = 0x7f", [.mcapSummaryOffset]),
        patch("the offset of an AttachmentIndex", "put(at(10)[1], '<Q', 5)", [.mcapAttachmentIndex]),
        patch("the time of an AttachmentIndex", "put(at(10)[1] + 16, '<Q', 5)", [.mcapAttachmentIndex]),
        patch("the offset of a MetadataIndex", "put(at(13)[1], '<Q', 5)", [.mcapMetadataIndex]),
        patch("the length of a MetadataIndex", "put(at(13)[1] + 8, '<Q', 5)", [.mcapMetadataIndex]),
    ]

    private static let statistics: [Breakage] =
        [("message", 0, "Q"), ("schema", 8, "H"), ("channel", 10, "I"), ("attachment", 14, "I"), ("metadata", 18, "I")]
        .map { field, offset, format in
            patch("the \(field) count", "put(at(11)[1] + \(offset), '<\(format)', 77)", [.mcapStatistics])
        } + [
            patch("the chunk count", "put(at(11)[1] + 22, '<I', 77)", [.mcapStatistics]),
            patch("the start of Statistics", "put(at(11)[1] + 26, '<Q', 77)", [.mcapStatistics]),
            patch("the end of Statistics", "put(at(11)[1] + 34, '<Q', 77)", [.mcapStatistics]),
            patch("a channel's count", "put(at(11)[1] + 48, '<Q', 77)", [.mcapStatistics]),
            patch("a count of no channel", "put(at(11)[1] + 46, '<H', 77)", [.mcapStatistics]),
            edit("Statistics twice", "rs.insert(first(11), rs[first(11)])", [.mcapStatistics]),
            edit("no Statistics", "rs.pop(first(11))", [.mcapNoIndex], isError: false, arguments: "--need-index"),
        ]

    /// Schemas and channels.
    private static let directory: [Breakage] = [
        edit(
            "a Schema of id 0",
            "rs.insert(1, [3, struct.pack('<H', 0) + text('a/msg/B') + text('ros2msg') + text('')])",
            [.mcapSchema]
        ),
        edit(
            "a Schema without encoding",
            "rs.insert(1, [3, struct.pack('<H', 90) + text('a/msg/B') + text('') + text('x')])",
            [.mcapSchema]
        ),
        edit(
            "another Schema of an id",
            "rs.insert(1, [3, struct.pack('<H', 1) + text('a/msg/B') + text('ros2msg') + text('')])",
            [.mcapSchema]
        ),
        edit("another Channel of an id", "rs.insert(1, channel(1, 0, '/x'))", [.mcapChannel]),
        edit("a Channel of no Schema", "rs.insert(1, channel(90, 80, '/x'))", [.mcapChannel]),
        edit(
            "a Channel in the summary alone",
            "rs.insert(first(8), channel(90, 1, '/x'))",
            [.mcapChannel],
            isError: false
        ),
        edit("a Channel without a Schema", "rs.insert(1, channel(90, 0, '/x'))", [.mcapProfile]),
        edit("a Channel without QoS", "rs.insert(1, channel(90, 0, '/x', {}))", [.mcapProfile], isError: false),
        edit("a Channel of JSON", "rs.insert(1, channel(90, 0, '/x', encoding='json'))", [.mcapEncoding]),
        edit(
            "a key twice",
            "rs.insert(1, channel(90, 0, '/x', [('a', 'b'), ('a', 'b'), ('offered_qos_profiles', '')]))",
            [.mcapRecord]
        ),
        edit(
            "two Channels of a topic",
            "rs.insert(1, channel(90, 0, '/note'))",
            [.mcapDuplicateChannel],
            isError: false
        ),
        edit(
            "a Schema of another encoding",
            "rs.insert(1, [3, struct.pack('<H', 91) + text('a/msg/B') + text('proto') + text('x')]); rs.insert(2, channel(91, 91, '/y'))",
            [.mcapProfile],
            isError: false
        ),
        edit(
            "a Schema without a package",
            "rs.insert(1, [3, struct.pack('<H', 91) + text('B') + text('ros2msg') + text('bool x')]); rs.insert(2, channel(91, 91, '/y'))",
            [.topicTypeForm],
            isError: false
        ),
        edit(
            "a Schema that does not parse",
            "rs.insert(1, [3, struct.pack('<H', 91) + text('a/msg/B') + text('ros2msg') + text('float99 x')]); rs.insert(2, channel(91, 91, '/y'))",
            [.definitionUnparsable]
        ),
        messages("a message that does not decode", "d[:-2]", [.messageDecode]),
        messages(
            "padding that is not zero",
            "pad(d, 'sensor_msgs/msg/PointCloud2')",
            [.messagePadding],
            isError: false,
            topic: "/points"
        ),
        messages("a cloud without its end", "cloud(d)", [.cloudLayout], topic: "/points"),
    ]

    private static func patch(_ name: String, _ code: String, _ kinds: [BagFindingKind]) -> Breakage {
        Breakage(name: "mcap: \(name)", base: .mcap, code: "b = bytearray(read(f))\n\(code)\nwrite(f, b)", kinds: kinds)
    }

    private static func edit(
        _ name: String,
        _ code: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        arguments: String = ""
    ) -> Breakage {
        Breakage(
            name: "mcap: \(name)",
            base: .mcap,
            code: "rs = split()\n\(code)\njoin(rs)\narguments += '\(arguments)'.split()",
            kinds: kinds,
            isError: isError
        )
    }

    /// Writes the file again with the first message of a topic changed.
    private static func messages(
        _ name: String,
        _ expression: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        topic: String = "/note"
    ) -> Breakage {
        Breakage(
            name: "mcap: \(name)",
            base: .mcap,
            code: "rewrite('\(topic)', lambda d: \(expression))",
            kinds: kinds,
            isError: isError
        )
    }
}
