"""Reads bags with the readers of others, and prints what they find as JSON: {bag: {"reader": [row, ...], ...}, ...}.

usage: read_bags.py BAG...

A bag is a folder or a lone file. A row is "topic type time digest", the digest that of the message's bytes as stored;
the rows of a reader are sorted. Readers: rosbags (of what has a metadata.yaml and is CDR), files (the mcap package, or
Python's sqlite3), and decoded: how many messages mcap_ros2 decodes. Where a reader refuses, its entry is the reason.
"""

import hashlib
import json
import sqlite3
import sys
import tempfile
from pathlib import Path

import zstandard
from mcap.reader import NonSeekingReader, make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader


def row(topic, kind, time, data):
    return f"{topic} {kind} {time} {hashlib.sha1(data).hexdigest()[:16]}"


def files(bag):
    if bag.is_file():
        return [bag]
    return sorted(path for path in bag.iterdir() if {".db3", ".mcap"} & set(path.suffixes) and path.suffix != ".part")


def sqlite_rows(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    for found in connection.execute(
        "SELECT name, type, timestamp, data FROM messages JOIN topics ON topics.id = topic_id"
    ):
        yield row(*found)


def mcap_rows(path):
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            yield row(channel.topic, schema.name if schema else "", message.log_time, message.data)


def file_rows(path, folder):
    if path.suffix in (".zst", ".zstd"):
        plain = Path(folder) / path.stem
        with open(path, "rb") as source, open(plain, "wb") as target:
            zstandard.ZstdDecompressor().copy_stream(source, target)
        path = plain
    return list(mcap_rows(path) if path.suffix == ".mcap" else sqlite_rows(path))


def rosbags_rows(bag):
    with Reader(bag) as reader:
        return sorted(row(c.topic, c.msgtype, time, data) for c, time, data in reader.messages())


def decoded(bag):
    count = 0
    for path in files(bag):
        if path.suffix == ".mcap":
            with open(path, "rb") as file:
                reader = NonSeekingReader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
                count += sum(1 for _ in reader.iter_decoded_messages())
    return count


def attempt(read, *arguments):
    try:
        return read(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def everything(bag):
    found = dict(rosbags=attempt(rosbags_rows, bag), decoded=attempt(decoded, bag))
    with tempfile.TemporaryDirectory() as folder:
        found["files"] = attempt(lambda: sorted(r for path in files(bag) for r in file_rows(path, folder)))
    return {reader: rows if isinstance(rows, list) else [str(rows)] for reader, rows in found.items()}


print(json.dumps({name: everything(Path(name)) for name in sys.argv[1:]}))
