"""Reads an .mcap bag with Rerun and with rosbags, and says what Rerun shows of each topic: JSON.

usage: read_by_rerun.py BAG

Rerun's reader runs in this process: no viewer, no window, no network. Every topic has the messages that rosbags counts, how many
Rerun has rows for, what it makes of them, and by how much the values differ that both understand.
"""

import json
import os
import pathlib
import sys
import tempfile

import numpy

os.environ["HOME"] = tempfile.gettempdir()

from rerun.chunk import McapReader  # noqa: E402
from rosbags.highlevel import AnyReader  # noqa: E402


def values(message, kind):
    """What a message of a type says, as Rerun's components have it: name of the component and numbers."""
    if kind == "geometry_msgs/msg/PoseStamped":
        place, turn = message.pose.position, message.pose.orientation
        return {"InstancePoses3D:translations": [place.x, place.y, place.z],
                "InstancePoses3D:quaternions": [turn.x, turn.y, turn.z, turn.w]}
    if kind == "sensor_msgs/msg/NavSatFix":
        return {"GeoPoints:positions": [message.latitude, message.longitude]}
    if kind == "sensor_msgs/msg/CameraInfo":
        # Rerun's matrices stand column by column.
        return {"Pinhole:image_from_camera": numpy.array(message.k).reshape(3, 3).T.flatten().tolist(),
                "Pinhole:resolution": [message.width, message.height]}
    if kind == "sensor_msgs/msg/CompressedImage":
        return {"EncodedImage:blob": [len(message.data)]}
    if kind == "sensor_msgs/msg/PointCloud2":
        fields = {field.name: field for field in message.fields}
        raw = numpy.frombuffer(bytes(message.data), numpy.uint8).reshape(-1, message.point_step)
        places = [raw[:, fields[name].offset:fields[name].offset + 4].copy().view("<f4").flatten() for name in "xyz"]
        return {"Points3D:positions": numpy.stack(places, axis=1).flatten().tolist()}
    return {}


def numbers(cell, name):
    """A cell of Rerun's table as plain numbers; the bytes of an image count as their length."""
    if name == "EncodedImage:blob":
        return [len(cell[0])]
    return numpy.asarray(cell, dtype=float).flatten().tolist()


def rerun_rows(path):
    """By topic and component: the cells, in the order of the file."""
    topics = {}
    for chunk in McapReader(path).stream():
        batch = chunk.to_record_batch()
        for name, column in zip(batch.schema.names, batch.columns):
            kind = batch.schema.field(name).metadata or {}
            if kind.get(b"rerun:kind") != b"data" or name.startswith("Mcap"):
                continue
            cells = [cell for cell in column.to_pylist() if cell]
            topics.setdefault(chunk.entity_path, {}).setdefault(name, []).extend(cells)
    return topics


def main(bag):
    [path] = pathlib.Path(bag).glob("*.mcap")
    seen = rerun_rows(path)
    found = {}
    with AnyReader([pathlib.Path(bag)]) as reader:
        for connection in reader.connections:
            components = seen.get(connection.topic, {})
            rows = max((len(cells) for cells in components.values()), default=0)
            found[connection.topic] = {"type": connection.msgtype, "messages": connection.msgcount, "rows": rows,
                                       "components": sorted(components), "compared": 0, "difference": 0.0}
        places = {}
        for connection, _, data in reader.messages():
            topic = found[connection.topic]
            index = places.get(connection.topic, 0)
            places[connection.topic] = index + 1
            for name, wanted in values(reader.deserialize(data, connection.msgtype), connection.msgtype).items():
                cells = seen.get(connection.topic, {}).get(name, [])
                if index >= len(cells):
                    continue
                read = numpy.array(numbers(cells[index], name))
                topic["compared"] += 1
                difference = numpy.abs(read - numpy.array(wanted)).max() if len(read) == len(wanted) else numpy.inf
                topic["difference"] = max(topic["difference"], float(min(difference, 1e300)))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
