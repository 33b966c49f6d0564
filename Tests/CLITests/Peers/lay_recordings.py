"""Writes a session of the native layout as the recording of another app: FORMAT NATIVE OUT.

Landscape pictures only. By what docs/formats says of each, in numpy and Pillow.
"""
import json
import os
import sys

import numpy as np
from PIL import Image

FLIP = np.diag([1.0, -1.0, -1.0, 1.0])


class Frame:
    def __init__(self, folder, line):
        self.number = line["frame_index"]
        self.time = line["timestamp"]
        self.pose = np.array(line["camera_transform"]).reshape(4, 4).T
        self.k = np.array(line["camera_intrinsics"]).reshape(3, 3).T
        self.width, self.height = line["camera_resolution"]
        depth_width, depth_height = line["depth_resolution"]
        name = f"{self.number:06d}"
        self.jpeg = open(f"{folder}/rgb/{name}.jpg", "rb").read()
        shape = (depth_height, depth_width)
        self.depth = np.fromfile(f"{folder}/depth/{name}.bin", "<f4").reshape(shape)
        self.confidence = np.fromfile(f"{folder}/confidence/{name}.bin", "u1").reshape(shape)
        self.millimetres = np.where(self.depth > 0, np.round(np.nan_to_num(self.depth) * 1000), 0).astype("<u2")
        self.picture = Image.open(f"{folder}/rgb/{name}.jpg")
        self.picture.load()

    def scaled(self, width, height):
        sx, sy = width / self.width, height / self.height
        k = self.k
        return k[0, 0] * sx, k[1, 1] * sy, (k[0, 2] + 0.5) * sx - 0.5, (k[1, 2] + 0.5) * sy - 0.5


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(content, Image.Image):
        content.save(path)
    elif isinstance(content, np.ndarray):
        Image.fromarray(content).save(path)
    else:
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def polycam(frames, out):
    for f in frames:
        name = str(round(f.time * 1e6))
        fx, fy, cx, cy = f.scaled(1024, 768)
        camera = {f"t_{r}{c}": f.pose[r, c] for r in range(3) for c in range(4)}
        camera |= {"fx": fx, "fy": fy, "cx": cx, "cy": cy, "width": 1024, "height": 768, "timestamp": int(name)}
        write(f"{out}/keyframes/cameras/{name}.json", json.dumps(camera))
        write(f"{out}/keyframes/images/{name}.jpg", f.jpeg)
        write(f"{out}/keyframes/depth/{name}.png", f.millimetres)
        write(f"{out}/keyframes/confidence/{name}.png", np.array([0, 54, 255], "u1")[f.confidence])


def axis_angle(r):
    skew = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    length = np.linalg.norm(skew)
    return skew / max(length, 1e-15) * np.arctan2(length, np.trace(r) - 1)


def arkitscenes(frames, out):
    z_up = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    lines = []
    for f in frames:
        camera_from_world = np.linalg.inv(z_up @ f.pose @ FLIP)
        numbers = [f.time, *axis_angle(camera_from_world[:3, :3]), *camera_from_world[:3, 3]]
        lines.append(" ".join(repr(float(n)) for n in numbers))
        name = f"41048190_{f.time:.3f}"
        write(f"{out}/lowres_wide/{name}.png", f.picture.resize((256, 192)))
        write(f"{out}/lowres_wide_intrinsics/{name}.pincam", "256 192 %r %r %r %r" % tuple(map(float, f.scaled(256, 192))))
        write(f"{out}/lowres_depth/{name}.png", f.millimetres)
        write(f"{out}/confidence/{name}.png", f.confidence)
    write(f"{out}/lowres_wide.traj", "\n".join(lines) + "\n")


def scanpackage(frames, out):
    lines = []
    for f in frames:
        name = f"frame_{f.number:06d}"
        write(f"{out}/images/{name}.jpg", f.jpeg)
        write(f"{out}/depth/{name}.float32", f.depth.tobytes())
        write(f"{out}/confidence/{name}.uint8", f.confidence.tobytes())
        height, width = f.depth.shape
        lines.append(json.dumps({
            "frame_id": name, "timestamp": f.time, "image_path": f"images/{name}.jpg",
            "depth_path": f"depth/{name}.float32", "confidence_path": f"confidence/{name}.uint8",
            "image_width": f.width, "image_height": f.height, "depth_width": width, "depth_height": height,
            "intrinsics": f.k.tolist(), "camera_to_world": f.pose.tolist(), "orientation": "landscapeRight",
        }))
    write(f"{out}/frames.jsonl", "\n".join(lines) + "\n")
    write(f"{out}/metadata.json", json.dumps({"package_version": 1}))


form, native, out = sys.argv[1:]
with open(f"{native}/frames.jsonl") as file:
    read = [Frame(native, json.loads(line)) for line in file]
{"polycam": polycam, "arkitscenes": arkitscenes, "scanpackage": scanpackage}[form](read, out)
