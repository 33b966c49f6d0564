#!/usr/bin/env python3
"""Converts a rosbridge_json bag to CDR the way one writes it in Python: json, base64 and rosbags.

usage: convert_chunk.py BAG OUTPUT MSG_DIR
The messages are hydrated by the type's fields, uint8 sequences from base64, other number sequences as numpy arrays.
"""
import base64
import json
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy
from rosbags.interfaces import Nodetype
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

bag, output, message_directory = (Path(argument) for argument in sys.argv[1:4])
store = get_typestore(Stores.ROS2_JAZZY)
for file in sorted(message_directory.rglob("*.msg")):
    store.register(get_types_from_msg(file.read_text(), f"{file.parent.parent.name}/msg/{file.stem}"))

NUMPY = {"float32": numpy.float32, "float64": numpy.float64, "octet": numpy.uint8, "byte": numpy.uint8}
NUMPY |= {f"{sign}int{bits}": getattr(numpy, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}


def build(name, value):
    fields = store.fielddefs[name][1]
    return store.types[name](**{field: node(kind, value.get(field)) for field, kind in fields})


def node(kind, value):
    form, detail = kind
    if form == Nodetype.NAME:
        return build(detail, value or {})
    if form == Nodetype.BASE:
        if value is None:
            return "" if detail[0] in ("string", "wstring") else 0
        return value
    element_form, element = detail[0]
    if element_form == Nodetype.BASE and element[0] in NUMPY:
        if isinstance(value, str):
            return numpy.frombuffer(base64.b64decode(value), dtype=numpy.uint8)
        if value is None:
            value = [0] * detail[1] if form == Nodetype.ARRAY else []
        return numpy.array(value, dtype=NUMPY[element[0]])
    return [node(detail[0], item) for item in value or []]


shutil.rmtree(output, ignore_errors=True)
with Writer(output, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
    connections = {}
    count = 0
    for chunk in sorted(bag.glob("*.db3"), key=lambda path: int(path.stem.rsplit("_", 1)[1])):
        database = sqlite3.connect(chunk)
        query = "SELECT name, type, timestamp, data FROM messages JOIN topics ON topics.id = topic_id ORDER BY timestamp, messages.id"
        for topic, kind, time, data in database.execute(query):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store)
            message = build(kind, json.loads(data)["msg"])
            writer.write(connections[topic], time, store.serialize_cdr(message, kind))
            count += 1
print(count)
