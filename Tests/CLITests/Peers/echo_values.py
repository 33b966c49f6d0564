"""Compares what `inspect --echo` printed with what rosbags reads.

usage: echo_values.py BAG TOPIC COUNT YAML JSON

YAML is a file of the first form, printed in full, and JSON one of the other. Prints a JSON list of differences.
"""

import array
import base64
import json
import math
import sys
from pathlib import Path

import numpy
import yaml
from rosbags.rosbag2 import Reader
from rosbridge_rules import STORE

bag, topic, count, yaml_file, json_file = sys.argv[1:]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
differences = []


def compare(path, expected, found):
    if hasattr(expected, "__msgtype__"):
        # Without constants, which are no fields.
        names = [name for name, _ in STORE.fielddefs[expected.__msgtype__][1]]
        if not isinstance(found, dict) or list(found) != names:
            differences.append(f"{path}: fields {names}, found {found!r}")
            return
        for name in names:
            compare(f"{path}.{name}", getattr(expected, name), found[name])
    elif isinstance(expected, (numpy.ndarray, list, tuple, bytes, array.array)):
        if isinstance(found, str):
            found = list(base64.b64decode(found))
        if not isinstance(found, list) or len(found) != len(expected):
            differences.append(f"{path}: {len(expected)} elements, found {str(found)[:80]}")
            return
        for index, (one, other) in enumerate(zip(expected, found)):
            compare(f"{path}[{index}]", one, other)
    elif isinstance(expected, (float, numpy.floating)):
        # A float32 is printed with as many digits as tell it from others.
        same = isinstance(found, (int, float)) and (
            type(expected)(found) == expected or (math.isnan(expected) and math.isnan(found)))
        if not same:
            differences.append(f"{path}: {expected!r}, found {found!r}")
    elif expected != found or isinstance(expected, (str, bool)) != isinstance(found, (str, bool)):
        differences.append(f"{path}: {expected!r}, found {found!r}")


with Reader(Path(bag)) as reader:
    connections = [c for c in reader.connections if c.topic == topic]
    rows = [(time, STORE.deserialize_cdr(data, c.msgtype)) for c, time, data in reader.messages(connections)]
rows = rows[:int(count)]
documents = [d for d in yaml.load_all(open(yaml_file), Loader=LOADER) if d is not None]
lines = [json.loads(line) for line in open(json_file)]
if not len(rows) == len(documents) == len(lines) == int(count):
    differences.append(f"{count} messages of {len(rows)}, {len(documents)} documents, {len(lines)} lines")
for (time, message), document, line in zip(rows, documents, lines):
    compare("YAML", message, document)
    compare("JSON", message, line["msg"])
    if line["topic"] != topic or line["stamp_ns"] != time:
        differences.append(f"JSON: {line['topic']} at {line['stamp_ns']}, expected {time}")
print(json.dumps(differences[:20]))
