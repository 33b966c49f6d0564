"""Prints the values of a bag's messages as rosbags decodes them: {topic: [digest, ...]} in time order, as JSON.

usage: bag_values.py BAG

The rows come from rosbags, of .mcap files from the mcap package. A digest is that of the values, as rosbridge_server.py
has it. Topics of services are left out.
"""

import json
import sys
from pathlib import Path

from mcap.reader import make_reader
from rosbags.rosbag2 import Reader
from rosbridge_rules import STORE, digest, full_name, register



def rows(bag):
    for path in sorted(bag.glob("*.mcap")):
        with open(path, "rb") as file:
            for schema, channel, message in make_reader(file).iter_messages():
                yield channel.topic, schema.name, message.data
    if not list(bag.glob("*.mcap")):
        with Reader(bag) as reader:
            for connection, _, data in reader.messages():
                yield connection.topic, connection.msgtype, data


bag = Path(sys.argv[1])
register(bag)
values = {}
for topic, kind, data in rows(bag):
    if "/srv/" not in kind:
        decoded = STORE.deserialize_cdr(data, full_name(kind))
        values.setdefault("/" + topic.lstrip("/"), []).append(digest(full_name(kind), decoded))
print(json.dumps(values))
