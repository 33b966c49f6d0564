"""Lists the texts of std_msgs/String messages of a bag in the order of its rows, by topic, as JSON.

usage: list_texts.py BAG PREFIX

Only topics whose names begin with PREFIX.
"""

import json
import sqlite3
import struct
import sys
from pathlib import Path

import yaml

bag, prefix = Path(sys.argv[1]), sys.argv[2]
information = yaml.safe_load((bag / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
texts = {}
for name in information["relative_file_paths"]:
    connection = sqlite3.connect(f"file:{bag / name}?mode=ro&immutable=1", uri=True)
    rows = connection.execute("SELECT name, data FROM messages JOIN topics ON topics.id = topic_id ORDER BY messages.id")
    for topic, data in rows:
        if topic.startswith(prefix):
            (length,) = struct.unpack_from("<I", data, 4)
            texts.setdefault(topic, []).append(data[8 : 7 + length].decode())
print(json.dumps(texts))
