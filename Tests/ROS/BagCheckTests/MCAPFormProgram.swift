/// The Python program that writes an .mcap file of every legal form.
enum MCAPFormProgram {
    static let text = """
        import itertools, json, struct, sys, zlib
        import lz4.frame, zstandard
        from mcap.reader import NonSeekingReader
        from mcap.writer import Writer, CompressionType, IndexType
        folder = sys.argv[1]
        MAGIC = b"\\x89MCAP0\\r\\n"
        T = 10**18

        def text(s): return struct.pack("<I", len(s.encode())) + s.encode()
        def record(op, body, pad=b""): return bytes([op]) + struct.pack("<Q", len(body) + len(pad)) + body + pad
        def cdr(s): return b"\\0\\1\\0\\0" + struct.pack("<I", len(s) + 1) + s.encode() + b"\\0"
        def attributes(pairs):
            body = b"".join(text(k) + text(v) for k, v in pairs)
            return struct.pack("<I", len(body)) + body
        def numbers(pairs):
            body = b"".join(struct.pack("<HQ", k, v) for k, v in pairs)
            return struct.pack("<I", len(body)) + body

        def write(path, f, compression="", profile="ros2"):
            # One file by the features in the set f; 12 messages of two topics, those of a chunk not in the order of time.
            pad = b"\\7padding" if "pad" in f else b""
            out = bytearray(MAGIC)
            def put(op, body):
                start = len(out)
                # The end of the file has to stay where readers look for it.
                out.extend(record(op, body, pad if op not in (1, 2, 15) else b""))
                return start
            put(1, text(profile) + text("handmade"))
            schema = struct.pack("<H", 1) + text("std_msgs/msg/String") + text("ros2msg") + text("string data\\n")
            channels = {i: struct.pack("<HH", i, 1) + text(name) + text("cdr") + attributes([("offered_qos_profiles", "")])
                        for i, name in ((1, "/one"), (2, "/two"))}
            attachments, metadata, chunk_indexes = [], [], []
            if "attachments" in f:
                body = struct.pack("<QQ", T + 1, T) + text("note.txt") + text("text/plain") + struct.pack("<Q", 5) + b"hello"
                crc = zlib.crc32(body) if "crc" in f else 0
                start = put(9, body + struct.pack("<I", crc))
                attachments.append(struct.pack("<QQQQQ", start, len(out) - start, T + 1, T, 5) + text("note.txt") + text("text/plain"))
            if "metadata" in f:
                start = put(12, text("about") + attributes([("key", "value")]))
                metadata.append(struct.pack("<QQ", start, len(out) - start) + text("about"))
            if "chunks" not in f:
                put(3, schema)
                for i in channels: put(4, channels[i])
            for part in range(3):
                content, index, times = bytearray(), {}, []
                if part == 0 and "chunks" in f:
                    content += record(3, schema, pad) + b"".join(record(4, c, pad) for c in channels.values())
                for k in (1, 0, 3, 2):
                    n = 4 * part + k
                    body = struct.pack("<HIQQ", 1 + n % 2, n, T + n, T + n) + cdr(f"message {n}")
                    index.setdefault(1 + n % 2, []).append((T + n, len(content)))
                    times.append(T + n)
                    # What follows the fields of a message is its data.
                    content += record(5, body)
                if "chunks" not in f:
                    out.extend(content)
                    continue
                packed = dict(lz4=lz4.frame.compress, zstd=zstandard.ZstdCompressor().compress).get(compression, bytes)(bytes(content))
                crc = zlib.crc32(content) if "crc" in f else 0
                start = put(6, struct.pack("<QQQI", min(times), max(times), len(content), crc) + text(compression)
                    + struct.pack("<Q", len(packed)) + packed)
                length, offsets = len(out) - start, []
                indexes = len(out)
                if "message-index" in f:
                    for channel, entries in index.items():
                        body = b"".join(struct.pack("<QQ", *entry) for entry in entries)
                        offsets.append((channel, put(7, struct.pack("<HI", channel, len(body)) + body)))
                chunk_indexes.append(struct.pack("<QQQQ", min(times), max(times), start, length) + numbers(offsets)
                    + struct.pack("<Q", len(out) - indexes) + text(compression) + struct.pack("<QQ", len(packed), len(content)))
            put(15, struct.pack("<I", zlib.crc32(out) if "crc" in f else 0))
            summary, groups = len(out), []
            def group(op, bodies):
                if not bodies: return
                start = len(out)
                for body in bodies: put(op, body)
                groups.append((op, start, len(out) - start))
            group(3, [schema] if "schemas" in f else [])
            group(4, list(channels.values()) if "channels" in f else [])
            if "statistics" in f:
                group(11, [struct.pack("<QHIIIIQQ", 12, 1, 2, len(attachments), len(metadata), len(chunk_indexes), T, T + 11)
                    + numbers([(1, 6), (2, 6)])])
            group(8, chunk_indexes if "chunk-index" in f else [])
            group(10, attachments if "attachment-index" in f else [])
            group(13, metadata if "metadata-index" in f else [])
            offsets = len(out)
            if "offsets" in f:
                for one in groups: put(14, struct.pack("<BQQ", *one))
            foot = struct.pack("<QQ", summary if groups else 0, offsets if "offsets" in f and groups else 0)
            crc = 0
            if "crc" in f: crc = zlib.crc32(out[summary:] + bytes([2]) + struct.pack("<Q", 20) + foot)
            put(2, foot + struct.pack("<I", crc))
            open(path, "wb").write(bytes(out) + MAGIC)

        names = []
        def add(f, compression="", profile="ros2"):
            name = f"{len(names):03}-" + "-".join(sorted(f) + [compression] * bool(compression) + [profile] * bool(profile))
            write(f"{folder}/{name}.mcap", f, compression, profile)
            names.append(name)

        def subsets(words):
            for count in range(len(words) + 1): yield from (set(some) for some in itertools.combinations(words, count))

        # Every combination of what a summary may have, with and without chunks.
        for f in subsets(["chunks", "message-index", "chunk-index", "schemas", "channels", "statistics", "offsets"]):
            if "chunks" in f or not f & {"message-index", "chunk-index"}: add(f | {"crc"})
        # What may be beside the messages.
        for f in subsets(["attachments", "metadata", "attachment-index", "metadata-index", "offsets", "pad", "crc"]):
            if {"attachments"} <= f or "attachment-index" not in f:
                if "metadata" in f or "metadata-index" not in f:
                    add(f | {"chunks", "message-index", "chunk-index", "schemas", "channels", "statistics"})
                    add(f | {"schemas", "channels"}, profile="")
        for compression in ("lz4", "zstd"):
            for f in subsets(["message-index", "chunk-index", "schemas", "channels", "pad", "crc"]): add(f | {"chunks"}, compression)

        # The same by the package that others write with.
        indexes = [IndexType.NONE, IndexType.ALL, IndexType.CHUNK, IndexType.MESSAGE, IndexType.ALL & ~IndexType.ATTACHMENT]
        for index, chunked, channels, schemas, statistics, offsets in itertools.product(indexes, *[(False, True)] * 5):
            name = f"{len(names):03}-package"
            with open(f"{folder}/{name}.mcap", "wb") as file:
                writer = Writer(file, chunk_size=200, compression=CompressionType.NONE, use_chunking=chunked, index_types=index,
                    repeat_channels=channels, repeat_schemas=schemas, use_statistics=statistics, use_summary_offsets=offsets,
                    enable_crcs=statistics, enable_data_crcs=offsets)
                writer.start("ros2", "package")
                schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data\\n")
                ids = [writer.register_channel(t, "cdr", schema, {"offered_qos_profiles": ""}) for t in ("/one", "/two")]
                writer.add_attachment(T, T, "note.txt", "text/plain", b"hello")
                for n in range(12): writer.add_message(ids[n % 2], T + n, cdr(f"message {n}"), T + n, n)
                writer.add_metadata("about", {"key": "value"})
                writer.finish()
            names.append(name)
        # Whether the package reads them all, with every CRC: what is checked against them has to be legal.
        # It does not pass over the bytes behind the fields of records in chunks.
        for name in names:
            if "pad" in name and "chunks" in name: continue
            with open(f"{folder}/{name}.mcap", "rb") as file:
                assert sum(1 for _ in NonSeekingReader(file, validate_crcs=True).iter_messages()) == 12, name
        print(json.dumps(names))
        """
}
