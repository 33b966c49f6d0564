#!/usr/bin/env python3
"""Judges whether the clouds of a bag lie on each other in the map, by their frames and transforms.

usage: check_clouds.py DIRECTORY [--topic NAME] [--max METRES] [--max-colour DIFFERENCE]

Each cloud is compared with its five successors, where they overlap: the distance from each point to the nearest one of
the other cloud, and the difference of colour of points within 3 cm. Printed are the medians over all pairs of clouds.
The exit status is 1 above the given limits, or where no clouds overlap.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

SUCCESSORS = 5
MARGIN_METRES = 0.05
FAR_METRES = 0.5
NEIGHBOUR_METRES = 0.03


def stamp_of(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def place_of(frame, stamp, fixed, moving):
    """Rotation and translation from a frame to `map` at a stamp: what moves must have a transform of that very stamp."""
    place = Rotation.identity(), np.zeros(3)
    while frame != "map":
        parent, rotation, translation = moving[stamp, frame] if (stamp, frame) in moving else fixed[frame]
        place = rotation * place[0], rotation.apply(place[1]) + translation
        frame = parent
    return place


def clouds_of(bag, topic):
    """Positions in `map` (N, 3) in metres and colours (N, 3) of 0 to 255 of each cloud; layout x, y, z, BGR."""
    clouds, fixed, moving = [], {}, {}
    with AnyReader([Path(bag)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, _, data in reader.messages():
            if connection.topic not in (topic, "/tf", "/tf_static"):
                continue
            message = reader.deserialize(data, connection.msgtype)
            if connection.topic != topic:
                for edge in message.transforms:
                    q, t, child = edge.transform.rotation, edge.transform.translation, edge.child_frame_id
                    value = edge.header.frame_id, Rotation.from_quat([q.x, q.y, q.z, q.w]), np.array([t.x, t.y, t.z])
                    if connection.topic == "/tf_static":
                        fixed[child] = value
                    else:
                        moving[stamp_of(edge.header), child] = value
                continue
            points = np.frombuffer(bytes(message.data), np.uint8).reshape(-1, message.point_step)
            positions = np.ascontiguousarray(points[:, :12]).view(np.float32).reshape(-1, 3)
            clouds.append((message.header, positions, points[:, 14:11:-1].astype(float)))
    placed = []
    for header, positions, colours in clouds:
        rotation, translation = place_of(header.frame_id, stamp_of(header), fixed, moving)
        placed.append((rotation.apply(positions) + translation if header.frame_id != "map" else positions, colours))
    return placed


def compare(tree, cloud, other):
    """Median distance in metres and median difference of colour; None each where too little overlaps."""
    (positions, colours), (others, other_colours) = cloud, other
    low, high = positions.min(0) - MARGIN_METRES, positions.max(0) + MARGIN_METRES
    inside = ((others > low) & (others < high)).all(1)
    others, other_colours = others[inside], other_colours[inside]
    if len(others) < 50:
        return None, None
    distances, nearest = tree.query(others)
    near = distances[distances < FAR_METRES]
    distance = np.median(near) if len(near) > 0.3 * len(others) else None
    neighbours = distances < NEIGHBOUR_METRES
    if neighbours.sum() <= 100:
        return distance, None
    difference = np.abs(colours[nearest[neighbours]] - other_colours[neighbours]).mean(1)
    return distance, np.median(difference)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bag")
    parser.add_argument("--topic", default="/mapping/pointcloud/lidar")
    parser.add_argument("--max", type=float, default=float("inf"), metavar="METRES")
    parser.add_argument("--max-colour", type=float, metavar="DIFFERENCE")
    options = parser.parse_args(arguments)
    clouds = clouds_of(options.bag, options.topic)
    distances, differences = [], []
    for index, cloud in enumerate(clouds):
        if len(cloud[0]) == 0:
            continue
        tree = cKDTree(cloud[0])
        for other in clouds[index + 1 : index + 1 + SUCCESSORS]:
            distance, difference = compare(tree, cloud, other)
            distances += [] if distance is None else [distance]
            differences += [] if difference is None else [difference]
    if not distances:
        print(f"{len(clouds)} clouds on {options.topic}, and none overlap")
        return 1
    distance = float(np.median(distances))
    difference = float(np.median(differences)) if differences else -1
    points = int(np.mean([len(positions) for positions, _ in clouds]))
    print(
        f"overlap median {100 * distance:.2f} cm, colour difference {difference:.1f} of 255,",
        f"over {len(distances)} pairs, {len(clouds)} clouds, {points} points each",
    )
    is_coloured = options.max_colour is None or 0 <= difference <= options.max_colour
    return 0 if distance <= options.max and is_coloured else 1


if __name__ == "__main__":
    sys.exit(main())
