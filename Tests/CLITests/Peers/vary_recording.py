"""Writes a recording as it would be if its writer had made a usual mistake; prints the folder of each variant.

usage: vary_recording.py RECORDING FOLDER

Native sessions, 3D Scanner App, Record3D, Stray Scanner and ios_logger. Files that stay as they are become links.
"""

import csv
import glob
import json
import os
import sys

import numpy as np
from scipy.spatial.transform import Rotation

OPENCV = np.diag([1.0, -1, -1, 1])
MISTAKES = ("opencv-axes", "inverse-poses", "late-poses", "flipped-depth", "half-intrinsics")


def changed(poses, mistake):
    if mistake == "opencv-axes":
        return [pose @ OPENCV for pose in poses]
    if mistake == "inverse-poses":
        return [np.linalg.inv(pose) for pose in poses]
    if mistake == "late-poses":
        return [poses[max(0, index - 3)] for index in range(len(poses))]
    return poses


def matrix(quaternion, translation):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    pose[:3, 3] = translation
    return pose


def quaternion(pose):
    return Rotation.from_matrix(pose[:3, :3]).as_quat().tolist()


def link(source, target):
    for folder, _, names in os.walk(source):
        there = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(there, exist_ok=True)
        for name in names:
            os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(there, name))


def write(path, text):
    os.remove(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def each(pattern, change):
    for path in glob.glob(pattern):
        source = os.path.realpath(path)
        os.remove(path)
        change(source, path)


def flip_png(source, path):
    from PIL import Image

    Image.fromarray(np.ascontiguousarray(np.asarray(Image.open(source))[::-1])).save(path)


def flip_exr(source, path):
    import OpenEXR

    file = OpenEXR.File(source)
    (name, channel), *_ = file.channels().items()
    OpenEXR.File(file.header(), {name: np.ascontiguousarray(channel.pixels[::-1])}).write(path)


def native(folder, mistake):
    path = f"{folder}/frames.jsonl"
    lines = [json.loads(line) for line in open(path) if line.strip()]
    poses = changed([np.array(line["camera_transform"]).reshape(4, 4).T for line in lines], mistake)
    for line, pose in zip(lines, poses, strict=True):
        line["camera_transform"] = pose.T.ravel().tolist()
        if mistake == "half-intrinsics":
            line["camera_intrinsics"] = [value / 2 for value in line["camera_intrinsics"][:8]] + [1]
    write(path, "".join(json.dumps(line) + "\n" for line in lines))
    if mistake == "flipped-depth":
        width, height = lines[0].get("depth_resolution", [256, 192])
        each(
            f"{folder}/depth/*.bin",
            lambda source, path: np.fromfile(source, np.float32).reshape(height, width)[::-1].tofile(path),
        )


def scanner_app(folder, mistake):
    paths = sorted(glob.glob(f"{folder}/frame_*.json"))
    frames = [json.load(open(path)) for path in paths]
    poses = changed([np.array(frame["cameraPoseARFrame"]).reshape(4, 4) for frame in frames], mistake)
    for path, frame, pose in zip(paths, frames, poses, strict=True):
        frame["cameraPoseARFrame"] = pose.ravel().tolist()
        if mistake == "half-intrinsics":
            frame["intrinsics"] = [value / 2 for value in frame["intrinsics"][:8]] + [1]
        write(path, json.dumps(frame))
    if mistake == "flipped-depth":
        each(f"{folder}/depth_*.png", flip_png)


def record3d(folder, mistake):
    path = f"{folder}/metadata.json"
    metadata = json.load(open(path))
    poses = changed([matrix(pose[:4], pose[4:]) for pose in metadata["poses"]], mistake)
    metadata["poses"] = [quaternion(pose) + pose[:3, 3].tolist() for pose in poses]
    if mistake == "half-intrinsics":
        metadata["K"] = [value / 2 for value in metadata["K"][:8]] + [1]
        if "perFrameIntrinsicCoeffs" in metadata:
            rows = metadata["perFrameIntrinsicCoeffs"]
            metadata["perFrameIntrinsicCoeffs"] = [[value / 2 for value in row] for row in rows]
    write(path, json.dumps(metadata))
    if mistake == "flipped-depth":
        each(f"{folder}/depth/*.exr", flip_exr)


def stray(folder, mistake):
    path = f"{folder}/odometry.csv"
    header, *rows = [[cell.strip() for cell in row] for row in csv.reader(open(path)) if row]
    numbers = [[float(cell) for cell in row[2:9]] for row in rows]
    poses = changed([matrix(row[3:], row[:3]) for row in numbers], mistake)
    lines = [", ".join(header)]
    for row, pose in zip(rows, poses, strict=True):
        values = pose[:3, 3].tolist() + quaternion(pose)
        lines.append(", ".join(row[:2] + [repr(value) for value in values] + row[9:]))
    write(path, "\n".join(lines) + "\n")
    if mistake == "half-intrinsics":
        path = f"{folder}/camera_matrix.csv"
        camera = np.loadtxt(path, delimiter=",")
        camera[:2] /= 2
        os.remove(path)
        np.savetxt(path, camera, delimiter=", ", fmt="%.4f")
    if mistake == "flipped-depth":
        each(f"{folder}/depth/*.png", flip_png)


def ios_logger(folder, mistake):
    path = f"{folder}/ARposes.txt"
    rows = [line.split(",") for line in open(path) if line.strip()]
    numbers = [[float(cell) for cell in row[1:8]] for row in rows]
    # x, y, z, then w before the others.
    poses = changed([matrix([*row[4:7], row[3]], row[:3]) for row in numbers], mistake)
    lines = []
    for row, pose in zip(rows, poses, strict=True):
        x, y, z, w = quaternion(pose)
        lines.append(",".join([row[0]] + [f"{value:.6f}" for value in [*pose[:3, 3], w, x, y, z]]))
    write(path, "\n".join(lines) + "\n")


FORMATS = {
    "frames.jsonl": native,
    "frame_00000.json": scanner_app,
    "metadata.json": record3d,
    "odometry.csv": stray,
    "ARposes.txt": ios_logger,
}


def main():
    recording, target = sys.argv[1:3]
    mark, change = next((mark, change) for mark, change in FORMATS.items() if os.path.exists(f"{recording}/{mark}"))
    for mistake in MISTAKES:
        if mark == "ARposes.txt" and mistake in ("flipped-depth", "half-intrinsics"):
            continue
        folder = f"{target}/{mistake}"
        link(recording, folder)
        change(folder, mistake)
        print(folder)


main()
