#!/usr/bin/env python3
"""Do a bag's clouds, transforms and camera calibration fit its images?

usage: check_projection.py BAG [--max-colour N] [--min-inside SHARE]

Each lidar cloud whose stamp an image shares is taken from `map` to the image's own frame through /tf and /tf_static,
projected with the CameraInfo of that stamp, and its colours are compared with the pixels that it falls on: whole numbers are
centres of pixels, for CameraInfo as for the array of pixels. A wrong axis, a missing turn of the image or intrinsics of
another grid shows as a large difference or as points outside of the image.
"""
import argparse
import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

CLOUD = "/mapping/pointcloud/lidar"
IMAGE = "/mapping/camera/image/compressed"
INFO = "/mapping/camera/camera_info"


def matrix(transform):
    q, t = transform.rotation, transform.translation
    x, y, z, w = q.x, q.y, q.z, q.w
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = t.x, t.y, t.z
    return result


def read(bag):
    static, moving, clouds, images, infos = {}, {}, {}, {}, {}
    with AnyReader([Path(bag)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        wanted = [c for c in reader.connections if c.topic in ("/tf", "/tf_static", CLOUD, IMAGE, INFO)]
        for connection, time, raw in reader.messages(connections=wanted):
            message = reader.deserialize(raw, connection.msgtype)
            if connection.topic == "/tf_static":
                for edge in message.transforms:
                    static[edge.child_frame_id] = edge.header.frame_id, matrix(edge.transform)
            elif connection.topic == "/tf":
                for edge in message.transforms:
                    moving[edge.child_frame_id, time] = edge.header.frame_id, matrix(edge.transform)
            elif connection.topic == CLOUD:
                points = np.frombuffer(bytes(message.data), np.uint8).reshape(-1, message.point_step)
                clouds[time] = points[:, :12].copy().view("<f4").reshape(-1, 3), points[:, 14:11:-1].astype(float)
            elif connection.topic == IMAGE:
                pixels = Image.open(io.BytesIO(bytes(message.data))).convert("RGB")
                images[time] = message.header.frame_id, np.asarray(pixels).astype(float)
            else:
                infos[time] = message
    return static, moving, clouds, images, infos


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("bag")
    arguments.add_argument("--max-colour", type=float, default=5)
    arguments.add_argument("--min-inside", type=float, default=0.7)
    arguments = arguments.parse_args()
    static, moving, clouds, images, infos = read(arguments.bag)
    results = []
    for time, (frame, image) in images.items():
        if time not in clouds:
            continue
        if infos[time].header.frame_id != frame:
            sys.exit(f"{time}: image in {frame}, CameraInfo in {infos[time].header.frame_id}")
        map_from_camera = np.eye(4)
        while frame != "map":
            edge = moving.get((frame, time)) or static.get(frame)
            if edge is None:
                sys.exit(f"{time}: no transform leads from {frame} to map")
            frame, parent_from_child = edge
            map_from_camera = parent_from_child @ map_from_camera
        points, colours = clouds[time]
        camera = (np.linalg.inv(map_from_camera) @ np.c_[points, np.ones(len(points))].T)[:3]
        u, v, w = np.array(infos[time].k).reshape(3, 3) @ camera
        u, v = np.round(u / w).astype(int), np.round(v / w).astype(int)
        inside = (w > 0) & (u >= 4) & (v >= 4) & (u < image.shape[1] - 4) & (v < image.shape[0] - 4)
        u, v = u[inside], v[inside]
        # Clouds are coloured from the image at an eighth of its size: compare with a mean of about as much.
        seen = np.mean([image[v + y, u + x] for x in (-3, 0, 3) for y in (-3, 0, 3)], axis=0)
        results.append((inside.mean(), np.median(np.abs(seen - colours[inside]).mean(axis=1))))
    if not results:
        sys.exit("no cloud shares its stamp with an image")
    share, colour = np.mean(results, axis=0)
    frames = ", ".join(sorted({frame for frame, _ in images.values()}))
    print(f"{len(results)} pairs in {frames}: {100 * share:.1f} % inside, colour difference {colour:.2f} of 255")
    sys.exit(1 if colour > arguments.max_colour or share < arguments.min_inside else 0)


main()
