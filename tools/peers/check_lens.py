#!/usr/bin/env python3
"""Does what is made of a recording with lens distortion see points where its pictures do?

usage: check_lens.py SESSION [--bag BAG] [--colmap EXPORT] [--nerfstudio EXPORT]

SESSION has a transforms.json with k1, k2, p1, p2, k3 in its head or in its frames. Points in front of each camera are projected
by OpenCV's formula with these numbers, and by what the outputs say: pycolmap's cameras, the CameraInfo of the bag, the numbers
of transforms.json.
The exit status is 1 where a point is farther off than a thousandth of a pixel.
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np

KEYS = ["k1", "k2", "p1", "p2", "k3"]
POINTS = np.stack([g.ravel() for g in np.meshgrid(np.linspace(-0.5, 0.5, 9), np.linspace(-0.5, 0.5, 9), [1.0, 2.5])], 1)
POINTS[:, :2] *= POINTS[:, 2:]


def seen(points, fx, fy, cx, cy, lens):
    """Pixels from the image's corner, by OpenCV's formula."""
    k1, k2, p1, p2, k3 = lens
    x, y = (points[:, :2] / points[:, 2:]).T
    r2 = x * x + y * y
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return np.stack([fx * u + cx, fy * v + cy], 1)


def cameras_of(path):
    document = json.loads(path.read_text())
    cameras = []
    for frame in document["frames"]:
        c = {**document, **frame}
        cameras.append((c["w"], c["h"], c["fl_x"], c["fl_y"], c["cx"], c["cy"], [c.get(key, 0) for key in KEYS]))
    return cameras


def colmap(export):
    import pycolmap
    model = pycolmap.Reconstruction(export / "sparse/0")
    for number in sorted(model.images):
        camera = model.cameras[model.images[number].camera_id]
        yield camera.img_from_cam(POINTS)


def bag(path):
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, _, data in reader.messages():
            if connection.topic != "/mapping/camera/camera_info":
                continue
            info = reader.deserialize(data, connection.msgtype)
            assert info.distortion_model == "plumb_bob" and len(info.d) == 5, (info.distortion_model, info.d)
            yield seen(POINTS, info.k[0], info.k[4], info.k[2] + 0.5, info.k[5] + 0.5, info.d)


def nerfstudio(export):
    for _, _, *numbers in cameras_of(export / "transforms.json"):
        yield seen(POINTS, *numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session", type=Path)
    for name in ("bag", "colmap", "nerfstudio"):
        parser.add_argument("--" + name, type=Path)
    options = parser.parse_args()
    cameras = cameras_of(options.session / "transforms.json")
    wanted = [seen(POINTS, *camera[2:]) for camera in cameras]
    bent = max(np.abs(pixels - seen(POINTS, *camera[2:6], [0] * 5)).max() for pixels, camera in zip(wanted, cameras))
    print(f"{len(wanted)} cameras, points up to {bent:.2f} pixels from those of a pinhole")
    is_wrong = bent < 1
    for name, views in [
        ("bag", options.bag and bag(options.bag)), ("colmap", options.colmap and colmap(options.colmap)),
        ("nerfstudio", options.nerfstudio and nerfstudio(options.nerfstudio)),
    ]:
        if views is None:
            continue
        views = list(views)
        error = max(np.abs(np.array(view) - pixels).max() for view, pixels in zip(views, wanted)) if views else np.inf
        is_wrong |= error > 1e-3 or len(views) != len(wanted)
        print(f"{name}: {len(views)} cameras, at most {error:.6f} pixels off")
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
