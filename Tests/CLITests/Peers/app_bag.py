"""Lays the messages of a rosbridge_json bag out as the phone app does.

usage: app_bag.py BAG OUT CHUNKS [crash] [legacy] [shuffled] [broken] [strange] [foreign]

The chunks are mapeverything_<n>.db3, with tables of the first days (no schema, no hashes, no QoS), and metadata.yaml of
version 8 without type_description_hash and ros_distro. crash: metadata.yaml says that there are no files. legacy: the
names of the first builds. shuffled: rows out of order in each chunk. broken: three messages that are none. strange:
keys that their types do not have. foreign: a topic of an unknown type.
"""

import json
import random
import sqlite3
import sys
from pathlib import Path

import yaml

source, out, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
flags = set(sys.argv[4:])
LEGACY = {"/mapping/": "/reconstructor/", "mapeverything_msgs/": "reconstructor_msgs/"}


def renamed(text):
    for new, old in LEGACY.items():
        text = text.replace(new, old) if "legacy" in flags else text
    return text


def rows():
    connection = sqlite3.connect(f"file:{next(source.glob('*.db3'))}?mode=ro&immutable=1", uri=True)
    for topic, kind, time, data in connection.execute(
        "SELECT name, type, timestamp, data FROM messages JOIN topics ON topics.id = topic_id ORDER BY messages.id"
    ):
        operation = json.loads(data)
        if "strange" in flags and topic == "/mapping/pose":
            operation["msg"] |= dict(surprise=[1, {"a": "b"}])
            operation["msg"]["pose"]["extra"] = None
        operation["topic"] = renamed(topic)
        yield renamed(topic), renamed(kind), time, json.dumps(operation, separators=(",", ":"))


listed = list(rows())
last = listed[-1][2]
if "broken" in flags:
    listed[-1:-1] = [
        ("/mapping/pose", "geometry_msgs/msg/PoseStamped", last, text)
        for text in ('{"op":"publish","topic":"/mapping/pose","ms', '{"op":"publish","topic":"/mapping/pose"}',
                     '{"op":"publish","topic":"/mapping/pose","msg":{"pose":{"position":{"x":"far"}}}}')
    ]
if "foreign" in flags:
    text = '{"op":"publish","topic":"/count","msg":{"total":7,"name":"seven"}}'
    listed.append(("/count", "foo_msgs/msg/Count", last, text))
out.mkdir()
numbers, identifiers = {}, 0
size = -(-len(listed) // count)
names = []
for chunk in range(count):
    names.append(f"mapeverything_{chunk}.db3")
    connection = sqlite3.connect(out / names[-1])
    connection.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
        " serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
        " data BLOB NOT NULL);"
        "CREATE INDEX timestamp_idx ON messages (timestamp ASC);"
    )
    part = listed[chunk * size:(chunk + 1) * size]
    if "shuffled" in flags:
        random.Random(chunk).shuffle(part)
    for topic, kind, time, text in part:
        number = numbers.setdefault(topic, len(numbers) + 1)
        identifiers += 1
        connection.execute("INSERT OR IGNORE INTO topics VALUES (?, ?, ?, 'rosbridge_json', '')", (number, topic, kind))
        connection.execute("INSERT INTO messages VALUES (?, ?, ?, ?)", (identifiers, number, time, text.encode()))
    connection.commit()
    connection.close()
crashed = "crash" in flags
kinds = {} if crashed else {topic: kind for topic, kind, *_ in listed}
times = [time for _, _, time, _ in listed]
information = dict(
    version=8,
    storage_identifier="sqlite3",
    duration=dict(nanoseconds=0 if crashed else max(times) - min(times)),
    starting_time=dict(nanoseconds_since_epoch=min(times)),
    message_count=0 if crashed else len(listed),
    topics_with_message_count=[
        dict(
            topic_metadata=dict(name=t, type=k, serialization_format="rosbridge_json", offered_qos_profiles=""),
            message_count=sum(1 for row in listed if row[0] == t),
        )
        for t, k in sorted(kinds.items())
    ],
    compression_format="",
    compression_mode="",
    # In the order of letters, so _10 comes before _2.
    relative_file_paths=[] if crashed else sorted(names),
    files=[],
    custom_data={"mapeverything.serialization_format": "rosbridge_json", "mapeverything.serialization_note": "JSON"},
)
text = yaml.safe_dump(dict(rosbag2_bagfile_information=information), sort_keys=False)
(out / "metadata.yaml").write_text(text)
(out / ".mapeverything-preview.json").write_text("{}")
