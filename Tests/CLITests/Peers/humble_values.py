"""Compares a recording of Humble, which holds no definitions, with what was made of it, which does.

usage: humble_values.py RECORDING COPY MESSAGES        prints a JSON list of differences

The recording is read by rosbags' own types of Humble, the copy (.mcap files, any order) by the definitions in it alone.
MESSAGES is the folder of the .msg files of mapeverything_msgs.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from mcap.reader import make_reader
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def digest(store, kind, message):
    """The CDR of a message as rosbags writes it: without the gaps and ends of others."""
    return bytes(store.serialize_cdr(message, kind))


recording, copy, messages = map(Path, sys.argv[1:])
humble = get_typestore(Stores.ROS2_HUMBLE)
for path in sorted(messages.glob("*.msg")):
    humble.register(get_types_from_msg(path.read_text(), f"mapeverything_msgs/msg/{path.stem}"))
humble.register(get_types_from_msg(
    "string ip_address\nbuiltin_interfaces/Time connection_time", "rosbridge_msgs/msg/ConnectedClient"))
humble.register(get_types_from_msg("ConnectedClient[] clients", "rosbridge_msgs/msg/ConnectedClients"))

expected, found, differences = Counter(), Counter(), []
with Reader(recording) as reader:
    for connection, time, data in reader.messages():
        value = digest(humble, connection.msgtype, humble.deserialize_cdr(data, connection.msgtype))
        expected[connection.topic, connection.msgtype, time, value] += 1
stores = {}
for path in sorted(copy.glob("*.mcap")):
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            if schema.name not in stores:
                store = stores[schema.name] = get_typestore(Stores.EMPTY)
                store.register(get_types_from_msg(schema.data.decode(), schema.name))
                for name, definition in store.fielddefs.items():
                    if definition[1] != humble.fielddefs[name][1]:
                        differences.append(f"{schema.name}: {name} has other fields")
            store = stores[schema.name]
            value = digest(store, schema.name, store.deserialize_cdr(message.data, schema.name))
            found[channel.topic, schema.name, message.log_time, value] += 1
for key in expected.keys() | found.keys():
    if expected[key] != found[key]:
        differences.append(f"{key[:3]}: {expected[key]} messages, found {found[key]}")
if not expected:
    differences.append("the recording is empty")
print(json.dumps(sorted(differences)[:20]))
