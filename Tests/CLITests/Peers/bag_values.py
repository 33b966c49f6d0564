"""Prints the values of a bag's messages as rosbags reads them: {topic: [digest, ...]} in time order, as JSON.

usage: bag_values.py BAG

A digest is that of the values, as rosbridge_server.py has it. Topics of services are left out.
"""

import json
import sys

from rosbags.rosbag2 import Reader
from rosbridge_rules import STORE, digest, full_name, register

bag = sys.argv[1]
register(bag)
values = {}
with Reader(bag) as reader:
    for connection, _, data in reader.messages():
        if "/srv/" not in connection.msgtype:
            kind = full_name(connection.msgtype)
            name = "/" + connection.topic.lstrip("/")
            values.setdefault(name, []).append(digest(kind, STORE.deserialize_cdr(data, kind)))
print(json.dumps(values))
