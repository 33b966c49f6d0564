"""Lists the messages of a rosbag2 folder in the order of its rows: {"topics": {name: type}, "rows": [...]} as JSON.

usage: list_bag.py BAG
"""

import json
import sqlite3
import sys
from pathlib import Path

import yaml
from rosbridge_rules import STORE, digest, full_name, message, register, stamp


def rows(bag, topics):
    information = yaml.safe_load((bag / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    for name in information["relative_file_paths"]:
        connection = sqlite3.connect(f"file:{bag / name}?mode=ro&immutable=1", uri=True)
        for topic, kind, form, time, data in connection.execute(
            "SELECT name, type, serialization_format, timestamp, data FROM messages JOIN topics"
            " ON topics.id = topic_id ORDER BY messages.id"
        ):
            topics[topic] = kind
            if form == "cdr" and kind not in STORE.fielddefs:
                register(bag)
            if form == "cdr":
                decoded = STORE.deserialize_cdr(data, kind)
            else:
                envelope = json.loads(data)
                assert envelope["op"] == "publish" and envelope["topic"] == topic, envelope.keys()
                decoded = message(full_name(kind), envelope["msg"])
            yield dict(file=name, topic=topic, time=time, stamp=stamp(decoded), digest=digest(kind, decoded))


topics = {}
listed = list(rows(Path(sys.argv[1]), topics))
print(json.dumps(dict(topics=topics, rows=listed)))
