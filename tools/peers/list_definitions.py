"""Lists what bags hold, for readers of message definitions.

usage: list_definitions.py FOLDER  > lines of {"type", "encoding", "definition", "hash", "messages" (hex)}
"""

import json
import pathlib
import sqlite3
import sys

import mcap.reader
import zstandard


def from_sqlite(path):
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    definitions = {}
    if "message_definitions" in tables:
        rows = database.execute(
            "SELECT topic_type, encoding, encoded_message_definition, type_description_hash FROM message_definitions")
        definitions = {kind: rest for kind, *rest in rows}
    for topic, kind, serialization in database.execute("SELECT id, type, serialization_format FROM topics"):
        if serialization != "cdr":
            continue
        rows = database.execute("SELECT data FROM messages WHERE topic_id = ? LIMIT 5", (topic,))
        encoding, text, type_hash = definitions.get(kind, ("", "", ""))
        yield kind, encoding, text, type_hash, [data.hex() for (data,) in rows]


def has_packed_messages(reader):
    """Whether rosbag2 compressed each message by itself, as it says in its metadata record."""
    return any("\ncompression_mode: MESSAGE\n" in record.metadata.get("serialized_metadata", "")
               for record in reader.iter_metadata() if record.name == "rosbag2")


def unpacked(data):
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def from_mcap(path):
    with open(path, "rb") as file:
        reader = mcap.reader.make_reader(file)
        unpack = unpacked if has_packed_messages(reader) else bytes
        found = {}
        for schema, channel, message in reader.iter_messages():
            if channel.message_encoding != "cdr":
                continue
            text = schema.data.decode()
            entry = found.setdefault(
                channel.id, (schema.name, schema.encoding, text, channel.metadata.get("topic_type_hash", ""), []))
            if len(entry[4]) < 5:
                entry[4].append(unpack(message.data).hex())
        yield from found.values()


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
        entries = []
        try:
            if path.suffix == ".db3":
                entries = list(from_sqlite(path))
            elif path.suffix == ".mcap":
                entries = list(from_mcap(path))
        except (sqlite3.Error, mcap.exceptions.McapError, KeyError) as error:
            print(f"{path}: {error}", file=sys.stderr)
        for kind, encoding, text, type_hash, messages in entries:
            print(json.dumps({"type": kind, "encoding": encoding, "definition": text, "hash": type_hash,
                              "messages": messages}))


if __name__ == "__main__":
    main()
