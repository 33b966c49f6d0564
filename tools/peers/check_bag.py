#!/usr/bin/env python3
"""Judges a rosbag2 directory of SQLite files with readers of other people: sqlite3, rosbags, PyYAML, Pillow.

usage: check_bag.py DIRECTORY [--as humble|iron|jazzy]... [--expect TOPIC=COUNT]... [--msg-dir FOLDER]...

Checked are:
 * metadata.yaml by the rules of rosbag2 of each distribution that --as names;
 * each .db3: integrity, tables, columns, the index of time, topics, definitions, type hashes;
 * counts, starting time and duration in total, by topic and by file, all against the rows;
 * CDR: every message decodes, and encodes again to the same bytes;
 * rosbridge_json: every row is a publish operation or a bare message, and fits its type;
 * row times do not fall within a topic and equal header.stamp; contents make sense (message_content.py).

The last line is `N passed, N failed`, messages and problems; the exit status is 1 on any problem.
"""

import collections
import json
import os
import sqlite3
import sys
import tempfile

import bag_metadata
import message_content
import message_types
import rosbridge_json
import zstandard
from findings import Problems, argument_parser

COLUMNS = {"topics": {"id", "name", "type", "serialization_format"}, "messages": {"id", "topic_id", "timestamp", "data"}}
CDR_HEADERS = (b"\0\1\0\0", b"\0\0\0\0")

Topic = collections.namedtuple("Topic", "name type format hash")


class File:
    """The rows of one file, as far as metadata.yaml speaks of them."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.bytes = os.path.getsize(path)
        self.message_count = 0
        self.schema_version = None
        self.span = None

    def add(self, time):
        self.message_count += 1
        self.span = (min(self.span[0], time), max(self.span[1], time)) if self.span else (time, time)


class Bag:
    """Walks through all rows once, and keeps what the rest is compared with."""

    def __init__(self, options, problems):
        self.problems = problems
        self.store = message_types.type_store(options.store, options.msg_dir)
        self.store_name = options.store
        self.allows_stamp_mismatch = options.allow_stamp_mismatch
        self.hashes = message_types.known_hashes(options.known_hashes)
        self.packs_messages = False
        self.files = []
        self.types, self.formats = {}, {}
        self.counts, self.bytes, self.backward = collections.Counter(), collections.Counter(), collections.Counter()
        self.first, self.last, self.last_stamp = {}, {}, {}
        self.summaries = collections.defaultdict(dict)

    @property
    def message_count(self):
        return sum(file.message_count for file in self.files)

    @property
    def span(self):
        spans = [file.span for file in self.files if file.span]
        return (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else None

    # Files

    def read_file(self, path):
        for ending in ("-wal", "-journal", "-shm"):
            if os.path.exists(path + ending) and os.path.getsize(path + ending):
                name = os.path.basename(path) + ending
                self.problems.add(f"{name} left behind (copying only the .db3 loses data)")
        if not os.path.exists(path):
            self.problems.add(f"missing file {path}")
            return
        file = File(path)
        self.files.append(file)
        if not path.endswith(".zstd"):
            self.read_database(path, path, file)
            return
        with tempfile.NamedTemporaryFile(suffix=".db3") as unpacked, open(path, "rb") as packed:
            zstandard.ZstdDecompressor().copy_stream(packed, unpacked)
            unpacked.flush()
            self.read_database(path, unpacked.name, file)

    def read_database(self, path, readable, file):
        database = sqlite3.connect(f"file:{readable}?mode=ro", uri=True)
        verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            self.problems.add(f"{path}: integrity_check {verdict}")
        tables = self.check_tables(path, database, file)
        topics = self.read_topics(path, database, tables)
        if "message_definitions" in tables:
            self.read_definitions(path, database, topics.values())
        orphans = 0
        query = "SELECT id, topic_id, timestamp, data FROM messages ORDER BY id"
        for row, topic, time, data in database.execute(query):
            if topic in topics:
                file.add(time)
                self.read_row(f"{file.name} {topics[topic].name} row {row}", topics[topic], time, data)
            else:
                orphans += 1
        if orphans:
            self.problems.add(f"{path}: {orphans} messages with an unknown topic_id")
        database.close()

    def check_tables(self, path, database, file):
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        tables = {name: {row[1] for row in database.execute(f"PRAGMA table_info({name})")} for name in names}
        for name, columns in COLUMNS.items():
            if name not in tables:
                self.problems.add(f"{path}: no table {name}")
            elif not columns <= tables[name]:
                self.problems.add(f"{path}: table {name} has {sorted(tables[name])}")
        if "schema" in tables:
            version = database.execute("SELECT schema_version FROM schema").fetchone()[0]
            file.schema_version = version
            if version >= 3 and "metadata" not in tables:
                self.problems.add(f"{path}: schema {version} without table metadata")
            if version >= 4 and "message_definitions" not in tables:
                self.problems.add(f"{path}: schema {version} without table message_definitions")
            if version >= 4 and "type_description_hash" not in tables["topics"]:
                self.problems.add(f"{path}: schema {version} without topics.type_description_hash")
        query = "SELECT 1 FROM sqlite_master WHERE type='index' AND tbl_name='messages'"
        if not database.execute(query).fetchone():
            self.problems.add(f"{path}: no index on messages.timestamp (play will sort the whole table)")
        return tables

    def read_topics(self, path, database, tables):
        type_hash = "type_description_hash" if "type_description_hash" in tables["topics"] else "''"
        topics = {}
        for row in database.execute(f"SELECT id, name, type, serialization_format, {type_hash} FROM topics"):
            topic = topics[row[0]] = Topic(*row[1:])
            if self.types.setdefault(topic.name, topic.type) != topic.type:
                self.problems.add(f"{topic.name}: type differs between files")
            self.formats[topic.name] = topic.format
            expected = self.hashes.get(topic.type)
            if not expected and topic.type in self.store.fielddefs:
                expected = self.store.hash_rihs01(topic.type)
            if topic.hash and expected and topic.hash != expected:
                self.problems.add(f"{topic.name}: type hash {topic.hash} is not {expected}")
        if len({topic.name for topic in topics.values()}) != len(topics):
            self.problems.add(f"{path}: duplicate topic names")
        return topics

    def read_definitions(self, path, database, topics):
        defined = set()
        query = "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions"
        for name, encoding, text in database.execute(query):
            defined.add(name)
            if encoding != "ros2msg" or not text:
                continue
            try:
                found = message_types.parse_definition(text, name)
                if name not in self.store.fielddefs:
                    message_types.register_missing(self.store, found)
                elif self.store.fielddefs[name][1] != found[name][1]:
                    self.problems.add(f"{name}: stored definition differs from the {self.store_name} definition")
            except Exception as error:
                self.problems.add(f"{name}: stored message definition does not parse: {error}")
        for topic in topics:
            if topic.type not in defined:
                self.problems.add(f"{path}: no message definition for {topic.type}")

    # Rows

    def read_row(self, place, topic, time, data):
        name = topic.name
        self.counts[name] += 1
        self.bytes[name] += len(data)
        if time < self.last.get(name, time):
            self.backward[name] += 1
        self.first.setdefault(name, time)
        self.last[name] = time
        try:
            if self.packs_messages:
                data = zstandard.ZstdDecompressor().decompress(data)
            message = self.decoded(topic, bytes(data))
            if message is not None:
                self.check_message(place, topic, time, message)
        except Exception as error:
            self.problems.add(f"{place}: {type(error).__name__} {error}")

    def decoded(self, topic, data):
        if topic.format == "cdr":
            return self.decoded_cdr(topic, data)
        value = json.loads(data)
        if isinstance(value, dict) and "msg" in value and value.get("op", "publish") == "publish":
            if value.get("topic", topic.name) != topic.name:
                raise ValueError(f"payload topic {value['topic']} in topic {topic.name}")
            value = value["msg"]
        if topic.type not in self.store.fielddefs:
            self.summaries[topic.name]["unchecked_type"] = True
            return None
        return rosbridge_json.message_from_json(self.store, topic.type, value)

    def decoded_cdr(self, topic, data):
        if topic.type not in self.store.fielddefs:
            raise ValueError(f"unknown type {topic.type} and no message definition")
        if data[:4] not in CDR_HEADERS:
            raise ValueError(f"CDR header {data[:4].hex()}")
        message = self.store.deserialize_cdr(data, topic.type)
        again = bytes(self.store.serialize_cdr(message, topic.type, little_endian=data[1] == 1))
        rest = data[len(again) :]
        if 0 < len(rest) <= 3 and not any(rest):
            # CycloneDDS pads the payload to four bytes.
            self.summaries[topic.name]["tail_padding"] = True
            data = data[: len(again)]
        if again != data:
            pairs = enumerate(zip(again, data))
            differing = next((index for index, (a, b) in pairs if a != b), min(len(again), len(data)))
            raise ValueError(f"re-encoding differs at byte {differing} (lengths {len(data)}, {len(again)})")
        return message

    def check_message(self, place, topic, time, message):
        summary = self.summaries[topic.name]
        for text in message_content.problems_of(topic.type, message, summary):
            self.problems.add(f"{place}: {text}")
        stamp = message_content.stamp_of(topic.type, message)
        if stamp is None:
            return
        if stamp != time and not self.allows_stamp_mismatch:
            difference = (stamp - time) / 1e9
            self.problems.add(f"{place}: header.stamp {stamp} != timestamp {time} (by {difference:.6f} s)")
        if stamp < self.last_stamp.get(topic.name, stamp):
            summary["stamps_back"] = summary.get("stamps_back", 0) + 1
        self.last_stamp[topic.name] = stamp

    # Afterwards

    def check_whole(self):
        for name, count in self.backward.items():
            self.problems.add(f"{name}: {count} rows go backwards in time")
        if len(set(self.formats.values())) > 1:
            formats = sorted(set(self.formats.values()))
            self.problems.add(f"mixed serialization formats {formats}: every rosbag2 refuses such a bag")
        spans = [(file.name, file.span) for file in self.files if file.span]
        for (before, earlier), (name, span) in zip(spans, spans[1:]):
            if span[0] < earlier[1]:
                overlap = (earlier[1] - span[0]) / 1e6
                print(f"note: {name} starts {overlap:.1f} ms before {before} ends (players read file by file)")

    def check_with_rosbags(self, directory):
        """The reader of rosbags as a second opinion."""
        from rosbags.rosbag2 import Reader

        try:
            with Reader(directory) as reader:
                count = sum(1 for _ in reader.messages())
        except Exception as error:
            self.problems.add(f"rosbags refuses the bag: {type(error).__name__} {error}")
            return
        if count != self.message_count:
            self.problems.add(f"rosbags reads {count} messages, the rows are {self.message_count}")

    def describe(self):
        for file in self.files:
            print(f"file {file.name}: {file.message_count} messages, schema {file.schema_version}, {file.bytes} bytes")
        for name in sorted(self.types):
            count = self.counts[name]
            seconds = (self.last[name] - self.first[name]) / 1e9 if count else 0
            rate = (count - 1) / seconds if seconds else 0
            pairs = self.summaries[name].items()
            summary = {key: sorted(value) if isinstance(value, set) else value for key, value in pairs}
            print(
                f"{count:7d} {name:40} {self.types[name]:36} {self.formats[name]:14}",
                f"{self.bytes[name] // max(1, count):9d} B/msg {rate:7.2f} Hz {json.dumps(summary)}",
            )


def data_files(directory, metadata, problems):
    """The files of the bag in order; those that metadata.yaml does not list are problems."""
    found = sorted(name for name in os.listdir(directory) if name.endswith(".db3"))
    if not metadata:
        return found
    listed = [os.path.basename(path) for path in metadata["relative_file_paths"]]
    for name in found:
        if name not in listed:
            problems.add(f"{name} is not listed in metadata.yaml")
    return listed


def main(arguments=None):
    parser = argument_parser(__doc__)
    parser.add_argument("directory")
    parser.add_argument("--as", dest="distributions", action="append", choices=bag_metadata.DISTRIBUTIONS)
    parser.add_argument("--store", default="jazzy", choices=message_types.STORES)
    parser.add_argument("--msg-dir", action="append", default=[], metavar="FOLDER", help="has PACKAGE/msg/NAME.msg")
    parser.add_argument("--known-hashes", default=message_types.KNOWN_HASHES, metavar="FILE")
    parser.add_argument("--allow-stamp-mismatch", action="store_true")
    options = parser.parse_args(arguments)

    problems = Problems(options.max_problems)
    path = os.path.join(options.directory, "metadata.yaml")
    metadata = bag_metadata.load_metadata(path) if os.path.exists(path) else None
    if metadata is None:
        problems.add("no metadata.yaml, or none with rosbag2_bagfile_information")
    else:
        bag_metadata.check_rules(metadata, options.distributions, problems)
    bag = Bag(options, problems)
    bag.packs_messages = str((metadata or {}).get("compression_mode", "")).lower() == "message"
    for name in data_files(options.directory, metadata, problems):
        bag.read_file(os.path.join(options.directory, name))
    bag.check_whole()
    if metadata:
        bag_metadata.check_against_rows(metadata, bag, problems)
        if set(bag.formats.values()) == {"cdr"}:
            bag.check_with_rosbags(options.directory)
    problems.expect_counts(options.expect, bag.counts)
    bag.describe()
    return problems.finish(bag.message_count)


if __name__ == "__main__":
    sys.exit(main())
