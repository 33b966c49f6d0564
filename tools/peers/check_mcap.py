#!/usr/bin/env python3
"""Judges an MCAP file of ROS 2: a parser of its own with the rules of `mcap doctor`, the mcap reader with its CRCs,
mcap_ros2 and rosbags as decoders, and the content of the messages.

usage: check_mcap.py FILE [--need-index] [--need-crc] [--compare DIRECTORY] [--expect TOPIC=COUNT]...

--need-index  chunk indexes, message indexes, statistics and summary offsets must be there
--need-crc    chunks and the summary must have a CRC (rosbag2's own writer leaves those of chunks at 0)
--compare     every message (topic, log time, bytes) equals the rows of a rosbag2 directory of SQLite files

The last line is `N passed, N failed`, messages and problems; the exit status is 1 on any problem.
"""

import collections
import json
import os
import sqlite3
import sys

import bag_metadata
import mcap_records as mcap
import message_content
import message_types
from findings import Problems, argument_parser

Message = collections.namedtuple("Message", "topic log_time data")
Placed = collections.namedtuple("Placed", "record length")
Group = collections.namedtuple("Group", "opcode start end")


class Chunk:
    """What the indexes say of a chunk, and what is in it."""

    def __init__(self, record, length):
        self.record, self.length = record, length
        self.compressed_size = len(record.records)
        # Log time and offset in the chunk of each message, by channel; the same as its MessageIndex records have it.
        self.messages = collections.defaultdict(list)
        self.indexes = {}

    @property
    def times(self):
        times = [time for messages in self.messages.values() for time, _ in messages]
        return (min(times), max(times)) if times else (0, 0)


class File:
    """All records, walked through from the first to the last byte."""

    def __init__(self, data, options, problems):
        self.data, self.options, self.problems = data, options, problems
        self.header = self.data_end = self.footer = self.statistics = None
        self.schemas, self.channels = {}, {}
        self.summary_schemas, self.summary_channels = {}, {}
        self.chunks, self.chunk_indexes = {}, {}
        self.attachments, self.metadata = {}, {}
        self.attachment_indexes, self.metadata_indexes, self.summary_offsets = [], [], []
        self.groups = []
        self.messages, self.counts = [], collections.Counter()
        self.outside_count = 0

    def read(self):
        if self.data[:8] != mcap.MAGIC or self.data[-8:] != mcap.MAGIC:
            self.problems.add("magic bytes missing (file truncated?)")
        for offset, opcode, start, end in mcap.walk(self.data, 8, len(self.data) - 8, self.problems):
            try:
                record = mcap.parse(opcode, self.data, start, end)
            except Exception as error:
                self.problems.add(f"{mcap.NAMES.get(opcode, opcode)} at {offset}: {error}")
                continue
            self.take(opcode, record, offset, end)
        if self.data_end is None:
            self.problems.add("no DataEnd")
        if self.footer is None:
            self.problems.add("no Footer")

    def take(self, opcode, record, offset, end):
        if self.header is None and opcode != mcap.HEADER:
            self.problems.add("first record is not Header")
        if self.footer is not None:
            self.problems.add("record after Footer")
        if opcode == mcap.HEADER:
            self.take_header(record)
        elif opcode == mcap.FOOTER:
            self.footer = Placed(record, offset)
        elif opcode == mcap.DATA_END:
            self.data_end = record
            if not mcap.crc_fits(record.data_section_crc, self.data[:offset]):
                self.problems.add("DataEnd.data_section_crc is wrong")
        elif self.data_end is None:
            self.take_data(opcode, record, offset, end)
        else:
            self.take_summary(opcode, record, offset, end)

    def take_header(self, record):
        if self.header is not None:
            self.problems.add("second Header")
        self.header = record
        if record.profile != "ros2":
            self.problems.add(f"profile {record.profile!r}")
        if not record.library:
            self.problems.add("Header.library is empty (doctor warns)")

    # The data section

    def take_data(self, opcode, record, offset, end):
        if opcode == mcap.CHUNK:
            self.chunks[offset] = chunk = Chunk(record, end - offset)
            self.read_chunk(chunk, f"chunk at {offset}")
        elif opcode == mcap.MESSAGE_INDEX:
            self.take_message_index(record, offset)
        elif opcode == mcap.ATTACHMENT:
            self.attachments[offset] = Placed(record, end - offset)
            # The CRC is of the content before it.
            if not mcap.crc_fits(record.crc, self.data[offset + 9 : end - 4]):
                self.problems.add(f"Attachment {record.name}: CRC is wrong")
        elif opcode == mcap.METADATA:
            self.metadata[offset] = Placed(record, end - offset)
        elif opcode == mcap.MESSAGE:
            self.outside_count += 1
            self.take_message(record)
        elif opcode in (mcap.SCHEMA, mcap.CHANNEL):
            self.take_definition(opcode, record, self.schemas, self.channels)
        elif opcode < 0x80:
            self.problems.add(f"{mcap.NAMES.get(opcode, opcode)} not allowed in the data section")

    def read_chunk(self, chunk, place):
        record = chunk.record
        try:
            data = mcap.unpacked(record)
        except Exception as error:
            self.problems.add(f"{place}: {record.compression} {error}")
            data = b""
        if len(data) != record.uncompressed_size:
            self.problems.add(f"{place}: uncompressed_size {record.uncompressed_size} != {len(data)}")
        if not mcap.crc_fits(record.uncompressed_crc, data):
            self.problems.add(f"{place}: CRC is wrong")
        if self.options.need_crc and not record.uncompressed_crc:
            self.problems.add(f"{place}: no CRC")
        for offset, opcode, start, end in mcap.walk(data, 0, len(data), self.problems):
            try:
                inner = mcap.parse(opcode, data, start, end)
            except Exception as error:
                self.problems.add(f"{place}: {mcap.NAMES.get(opcode, opcode)} {error}")
                continue
            if opcode == mcap.MESSAGE:
                self.take_message(inner)
                chunk.messages[inner.channel].append((inner.log_time, offset))
            elif opcode in (mcap.SCHEMA, mcap.CHANNEL):
                self.take_definition(opcode, inner, self.schemas, self.channels)
            else:
                self.problems.add(f"illegal {mcap.NAMES.get(opcode, opcode)} in chunk")
        if chunk.times != (record.start_time, record.end_time):
            said = f"{record.start_time},{record.end_time}"
            self.problems.add(f"{place}: start/end time {said} but messages span {chunk.times}")

    def take_message(self, record):
        channel = self.channels.get(record.channel)
        if channel is None:
            self.problems.add(f"Message before Channel {record.channel}")
            return
        self.counts[record.channel] += 1
        self.messages.append(Message(channel.topic, record.log_time, record.data))

    def take_message_index(self, record, offset):
        if not self.chunks:
            self.problems.add("MessageIndex before any Chunk")
            return
        place, chunk = next(reversed(self.chunks.items()))
        chunk.indexes[record.channel] = offset
        if sorted(record.records) != sorted(chunk.messages.get(record.channel, [])):
            self.problems.add(f"MessageIndex at {offset} does not match chunk {place}")
        if record.records != sorted(record.records, key=lambda entry: entry[0]):
            self.problems.add(f"MessageIndex at {offset} not sorted by log time")

    def take_definition(self, opcode, record, schemas, channels):
        kept, others = (schemas, (self.schemas, self.summary_schemas))
        if opcode == mcap.CHANNEL:
            kept, others = (channels, (self.channels, self.summary_channels))
        name = f"{mcap.NAMES[opcode]} {record.id}"
        if any(record.id in other and other[record.id] != record for other in others):
            self.problems.add(f"two different records of {name}")
        if kept is not others[0] and record.id not in others[0]:
            self.problems.add(f"{name} only in summary")
        if opcode == mcap.SCHEMA:
            if record.id == 0:
                self.problems.add("Schema id 0")
            if not record.encoding and record.data:
                self.problems.add(f"Schema {record.name}: empty encoding with data")
        elif record.schema and record.schema not in self.schemas:
            self.problems.add(f"Channel {record.topic} refers to unknown Schema {record.schema}")
        kept[record.id] = record

    # The summary section

    def take_summary(self, opcode, record, offset, end):
        if self.groups and self.groups[-1].opcode == opcode:
            self.groups[-1] = self.groups[-1]._replace(end=end)
        else:
            self.groups.append(Group(opcode, offset, end))
        if opcode in (mcap.SCHEMA, mcap.CHANNEL):
            self.take_definition(opcode, record, self.summary_schemas, self.summary_channels)
        elif opcode == mcap.CHUNK_INDEX:
            if record.chunk_offset in self.chunk_indexes:
                self.problems.add(f"two ChunkIndex for {record.chunk_offset}")
            self.chunk_indexes[record.chunk_offset] = record
        elif opcode == mcap.ATTACHMENT_INDEX:
            self.attachment_indexes.append(record)
        elif opcode == mcap.METADATA_INDEX:
            self.metadata_indexes.append(record)
        elif opcode == mcap.SUMMARY_OFFSET:
            self.summary_offsets.append(record)
        elif opcode == mcap.STATISTICS:
            if self.statistics:
                self.problems.add("two Statistics records")
            self.statistics = record
            for channel in record.channel_message_counts:
                if channel not in self.summary_channels:
                    self.problems.add(f"Statistics counts channel {channel}, which is not in the summary before it")
        elif opcode < 0x80:
            self.problems.add(f"{mcap.NAMES.get(opcode, opcode)} not allowed in the summary section")


class Judge:
    """Compares what the file says about itself with what is in it."""

    def __init__(self, file):
        self.file, self.options, self.problems = file, file.options, file.problems

    def check(self):
        self.check_footer()
        for offset, index in self.file.chunk_indexes.items():
            self.check_chunk_index(offset, index)
        self.check_index_presence()
        self.check_statistics()
        self.check_attachments()
        self.check_definitions()

    def check_footer(self):
        file = self.file
        groups = [group for group in file.groups if group.opcode != mcap.SUMMARY_OFFSET]
        if len({group.opcode for group in groups}) != len(groups):
            self.problems.add("summary records are not grouped by opcode")
        by_opcode = {group.opcode: group for group in reversed(file.groups)}
        for record in file.summary_offsets:
            group = by_opcode.get(record.group_opcode)
            if not group or (record.group_start, record.group_length) != (group.start, group.end - group.start):
                name = mcap.NAMES.get(record.group_opcode)
                self.problems.add(f"SummaryOffset for {name} does not match its group")
        if file.footer is None:
            return
        footer, offset = file.footer.record, file.footer.length
        expected = groups[0].start if groups else 0
        if footer.summary_start != expected:
            self.problems.add(f"Footer.summary_start {footer.summary_start} != {expected}")
        expected = by_opcode[mcap.SUMMARY_OFFSET].start if mcap.SUMMARY_OFFSET in by_opcode else 0
        if footer.summary_offset_start != expected:
            self.problems.add(f"Footer.summary_offset_start {footer.summary_offset_start} != {expected}")
        # From the summary to the footer's own CRC, which is its last field.
        covered = file.data[footer.summary_start : offset + 9 + 16]
        if footer.summary_start and not mcap.crc_fits(footer.summary_crc, covered):
            self.problems.add("Footer.summary_crc is wrong")
        if self.options.need_crc and not footer.summary_crc:
            self.problems.add("no summary CRC")

    def check_chunk_index(self, offset, index):
        file, place = self.file, f"ChunkIndex {offset}"
        chunk = file.chunks.get(offset)
        if not chunk:
            self.problems.add(f"{place}: no chunk there")
            return
        record = chunk.record
        for name in ("start_time", "end_time", "compression", "uncompressed_size"):
            if getattr(index, name) != getattr(record, name):
                self.problems.add(f"{place}: {name} {getattr(index, name)} != {getattr(record, name)}")
        if index.compressed_size != chunk.compressed_size:
            self.problems.add(f"{place}: compressed_size {index.compressed_size} != {chunk.compressed_size}")
        if index.chunk_length != chunk.length:
            self.problems.add(f"{place}: chunk_length {index.chunk_length} != {chunk.length}")
        offsets = index.message_index_offsets
        if offsets and offsets != chunk.indexes:
            self.problems.add(f"{place}: message_index_offsets do not match")
        if offsets and set(offsets) != set(chunk.messages):
            self.problems.add(f"{place}: channels {sorted(offsets)} != {sorted(chunk.messages)}")
        if self.options.need_index and chunk.messages and not offsets:
            self.problems.add(f"{place}: no message index")
        for channel in chunk.messages:
            schema = file.channels[channel].schema if channel in file.channels else 0
            if channel not in file.summary_channels:
                self.problems.add(f"channel {channel} of an indexed chunk is not repeated in the summary")
            elif schema and schema not in file.summary_schemas:
                self.problems.add(f"schema {schema} of an indexed chunk is not repeated in the summary")

    def check_index_presence(self):
        file = self.file
        if file.chunk_indexes and file.outside_count:
            self.problems.add(f"{file.outside_count} messages outside chunks in an indexed file")
        if file.chunk_indexes and set(file.chunk_indexes) != set(file.chunks):
            self.problems.add(f"{len(file.chunks)} chunks, {len(file.chunk_indexes)} ChunkIndex records")
        if self.options.need_index and not (file.chunk_indexes and file.summary_offsets):
            self.problems.add("no ChunkIndex or SummaryOffset records")

    def check_statistics(self):
        file = self.file
        if file.statistics is None:
            if self.options.need_index:
                self.problems.add("no Statistics (rosbag2 needs it)")
            return
        times = [message.log_time for message in file.messages]
        expected = dict(
            messages=len(file.messages),
            schemas=len(file.schemas),
            channels=len(file.channels),
            attachments=len(file.attachments),
            metadata=len(file.metadata),
            chunks=len(file.chunks),
            start_time=min(times, default=0),
            end_time=max(times, default=0),
        )
        for name, value in expected.items():
            if getattr(file.statistics, name) != value:
                self.problems.add(f"Statistics.{name} {getattr(file.statistics, name)} != {value}")
        counts = file.statistics.channel_message_counts
        if counts and {channel: count for channel, count in counts.items() if count} != dict(file.counts):
            self.problems.add("Statistics.channel_message_counts are wrong")

    def check_attachments(self):
        file = self.file
        for index in file.attachment_indexes:
            found = file.attachments.get(index.offset)
            names = ("log_time", "create_time", "name", "media_type")
            fits = found and index.length == found.length and index.data_size == len(found.record.data)
            if not fits or any(getattr(index, name) != getattr(found.record, name) for name in names):
                self.problems.add(f"AttachmentIndex {index.name} is wrong")
        if len(file.attachment_indexes) != len(file.attachments):
            self.problems.add("attachments without index")
        for index in file.metadata_indexes:
            found = file.metadata.get(index.offset)
            if not found or (index.length, index.name) != (found.length, found.record.name):
                self.problems.add(f"MetadataIndex {index.name} is wrong")

    def check_definitions(self):
        """The profile ros2: CDR by .msg or .idl definitions, one channel a topic."""
        file = self.file
        for channel in file.channels.values():
            if channel.encoding != "cdr":
                self.problems.add(f"{channel.topic}: message_encoding {channel.encoding!r} (the ros2 profile wants cdr)")
            if "offered_qos_profiles" not in channel.metadata:
                self.problems.add(f"{channel.topic}: channel metadata has no offered_qos_profiles")
            schema = file.schemas.get(channel.schema)
            if schema is None:
                self.problems.add(f"{channel.topic}: no schema")
                continue
            if schema.encoding not in ("ros2msg", "ros2idl"):
                self.problems.add(f"{schema.name}: schema encoding {schema.encoding!r}")
            if schema.name.count("/") != 2:
                self.problems.add(f"{schema.name}: schema name is not pkg/msg/Type")
        topics = collections.Counter(channel.topic for channel in file.channels.values())
        for topic, count in topics.items():
            if count > 1:
                self.problems.add(f"{topic}: {count} channels with the same topic")


def decode_with_readers(path, file, summaries):
    """Every message through the mcap reader and mcap_ros2; those with a .msg text through rosbags too."""
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    store = message_types.type_store("empty")
    for schema in file.schemas.values():
        if schema.encoding == "ros2msg":
            try:
                definitions = message_types.parse_definition(schema.data.decode(), schema.name)
                message_types.register_missing(store, definitions)
            except Exception as error:
                file.problems.add(f"{schema.name}: schema text does not parse: {type(error).__name__} {error}")
    count = 0
    try:
        with open(path, "rb") as stream:
            reader = make_reader(stream, decoder_factories=[DecoderFactory()], validate_crcs=True)
            for schema, channel, message, _ in reader.iter_decoded_messages(log_time_order=False):
                count += 1
                if schema.name in store.fielddefs:
                    place = f"{channel.topic} @{message.log_time}"
                    check_content(store, schema.name, message.data, place, file.problems, summaries[channel.topic])
    except Exception as error:
        file.problems.add(f"mcap reader: {type(error).__name__} {error}")
    if count != len(file.messages):
        file.problems.add(f"mcap reader saw {count} messages, the records are {len(file.messages)}")


def check_content(store, type_name, data, place, problems, summary):
    try:
        message = store.deserialize_cdr(data, type_name)
        again = bytes(store.serialize_cdr(message, type_name))
        rest = data[len(again) :]
        if again != data[: len(again)] or len(rest) > 3 or any(rest):
            problems.add(f"{place}: re-encoding differs")
        for text in message_content.problems_of(type_name, message, summary):
            problems.add(f"{place}: {text}")
    except Exception as error:
        problems.add(f"{place}: rosbags {type(error).__name__} {error}")


def compare_with_bag(file, directory):
    """The same topics, times and bytes as the rows of an SQLite bag, in any order."""
    metadata = bag_metadata.load_metadata(os.path.join(directory, "metadata.yaml"))
    rows = collections.Counter()
    query = "SELECT topics.name, timestamp, data FROM messages JOIN topics ON topics.id = topic_id"
    for name in metadata["relative_file_paths"]:
        database = sqlite3.connect(f"file:{os.path.join(directory, name)}?mode=ro", uri=True)
        rows.update((topic, time, bytes(data)) for topic, time, data in database.execute(query))
        database.close()
    found = collections.Counter(tuple(message) for message in file.messages)
    if found != rows:
        missing, extra = (rows - found).total(), (found - rows).total()
        file.problems.add(f"differs from {directory}: {missing} missing, {extra} extra")


def describe(path, file, summaries):
    print(
        f"{path}: {len(file.data)} bytes, {len(file.chunks)} chunks, {len(file.schemas)} schemas,",
        f"{len(file.channels)} channels, {len(file.attachments)} attachments, {len(file.metadata)} metadata,",
        f"{len(file.messages)} messages",
    )
    for identifier, channel in sorted(file.channels.items(), key=lambda entry: entry[1].topic):
        schema = file.schemas.get(channel.schema)
        pairs = summaries[channel.topic].items()
        summary = {key: sorted(value) if isinstance(value, set) else value for key, value in pairs}
        name = schema.name if schema else "-"
        print(f"{file.counts[identifier]:7d} {channel.topic:40} {name:36} {channel.encoding} {json.dumps(summary)}")


def main(arguments=None):
    parser = argument_parser(__doc__)
    parser.add_argument("file")
    parser.add_argument("--compare", metavar="DIRECTORY")
    parser.add_argument("--need-index", action="store_true")
    parser.add_argument("--need-crc", action="store_true")
    options = parser.parse_args(arguments)
    with open(options.file, "rb") as stream:
        file = File(stream.read(), options, Problems(options.max_problems))
    summaries = collections.defaultdict(dict)
    file.read()
    Judge(file).check()
    decode_with_readers(options.file, file, summaries)
    if options.compare:
        compare_with_bag(file, options.compare)
    counts = collections.Counter(message.topic for message in file.messages)
    file.problems.expect_counts(options.expect, counts)
    describe(options.file, file, summaries)
    return file.problems.finish(len(file.messages))


if __name__ == "__main__":
    sys.exit(main())
