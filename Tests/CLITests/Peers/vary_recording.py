"""Writes a recording as it would be if its writer had made a usual mistake; prints the folder of each variant.

usage: vary_recording.py RECORDING FOLDER [MISTAKE...]

Native sessions, 3D Scanner App, Record3D, Stray Scanner and ios_logger; a mistake that a format cannot have is left out.
Files that stay as they are become links.
"""

import csv
import glob
import json
import os
import sys

import numpy as np
from scipy.spatial.transform import Rotation



def turn(axis, degrees):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    return pose


OPENCV = turn("x", 180)
MIRROR = np.diag([1.0, 1, -1, 1])


def moved(frames):
    return lambda poses: [poses[min(max(0, place - frames), len(poses) - 1)] for place in range(len(poses))]


def each_pose(change):
    return lambda poses: [change(pose) for pose in poses]


def scaled(factor):
    return each_pose(lambda pose: np.block([[pose[:3, :3], factor * pose[:3, 3:]], [np.array([[0, 0, 0, 1.0]])]]))


def transposed(pose):
    pose = pose.copy()
    pose[:3, :3] = pose[:3, :3].T
    return pose


# What happened to the poses, from those of the recording.
POSES = {
    "opencv-axes": each_pose(lambda pose: pose @ OPENCV),
    "inverse-poses": each_pose(np.linalg.inv),
    "inverse-opencv": each_pose(lambda pose: np.linalg.inv(pose @ OPENCV)),
    "rolled-right": each_pose(lambda pose: pose @ turn("z", -90)),
    "rolled-left": each_pose(lambda pose: pose @ turn("z", 90)),
    "rolled-half": each_pose(lambda pose: pose @ turn("z", 180)),
    "looking-back": each_pose(lambda pose: pose @ turn("y", 180)),
    "body-axes": each_pose(lambda pose: pose @ turn("y", -90)),
    "left-handed": each_pose(lambda pose: MIRROR @ pose @ MIRROR),
    "transposed-rotation": each_pose(transposed),
    "twice-as-far": scaled(2),
    "half-as-far": scaled(0.5),
    "in-feet": scaled(3.28),
    "late-poses": moved(3),
    "late-10": moved(10),
    "late-1": moved(1),
    "early-poses": moved(-3),
    "early-10": moved(-10),
}
# How the rows and columns of depth run, of the sensor's grid.
DEPTH = {
    "flipped-depth": lambda grid: grid[::-1],
    "mirrored-depth": lambda grid: grid[:, ::-1],
    "half-turned-depth": lambda grid: grid[::-1, ::-1],
    "transposed-depth": lambda grid: grid.T.reshape(grid.shape),
    "quarter-turned-depth": lambda grid: np.rot90(grid).reshape(grid.shape),
    "doubled-depth": lambda grid: grid * 2,
    "half-depth": lambda grid: (grid / 2).astype(grid.dtype),
}
# What stands with depth or images of another frame: how many frames late.
SHIFTS = {"late-depth": ("depth", 3), "late-depth-10": ("depth", 10), "late-images": ("image", 3), "late-images-10": ("image", 10)}
IMAGES = {"mirrored-images": 0, "flipped-images": 1, "half-turned-images": 3}
# Factors of the focal lengths and of the centre.
CAMERA = {"half-intrinsics": (0.5, 0.5), "double-intrinsics": (2, 2), "long-focal": (1.1, 1), "off-centre": (1, 0.75)}
MISTAKES = [*POSES, *DEPTH, *SHIFTS, *IMAGES, *CAMERA]


def changed(poses, mistake):
    return POSES[mistake](poses) if mistake in POSES else poses


def camera_changed(numbers, mistake):
    """Nine numbers of a matrix by rows or by columns: the focal lengths stand at 0 and 4, the centre elsewhere."""
    if mistake not in CAMERA:
        return numbers
    focal, centre = CAMERA[mistake]
    return [value * (focal if place in (0, 4) else centre) for place, value in enumerate(numbers[:8])] + [1]


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


def turn_png(mistake):
    from PIL import Image

    def turn_one(source, path):
        grid = np.asarray(Image.open(source))
        Image.fromarray(np.ascontiguousarray(DEPTH[mistake](grid)).astype(grid.dtype)).save(path)

    return turn_one


def turn_image(mistake):
    from PIL import Image

    return lambda source, path: Image.open(source).transpose(Image.Transpose(IMAGES[mistake])).save(path, quality=95)


def files(folder, mistake, depth, images, turn_depth):
    """Changes the files of depth or images, or gives each those of an earlier frame."""
    if mistake in DEPTH:
        each(f"{folder}/{depth}", turn_depth)
    if mistake in IMAGES:
        each(f"{folder}/{images}", turn_image(mistake))
    if mistake in SHIFTS:
        kind, frames = SHIFTS[mistake]
        paths = sorted(glob.glob(f"{folder}/{depth if kind == 'depth' else images}"))
        sources = [os.path.realpath(path) for path in paths]
        for place, path in enumerate(paths):
            os.remove(path)
            os.symlink(sources[max(0, place - frames)], path)


def native(folder, mistake):
    path = f"{folder}/frames.jsonl"
    lines = [json.loads(line) for line in open(path) if line.strip()]
    poses = changed([np.array(line["camera_transform"]).reshape(4, 4).T for line in lines], mistake)
    for line, pose in zip(lines, poses, strict=True):
        line["camera_transform"] = pose.T.ravel().tolist()
        line["camera_intrinsics"] = camera_changed(line["camera_intrinsics"], mistake)
    write(path, "".join(json.dumps(line) + "\n" for line in lines))
    width, height = lines[0].get("depth_resolution", [256, 192])

    def turn_bin(source, path):
        np.ascontiguousarray(DEPTH[mistake](np.fromfile(source, np.float32).reshape(height, width))).tofile(path)

    files(folder, mistake, "depth/*.bin", "rgb/*.jpg", turn_bin)


def scanner_app(folder, mistake):
    paths = sorted(glob.glob(f"{folder}/frame_*.json"))
    frames = [json.load(open(path)) for path in paths]
    poses = changed([np.array(frame["cameraPoseARFrame"]).reshape(4, 4) for frame in frames], mistake)
    for path, frame, pose in zip(paths, frames, poses, strict=True):
        frame["cameraPoseARFrame"] = pose.ravel().tolist()
        frame["intrinsics"] = camera_changed(frame["intrinsics"], mistake)
        write(path, json.dumps(frame))
    files(folder, mistake, "depth_*.png", "frame_*.jpg", turn_png(mistake))


def record3d(folder, mistake):
    path = f"{folder}/metadata.json"
    metadata = json.load(open(path))
    poses = changed([matrix(pose[:4], pose[4:]) for pose in metadata["poses"]], mistake)
    metadata["poses"] = [quaternion(pose) + pose[:3, 3].tolist() for pose in poses]
    metadata["K"] = camera_changed(metadata["K"], mistake)
    if mistake in CAMERA and "perFrameIntrinsicCoeffs" in metadata:
        focal, centre = CAMERA[mistake]
        factors = [focal, focal, centre, centre]
        rows = metadata["perFrameIntrinsicCoeffs"]
        metadata["perFrameIntrinsicCoeffs"] = [[a * b for a, b in zip(row, factors)] for row in rows]
    write(path, json.dumps(metadata))

    def turn_exr(source, path):
        import OpenEXR

        file = OpenEXR.File(source)
        (name, channel), *_ = file.channels().items()
        OpenEXR.File(file.header(), {name: np.ascontiguousarray(DEPTH[mistake](channel.pixels))}).write(path)

    files(folder, mistake, "depth/*.exr", "rgb/*.jpg", turn_exr)


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
    if mistake in CAMERA:
        path = f"{folder}/camera_matrix.csv"
        camera = np.array(camera_changed(np.loadtxt(path, delimiter=",").ravel().tolist(), mistake)).reshape(3, 3)
        os.remove(path)
        np.savetxt(path, camera, delimiter=", ", fmt="%.4f")
    files(folder, mistake, "depth/*.png", "rgb/*.jpg", turn_png(mistake))


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
    recording, target, *wanted = sys.argv[1:]
    mark, change = next((mark, change) for mark, change in FORMATS.items() if os.path.exists(f"{recording}/{mark}"))
    for mistake in wanted or MISTAKES:
        if mark == "ARposes.txt" and mistake not in POSES:
            continue
        folder = f"{target}/{mistake}"
        link(recording, folder)
        change(folder, mistake)
        print(folder)


main()
