"""Reads tar shards with PyPI's webdataset, and compares them with the native recording that they were made of.

usage: read_shards.py FOLDER SESSION

Prints as JSON the keys, how many JPEGs are those of the recording byte for byte, the largest error of a pose's place and of depth
in millimetres, and the depth's size.
"""

import glob
import hashlib
import io
import json
import os
import sys

import numpy as np
import webdataset
from PIL import Image

folder, session = sys.argv[1:]
shards = sorted(glob.glob(os.path.join(folder, "*.tar")))
frames = {}
for line in open(os.path.join(session, "frames.jsonl")):
    frame = json.loads(line)
    frames[frame["frame_index"]] = frame
keys, equal, place, depth_error, size = [], 0, 0.0, 0.0, None
for sample in webdataset.WebDataset(shards, shardshuffle=False):
    keys.append(sample["__key__"])
    about = json.loads(sample["json"])
    number = about["frame"]
    stored = open(os.path.join(session, "rgb", f"{number:06d}.jpg"), "rb").read()
    equal += hashlib.sha256(stored).digest() == hashlib.sha256(sample["jpg"]).digest()
    matrix = np.array(frames[number]["camera_transform"]).reshape(4, 4).T
    # y up becomes z up.
    expected = np.array([matrix[0, 3], -matrix[2, 3], matrix[1, 3]])
    place = max(place, np.abs(np.array(about["world_from_camera"])[:, 3] - expected).max())
    depth = np.array(Image.open(io.BytesIO(sample["depth.png"])))
    size = list(depth.shape)
    width, height = frames[number]["depth_resolution"]
    metres = np.fromfile(os.path.join(session, "depth", f"{number:06d}.bin"), "<f4").reshape(height, width)
    depth_error = max(depth_error, np.abs(depth - 1000 * metres)[depth > 0].max())
print(
    json.dumps(
        {"keys": keys, "equal_images": equal, "place_m": place, "depth_mm": float(depth_error), "depth_size": size}
    )
)
