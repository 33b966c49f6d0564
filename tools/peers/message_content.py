"""Whether the content of a decoded message makes sense: sizes, finite numbers, unit quaternions, images that decode.

A message is any object with the fields of the .msg definition as attributes.
"""

import io
import math

import numpy as np

# sensor_msgs/msg/PointField: bytes by datatype.
FIELD_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 8: 8}
FLOAT32 = 7
# sensor_msgs/msg/Image: bytes a pixel by encoding.
PIXEL_BYTES = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "8UC1": 1, "mono16": 2, "16UC1": 2, "32FC1": 4}


def problems_of(type_name, message, summary):
    """Returns a list of texts; `summary` is a dict that collects what is worth printing about the topic."""
    check = CHECKS.get(type_name)
    return list(check(message, summary)) if check else []


def stamp_of(type_name, message):
    """The nanoseconds of the header, or of a TFMessage's first transform; None without one."""
    header = getattr(message, "header", None)
    if header is None and type_name == "tf2_msgs/msg/TFMessage" and message.transforms:
        header = message.transforms[0].header
    return None if header is None else header.stamp.sec * 10**9 + header.stamp.nanosec


def point_cloud(message, summary):
    length = len(message.data)
    fits = True
    if length != message.row_step * message.height:
        fits = False
        yield f"data {length} != row_step*height {message.row_step * message.height}"
    if message.row_step < message.point_step * message.width:
        fits = False
        yield f"row_step {message.row_step} < point_step*width {message.point_step * message.width}"
    for field in message.fields:
        size = FIELD_SIZES.get(field.datatype)
        if size is None or field.offset + size * max(1, field.count) > message.point_step:
            fits = False
            yield f"field {field.name} does not fit point_step"
    summary["points"] = summary.get("points", 0) + message.width * message.height
    summary["fields"] = ",".join(field.name for field in message.fields)
    fields = {field.name: field for field in message.fields}
    if not fits or not length or length % message.point_step or not {"x", "y", "z"} <= set(fields):
        return
    if any(fields[axis].datatype != FLOAT32 for axis in "xyz"):
        return
    points = np.frombuffer(bytes(message.data), np.uint8).reshape(-1, message.point_step)
    starts = [fields[axis].offset for axis in "xyz"]
    axes = [points[:, start : start + 4].copy().view("<f4")[:, 0] for start in starts]
    coordinates = np.stack(axes, 1)
    finite = np.isfinite(coordinates)
    bad = int((~finite).any(1).sum())
    summary["nonfinite"] = summary.get("nonfinite", 0) + bad
    if bad and message.is_dense:
        yield f"is_dense but {bad} non-finite points"
    extent = float(np.abs(np.where(finite, coordinates, 0)).max())
    summary["extent"] = max(summary.get("extent", 0.0), extent)


def image(message, summary):
    if len(message.data) != message.step * message.height:
        yield f"data {len(message.data)} != step*height {message.step * message.height}"
    pixel_bytes = PIXEL_BYTES.get(message.encoding, 0)
    if message.step < pixel_bytes * message.width:
        yield f"step {message.step} < {pixel_bytes}*width"
    summary["size"], summary["enc"] = f"{message.width}x{message.height}", message.encoding


def compressed_image(message, summary):
    from PIL import Image

    try:
        # compressed_depth_image_transport puts three numbers before the PNG.
        start = 12 if "compressedDepth" in message.format else 0
        picture = Image.open(io.BytesIO(bytes(message.data)[start:]))
        picture.load()
    except Exception as error:
        yield f"image does not decode: {error}"
        return
    summary["size"] = f"{picture.size[0]}x{picture.size[1]}"
    summary["enc"] = f"{picture.format}/{message.format}"
    if picture.format.lower() not in message.format.lower().replace("jpg", "jpeg"):
        yield f"format says {message.format!r}, data is {picture.format}"


def camera_info(message, summary):
    k = [float(value) for value in message.k]
    p = [float(value) for value in message.p]
    summary["size"], summary["fx"] = f"{message.width}x{message.height}", round(k[0], 2)
    if not (k[0] > 0 and k[4] > 0 and k[8] == 1 and k[1] == k[3] == k[6] == k[7] == 0):
        yield f"K is not a pinhole matrix {k}"
    elif not (0 < k[2] < message.width and 0 < k[5] < message.height):
        yield f"principal point {k[2]},{k[5]} outside {message.width}x{message.height}"
    is_undistorted = message.distortion_model in ("", "plumb_bob") and not any(message.d)
    if p[0] and abs(p[0] - k[0]) > 1e-6 * k[0] and is_undistorted:
        yield "no distortion but P.fx != K.fx"


def quaternion_problem(rotation):
    norm = math.sqrt(rotation.x**2 + rotation.y**2 + rotation.z**2 + rotation.w**2)
    return None if abs(norm - 1) < 1e-3 else f"quaternion norm {norm}"


def transforms(message, summary):
    for transform in message.transforms:
        edge = f"{transform.header.frame_id}->{transform.child_frame_id}"
        summary.setdefault("edges", set()).add(edge)
        problem = quaternion_problem(transform.transform.rotation)
        if problem:
            yield f"{edge}: {problem}"


def pose(message, summary):
    value = message.pose.pose if hasattr(message.pose, "pose") else message.pose
    problem = quaternion_problem(value.orientation)
    if problem:
        yield problem
    if not all(math.isfinite(axis) for axis in (value.position.x, value.position.y, value.position.z)):
        yield "position is not finite"


CHECKS = {
    "sensor_msgs/msg/PointCloud2": point_cloud,
    "sensor_msgs/msg/Image": image,
    "sensor_msgs/msg/CompressedImage": compressed_image,
    "sensor_msgs/msg/CameraInfo": camera_info,
    "tf2_msgs/msg/TFMessage": transforms,
    "geometry_msgs/msg/PoseStamped": pose,
    "nav_msgs/msg/Odometry": pose,
}
