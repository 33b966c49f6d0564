"""Writes bags that a page has to survive, by rosbags, and prints their names: JSON.

usage: odd_bags.py FOLDER sqlite3|mcap
"""

import json
import math
import pathlib
import sys

import numpy
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

STORE = get_typestore(Stores.ROS2_HUMBLE)
STORE.register(get_types_from_msg("float64 x\nstring text\n", "odd_msgs/msg/Odd"))
T = STORE.types
POSE, CLOUD, ODD = "geometry_msgs/msg/PoseStamped", "sensor_msgs/msg/PointCloud2", "odd_msgs/msg/Odd"
HOSTILE = "map<i>\"'&\x07\x1b[31m\u202e</script>"
BEGIN = 1_700_000_000 * 10**9
STEP = 10**8


def header(frame):
    return T["std_msgs/msg/Header"](stamp=T["builtin_interfaces/msg/Time"](sec=1_700_000_000, nanosec=0), frame_id=frame)


def pose(x, y, z, frame="map", turn=(0, 0, 0, 1)):
    place = T["geometry_msgs/msg/Point"](x=float(x), y=float(y), z=float(z))
    turned = T["geometry_msgs/msg/Quaternion"](**dict(zip("xyzw", map(float, turn))))
    return T[POSE](header=header(frame), pose=T["geometry_msgs/msg/Pose"](position=place, orientation=turned))


def cloud(points, frame="map"):
    data = numpy.array(points, dtype="<f4")
    fields = [T["sensor_msgs/msg/PointField"](name=name, offset=4 * place, datatype=7, count=1)
              for place, name in enumerate("xyz")]
    return T[CLOUD](header=header(frame), height=1, width=len(data), fields=fields, is_bigendian=False, point_step=12,
                    row_step=12 * len(data), data=data.view(numpy.uint8).reshape(-1), is_dense=True)


FAR = [0.0, 1e300, -1e300, math.nan, math.inf, 1e6]
BAGS = {
    "names": [("/pose", POSE, BEGIN + i * STEP, pose(i / 10, 0, 0, HOSTILE)) for i in range(30)]
             + [("/cloud", CLOUD, BEGIN, cloud(numpy.random.default_rng(1).normal(size=(500, 3)), HOSTILE))],
    "far": [("/pose", POSE, BEGIN + i * STEP, pose(FAR[i % 6], i, 1e6 * i)) for i in range(60)]
           + [("/cloud", CLOUD, BEGIN + i * STEP, cloud([(math.nan, 0, 0), (1e30, 1, 1), (-1e38, math.inf, 2), (1, 2, 3)] * 40))
              for i in range(5)],
    "walk": [("/pose", POSE, BEGIN + i * STEP, pose(1e4 * i, 1e6 * math.sin(i), 0)) for i in range(1000)],
    "empty": [],
    "one": [("/pose", POSE, BEGIN, pose(1, 2, 3))],
    "same": [("/pose", POSE, BEGIN, pose(1, 2, 3))] * 50,
    "turnless": [("/pose", POSE, BEGIN + i * STEP, pose(1, 2, 3, turn=(0, 0, 0, 0))) for i in range(9)],
    "times": [("/pose", POSE, [0, BEGIN, 2**63 - 2, 5][i % 4], pose(1, 2, 3)) for i in range(20)],
    "cut": [("/pose", POSE, BEGIN + i * STEP, pose(i, 2, 3)) for i in range(9)]
           + [("/odd", ODD, BEGIN + i * STEP, b"\x00\x01\x00\x00") for i in range(9)],
    "unknown": [("/pose", POSE, BEGIN + i * STEP, pose(i, 2, 3)) for i in range(9)]
               + [("/unknown", "other_msgs/msg/Other", BEGIN + i * STEP, b"\x00\x01\x00\x00") for i in range(9)],
    "gaps": [("/pose", POSE, BEGIN + int(t), pose(t / 1e9, 0, 0)) for t in
             numpy.cumsum(numpy.random.default_rng(2).choice([10**6, 10**6, 10**8], size=20_000))],
}


def main(folder, storage):
    plugin = StoragePlugin.SQLITE3 if storage == "sqlite3" else StoragePlugin.MCAP
    for name, rows in BAGS.items():
        with Writer(pathlib.Path(folder) / name, version=8, storage_plugin=plugin) as writer:
            connections = {}
            for topic, kind, time, message in rows:
                if topic not in connections:
                    text = {"msgdef": "not a definition", "rihs01": "RIHS01_" + 64 * "0"} if kind.startswith("other") else {"typestore": STORE}
                    connections[topic] = writer.add_connection(topic, kind, **text)
                data = message if isinstance(message, bytes) else STORE.serialize_cdr(message, kind)
                writer.write(connections[topic], time, data)
    print(json.dumps(list(BAGS)))


if __name__ == "__main__":
    main(*sys.argv[1:])
