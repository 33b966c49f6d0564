"""MCAP records (mcap.dev/spec), parsed without the library whose files and readers they judge."""

import types
import zlib

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(9, 16)
NAMES = dict(
    enumerate(
        "Header Footer Schema Channel Message Chunk MessageIndex ChunkIndex Attachment AttachmentIndex Statistics "
        "Metadata MetadataIndex SummaryOffset DataEnd".split(),
        start=1,
    )
)


class Cursor:
    """Reads the fields of one record; ValueError where it is too short."""

    def __init__(self, data, start, end):
        self.data, self.offset, self.end = data, start, end

    def bytes(self, count):
        if self.offset + count > self.end:
            raise ValueError("record too short")
        self.offset += count
        return bytes(self.data[self.offset - count : self.offset])

    def rest(self):
        return self.bytes(self.end - self.offset)

    def integer(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def text(self):
        return self.bytes(self.integer(4)).decode("utf-8")

    def pairs(self, key, value):
        """The entries of a map as a dict."""
        end = self.integer(4) + self.offset
        if end > self.end:
            raise ValueError("map longer than record")
        entries = {}
        while self.offset < end:
            name = key()
            if name in entries:
                raise ValueError(f"duplicate map key {name!r}")
            entries[name] = value()
        if self.offset != end:
            raise ValueError("map length does not fit its entries")
        return entries

    def texts(self):
        return self.pairs(self.text, self.text)

    def numbers(self):
        """uint64 by uint16."""
        return self.pairs(lambda: self.integer(2), lambda: self.integer(8))

    def times(self):
        """The array of a MessageIndex: log time and offset."""
        end = self.integer(4) + self.offset
        entries = []
        while self.offset < end:
            entries.append((self.integer(8), self.integer(8)))
        return entries


# The fields of each record in their order: a number is an integer of so many bytes.
FIELDS = {
    HEADER: dict(profile="text", library="text"),
    FOOTER: dict(summary_start=8, summary_offset_start=8, summary_crc=4),
    SCHEMA: dict(id=2, name="text", encoding="text", data="data32"),
    CHANNEL: dict(id=2, schema=2, topic="text", encoding="text", metadata="texts"),
    MESSAGE: dict(channel=2, sequence=4, log_time=8, publish_time=8, data="rest"),
    CHUNK: dict(start_time=8, end_time=8, uncompressed_size=8, uncompressed_crc=4, compression="text", records="data64"),
    MESSAGE_INDEX: dict(channel=2, records="times"),
    CHUNK_INDEX: dict(
        start_time=8,
        end_time=8,
        chunk_offset=8,
        chunk_length=8,
        message_index_offsets="numbers",
        message_index_length=8,
        compression="text",
        compressed_size=8,
        uncompressed_size=8,
    ),
    ATTACHMENT: dict(log_time=8, create_time=8, name="text", media_type="text", data="data64", crc=4),
    ATTACHMENT_INDEX: dict(
        offset=8, length=8, log_time=8, create_time=8, data_size=8, name="text", media_type="text"
    ),
    STATISTICS: dict(
        messages=8,
        schemas=2,
        channels=4,
        attachments=4,
        metadata=4,
        chunks=4,
        start_time=8,
        end_time=8,
        channel_message_counts="numbers",
    ),
    METADATA: dict(name="text", metadata="texts"),
    METADATA_INDEX: dict(offset=8, length=8, name="text"),
    SUMMARY_OFFSET: dict(group_opcode=1, group_start=8, group_length=8),
    DATA_END: dict(data_section_crc=4),
}


def parse(opcode, data, start, end):
    """The fields of the record's content as attributes."""
    cursor = Cursor(data, start, end)
    record = types.SimpleNamespace()
    for name, kind in FIELDS.get(opcode, {}).items():
        if isinstance(kind, int):
            value = cursor.integer(kind)
        elif kind.startswith("data"):
            value = cursor.bytes(cursor.integer(int(kind[4:]) // 8))
        else:
            value = getattr(cursor, kind)()
        setattr(record, name, value)
    return record


def walk(data, start, end, problems):
    """Yields offset, opcode, and start and end of the content of each record."""
    while start < end:
        if start + 9 > end:
            problems.add(f"trailing {end - start} bytes at {start}")
            return
        opcode = data[start]
        stop = start + 9 + int.from_bytes(data[start + 1 : start + 9], "little")
        if stop > end:
            problems.add(f"record {NAMES.get(opcode, opcode)} at {start} runs past the end")
            return
        yield start, opcode, start + 9, stop
        start = stop


def unpacked(chunk):
    """The records of a chunk; an exception says why they cannot be had."""
    if chunk.compression == "":
        return chunk.records
    if chunk.compression == "lz4":
        import lz4.frame

        return lz4.frame.decompress(chunk.records)
    if chunk.compression == "zstd":
        import zstandard

        return zstandard.ZstdDecompressor().decompress(chunk.records, max_output_size=chunk.uncompressed_size)
    raise ValueError(f"unknown compression {chunk.compression!r}")


def crc_fits(stored, data):
    """A stored CRC of 0 says that there is none."""
    return stored == 0 or stored == zlib.crc32(data)
