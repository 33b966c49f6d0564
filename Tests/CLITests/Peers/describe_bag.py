"""Describes the topics of a bag of CDR: {topic: {type, count, frames, children, fields, dense}} as JSON.

usage: describe_bag.py BAG
"""

import json
import sys
from pathlib import Path

from rosbags.rosbag2 import Reader
from rosbridge_rules import STORE

topics = {}
with Reader(Path(sys.argv[1])) as reader:
    for connection, _, data in reader.messages():
        message = STORE.deserialize_cdr(data, connection.msgtype)
        topic = topics.setdefault(
            connection.topic,
            dict(type=connection.msgtype, count=0, frames=set(), children=set(), fields=[], points=0, dense=True),
        )
        topic["count"] += 1
        for part in getattr(message, "transforms", [message]):
            if hasattr(part, "header"):
                topic["frames"].add(part.header.frame_id)
            topic["children"].add(getattr(part, "child_frame_id", ""))
        if hasattr(message, "point_step"):
            topic["fields"] = [f"{field.name}@{field.offset}:{field.datatype}" for field in message.fields]
            topic["points"] += message.width * message.height
            topic["dense"] = topic["dense"] and bool(message.is_dense)
print(json.dumps(topics, default=sorted))
