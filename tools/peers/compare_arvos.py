#!/usr/bin/env python3
"""Does a bag that was recorded through Arvos hold what `bag` writes of the session?

usage: compare_arvos.py WRITTEN RECORDED [--same-clock]

Both are read by rosbags. The recording's clock has an offset of its own: all stamps must differ by one number,
which is 0 with --same-clock. Poses,
transforms, motion and fixes are compared to 1e-9, calibrations, images and clouds exactly.
"""
import sys
from pathlib import Path

import numpy as np
from findings import Problems
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

EXACT = ["/mapping/camera/image/compressed", "/mapping/pointcloud/lidar"]
CLOSE = [
    "/mapping/pose", "/tf", "/mapping/imu", "/mapping/gps/fix", "/mapping/gps/metadata", "/mapping/camera/camera_info",
]
# What Arvos has no key for.
UNSENT = {
    "speed_accuracy", "course_accuracy", "timestamp", "unix_time", "service", "validity", "georeference", "source",
    "orientation_covariance", "angular_velocity_covariance", "linear_acceleration_covariance",
}


def leaves(message, prefix=""):
    for name in message.__dataclass_fields__:
        if name.startswith("__") or name.isupper() or name in UNSENT or name == "stamp":
            continue
        value, path = getattr(message, name), prefix + name
        if hasattr(value, "w"):
            # Both signs of a quaternion are the same rotation.
            numbers = np.array([value.x, value.y, value.z, value.w])
            yield path, numbers * np.sign(numbers[np.argmax(np.abs(numbers))])
        elif hasattr(value, "__dataclass_fields__"):
            yield from leaves(value, path + ".")
        elif isinstance(value, list) and value and hasattr(value[0], "__dataclass_fields__"):
            for number, element in enumerate(value):
                yield from leaves(element, f"{path}.{number}.")
        else:
            yield path, value


def stamps(message):
    header = getattr(message, "header", None) or message.transforms[0].header
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def read(path):
    messages = {}
    with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, _, data in reader.messages():
            if connection.topic in EXACT + CLOSE:
                message = reader.deserialize(data, connection.msgtype)
                messages.setdefault(connection.topic, []).append(message)
    return messages


def main():
    written, recorded = map(read, sys.argv[1:3])
    same_clock = "--same-clock" in sys.argv
    problems, count, offsets = Problems(20), 0, set()
    for topic in EXACT + CLOSE:
        left, right = written.get(topic, []), recorded.get(topic, [])
        if topic == "/tf":
            # One a frame there, one a pose here: those of the same times are the same.
            times = {stamps(pose) for pose in written["/mapping/pose"]}
            left = [message for message in left if stamps(message) in times]
        if len(left) != len(right):
            problems.add(f"{topic}: {len(right)} of {len(left)} messages")
        for a, b in zip(left, right):
            count += 1
            offsets.add(stamps(b) - stamps(a))
            for (path, x), (other, y) in zip(leaves(a), leaves(b), strict=True):
                if topic in EXACT or not np.issubdtype(np.asarray(x).dtype, np.floating):
                    same = np.array_equal(x, y)
                else:
                    same = np.allclose(x, y, rtol=1e-9, atol=1e-9, equal_nan=True)
                if path != other or not same:
                    problems.add(f"{topic}: {path}: {np.asarray(y).ravel()[:4]} of {np.asarray(x).ravel()[:4]}")
    if len(offsets) != 1 or same_clock and offsets != {0}:
        problems.add(f"{len(offsets)} offsets between the clocks")
    sys.exit(problems.finish(count))


main()
