"""Projects the frames of tags into the images that show them: {detections, tags, worst_px, homography_px} as JSON.

usage: check_tag_frames.py BAG EDGE [ID=EDGE ...]

The bag is read by rosbags. Where a corner ought to be follows from /tf, /tf_static and CameraInfo alone; the homography
is judged by the corners of the same message.
"""

import json
import sys
from pathlib import Path

import numpy
from rigid_motion import matrix
from rosbags.rosbag2 import Reader
from rosbridge_rules import STORE, register

CORNERS = numpy.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])


def pose(tree, frame):
    """map from frame."""
    result = numpy.eye(4)
    while frame != "map":
        parent, transform = tree[frame]
        result = transform @ result
        frame = parent
    return result


bag, common = Path(sys.argv[1]), float(sys.argv[2])
edges = {int(number): float(edge) for number, edge in (part.split("=") for part in sys.argv[3:])}
register(bag)
tree, cameras, moving, arrays = {}, {}, {}, []
with Reader(bag) as reader:
    for connection, _, data in reader.messages():
        message = STORE.deserialize_cdr(data, connection.msgtype)
        if connection.topic == "/tf_static":
            for part in message.transforms:
                tree[part.child_frame_id] = (part.header.frame_id, matrix(part.transform.translation, part.transform.rotation))
        elif connection.topic == "/tf":
            for part in message.transforms:
                stamp = (part.header.stamp.sec, part.header.stamp.nanosec)
                motion = matrix(part.transform.translation, part.transform.rotation)
                moving[stamp] = (part.child_frame_id, part.header.frame_id, motion)
        elif connection.topic == "/mapping/tags":
            arrays.append(message)
        elif connection.topic.endswith("camera_info"):
            cameras[(message.header.stamp.sec, message.header.stamp.nanosec)] = message
distances, homographies, seen = [], [], set()
for array in arrays:
    stamp = (array.header.stamp.sec, array.header.stamp.nanosec)
    camera = cameras[stamp]
    assert camera.header.frame_id == array.header.frame_id
    child, parent, transform = moving[stamp]
    tree[child] = (parent, transform)
    optical_from_map = numpy.linalg.inv(pose(tree, array.header.frame_id))
    for tag in array.detections:
        seen.add(tag.id)
        h = numpy.array(tag.homography).reshape(3, 3)
        half = edges.get(tag.id, common) / 2
        centre = h @ [0, 0, 1]
        homographies.append(numpy.hypot(*(centre[:2] / centre[2] - [tag.centre.x, tag.centre.y])))
        for corner, (x, y) in zip(tag.corners, CORNERS):
            found = numpy.array([corner.x, corner.y])
            mapped = h @ [x, y, 1]
            homographies.append(numpy.hypot(*(mapped[:2] / mapped[2] - found)))
            # The tag has y up; AprilTag's square has it down.
            point = optical_from_map @ pose(tree, f"{tag.family}:{tag.id}") @ [x * half, -y * half, 0, 1]
            pixel = numpy.array(camera.k).reshape(3, 3) @ point[:3]
            distances.append(numpy.hypot(*(pixel[:2] / pixel[2] - found)))
print(json.dumps(dict(
    messages=len(arrays), detections=sum(len(array.detections) for array in arrays), tags=sorted(map(int, seen)),
    median_px=float(numpy.median(distances)), worst_px=float(max(distances)), homography_px=float(max(homographies)),
)))
