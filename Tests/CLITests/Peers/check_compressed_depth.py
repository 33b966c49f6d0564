"""Compares a bag's compressed depth images with its raw ones, decoding the first as image_transport does.

usage: check_compressed_depth.py BAG
"""

import io
import json
import sys
from pathlib import Path

import numpy
from PIL import Image
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

RAW, COMPRESSED = "/mapping/depth/image_raw", "/mapping/depth/image_raw/compressedDepth"
messages = {RAW: {}, COMPRESSED: {}}
with AnyReader([Path(sys.argv[1])], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
    for connection, _, data in reader.messages(connections=[c for c in reader.connections if c.topic in messages]):
        message = reader.deserialize(data, connection.msgtype)
        messages[connection.topic][(message.header.stamp.sec, message.header.stamp.nanosec)] = message

assert messages[RAW].keys() == messages[COMPRESSED].keys()
worst, invalid = 0.0, 0
for stamp, raw in messages[RAW].items():
    packed = messages[COMPRESSED][stamp]
    assert packed.format == "16UC1; compressedDepth png", packed.format
    assert packed.header.frame_id == raw.header.frame_id
    metres = numpy.frombuffer(bytes(raw.data), "<f4").reshape(raw.height, raw.width).astype(float)
    # The transport's own header: a format and two parameters, which 16UC1 does not use.
    image = Image.open(io.BytesIO(bytes(packed.data)[12:]))
    millimetres = numpy.asarray(image).astype(float)
    assert image.format == "PNG" and millimetres.shape == metres.shape and millimetres.max() > 1000
    missing = ~numpy.isfinite(metres)
    assert (millimetres[missing] == 0).all()
    invalid += int(missing.sum())
    worst = max(worst, float(numpy.abs(millimetres - metres * 1000)[~missing].max()))
print(json.dumps(dict(images=len(messages[RAW]), worst_millimetres=worst, invalid=invalid)))
