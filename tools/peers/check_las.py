#!/usr/bin/env python3
"""Does a LAS file hold the points of a PLY file, where the transforms of a bag say that they are on the Earth?

usage: check_las.py LAS PLY [BAG]

laspy reads the file, pyproj its coordinate system. With a bag, the frame `earth` (ECEF) of its /tf_static turns the points
of `map` into UTM by pyproj; without, the coordinates have to be local ones. The exit status is 1 where a point is off by more
than 2 mm, or a colour by anything.
"""
import sys
from pathlib import Path

import laspy
import numpy as np
from findings import Problems
from plyfile import PlyData
from pyproj import CRS, Transformer
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore


def earth_from_map(bag):
    with AnyReader([Path(bag)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, _, raw in reader.messages():
            if connection.topic != "/tf_static":
                continue
            for edge in reader.deserialize(raw, connection.msgtype).transforms:
                if edge.header.frame_id == "earth" and edge.child_frame_id == "map":
                    q, t = edge.transform.rotation, edge.transform.translation
                    x, y, z, w = q.x, q.y, q.z, q.w
                    rotation = np.array(
                        [
                            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
                        ]
                    )
                    return rotation, np.array([t.x, t.y, t.z])
    raise SystemExit("the bag has no place on the Earth")


def main():
    problems = Problems(10)
    las = laspy.read(sys.argv[1])
    ply = PlyData.read(sys.argv[2])["vertex"]
    points = np.stack([ply["x"], ply["y"], ply["z"]], axis=1).astype(float)
    header = las.header
    if (str(header.version), header.point_format.id, header.point_count) != ("1.4", 7, len(points)):
        problems.add(f"version {header.version}, format {header.point_format.id}, {header.point_count} points")
    found = np.stack([las.x, las.y, las.z], axis=1)
    expected = points
    if len(sys.argv) > 3:
        crs = header.parse_crs()
        if crs is None or crs.to_epsg() != 32632 or CRS.from_epsg(32632) != crs:
            problems.add(f"coordinate system {crs}")
        rotation, translation = earth_from_map(sys.argv[3])
        turned = points @ rotation.T + translation
        geodetic = Transformer.from_crs("EPSG:4978", "EPSG:4979", always_xy=True).transform(*turned.T)
        east, north = Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True).transform(*geodetic[:2])
        expected = np.stack([east, north, geodetic[2]], axis=1)
    elif header.parse_crs() is not None:
        problems.add("a coordinate system of local coordinates")
    error = np.abs(found - expected).max()
    if not error < 0.002:
        problems.add(f"a point is off by {error} m")
    if not np.allclose(header.mins, found.min(axis=0)) or not np.allclose(header.maxs, found.max(axis=0)):
        problems.add(f"bounds {header.mins} to {header.maxs}")
    colours = np.stack([ply["red"], ply["green"], ply["blue"]], axis=1).astype(int)
    if not np.array_equal(np.stack([las.red, las.green, las.blue], axis=1), colours * 257):
        problems.add("colours differ")
    print(f"largest error {error * 1000:.2f} mm")
    sys.exit(problems.finish(len(points)))


main()
