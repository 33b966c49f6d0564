#!/usr/bin/env python3
"""Does an export show what the session recorded?

usage: check_export.py SESSION EXPORT...

Every export is of all frames of SESSION, in the order of their times. Cameras are read by an independent reader where
there is one (pycolmap, evo, Open3D's JSON by hand), and compared with the session's own lines by ARKit's conventions:
camera_transform is world from camera (x right, y up, z back) by columns, intrinsics count from centres of pixels, and
a turned image is the sensor's image turned by quarters. Points of the depth maps must be seen at the same pixel. Where all
images are those of one camera, each must show what that camera sees. Every file is opened: its size is that of its camera,
and depth is 0 where the limits of `export` (its defaults) leave a pixel out.
Prints a line for each export; the exit status is 1 if one of them is wrong.
"""
import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

MAP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
OPTICAL = np.diag([1.0, -1, -1])
# Rows: the stored image's axes in those of the sensor's.
TURNS = {
    "landscapeRight": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "landscapeLeft": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]],
    "portrait": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    "portraitUpsideDown": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
}


class Wrong(Exception):
    pass


def expect(truth, text):
    if not truth:
        raise Wrong(text)


def rotation(q):
    """From x, y, z, w."""
    x, y, z, w = np.asarray(q) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


class Frame:
    def __init__(self, session, line):
        self.index = line["frame_index"]
        matrix = np.array(line["camera_transform"], float).reshape(4, 4).T
        # Phones write single precision: the nearest rotation.
        u, _, v = np.linalg.svd(matrix[:3, :3])
        self.rotation, self.place = u @ v, matrix[:3, 3]
        k = line["camera_intrinsics"]
        self.focal, self.centre = np.array([k[0], k[4]]), np.array([k[6], k[7]])
        self.size = np.array(line["camera_resolution"])
        self.turn = np.array(TURNS[line.get("device_orientation", "landscapeRight")], float)
        self.line = line
        self.time = line["timestamp"]
        self.session = session

    def path(self, folder):
        return next((self.session / folder).glob(f"*{self.index:06d}.*"), None)

    def stored(self, point):
        """A point of the sensor's image in the stored one."""
        middle = (self.size - 1) / 2
        turned = self.turn[:2, :2] @ (point - middle)
        return turned + (self.stored_size - 1) / 2

    @property
    def stored_size(self):
        return np.abs(self.turn[:2, :2]) @ self.size

    def world_from_stored(self, world):
        axes = MAP if world == "map" else np.eye(3)
        return axes @ self.rotation @ OPTICAL @ self.turn.T, axes @ self.place

    def depth(self):
        width, height = self.line.get("depth_resolution", [256, 192])
        return np.fromfile(self.path("depth"), "<f4").reshape(height, width)

    def kept_depth(self):
        """0 where a pixel is left out: 0.1 to 5 m, confidence 1 or 2, and a neighbour of nearly the same depth."""
        depth = self.depth().astype(np.float32)
        depth[~np.isfinite(depth)] = 0
        sure = np.fromfile(self.path("confidence"), "u1").reshape(depth.shape)
        around = np.pad(depth, 1)
        limit = np.minimum(np.maximum(np.float32(0.05), np.float32(0.04) * depth), depth / 2)
        has_neighbour = np.zeros(depth.shape, bool)
        for rows, columns in [(slice(0, -2), slice(1, -1)), (slice(2, None), slice(1, -1)),
                              (slice(1, -1), slice(0, -2)), (slice(1, -1), slice(2, None))]:
            has_neighbour |= np.abs(around[rows, columns] - depth) <= limit
        return np.where((depth > 0.1) & (depth < 5) & (sure >= 1) & has_neighbour, depth, 0)

    def seen_by(self, view):
        """The recorded image as a camera of the sensor's grid has it, interpolated; nothing where it is enlarged or reduced."""
        image = Image.open(self.path("images") or self.path("rgb"))
        turns = {"landscapeRight": 0, "portrait": 1, "landscapeLeft": 2, "portraitUpsideDown": 3}
        image = Image.fromarray(np.rot90(np.asarray(image),
                                         turns[self.line.get("device_orientation", "landscapeRight")]))
        scale = self.focal / np.array(view["focal"])
        if np.abs(scale - 1).max() > 0.1:
            return None
        start = self.centre + 0.5 - (np.array(view["centre"]) + 0.5) * scale
        return image.transform(tuple(view["size"]), Image.Transform.AFFINE,
                               (scale[0], 0, start[0], 0, scale[1], start[1]), Image.Resampling.BILINEAR)


def frames_of(session):
    lines = [json.loads(text) for text in open(session / "frames.jsonl")]
    return [Frame(session, line) for line in sorted(lines, key=lambda line: line["timestamp"])]


# Readers: a list of cameras with rotation and place (world from optical), K (of centres), size, image, depth.

def read_colmap(export):
    import pycolmap
    model = pycolmap.Reconstruction(export / "sparse/0")
    expect(model.is_valid(), "pycolmap: not valid")
    views = []
    for number in sorted(model.images):
        image = model.images[number]
        camera = model.cameras[image.camera_id]
        pose = image.cam_from_world()
        fx, fy, cx, cy = camera.params
        inverse = pose.inverse()
        views.append(dict(
            rotation=inverse.rotation.matrix(), place=inverse.translation, focal=(fx, fy), centre=(cx - 0.5, cy - 0.5),
            size=(camera.width, camera.height), image=export / "images" / image.name, project=image.project_point,
            number=number,
        ))
    expect([v["number"] for v in views] == list(range(1, len(views) + 1)), "ids are not 1, 2, 3 ...")
    names = [v["image"].name for v in views]
    expect(names == sorted(names), "ids are not in the order of the names")
    return views


def read_transforms(export):
    # NeRFCapture's own files count from the first pixel's centre.
    corner = 0 if json.load(open(export / "mapeverything.json"))["format"] == "splatam" else 0.5
    data = json.load(open(export / "transforms.json"))
    views = []
    for frame in data["frames"]:
        matrix = np.array(frame["transform_matrix"], float)
        k = {key: frame.get(key, data.get(key)) for key in ("fl_x", "fl_y", "cx", "cy", "w", "h")}
        depth = frame.get("depth_file_path", frame.get("depth_path"))
        views.append(dict(
            rotation=matrix[:3, :3] @ OPTICAL, place=matrix[:3, 3], focal=(k["fl_x"], k["fl_y"]),
            centre=(k["cx"] - corner, k["cy"] - corner), size=(k["w"], k["h"]), image=export / frame["file_path"],
            depth=export / depth if depth else None,
        ))
    if "applied_transform" in data:
        expect(np.allclose(np.array(data["applied_transform"])[:, :3], MAP), "applied_transform is not the map's")
    if "scale" in data:
        unit = np.array([v["place"] for v in views]) * data["scale"] + data["offset"]
        expect(unit.min() > 0 and unit.max() < 1, "a camera lies outside of instant-ngp's unit cube")
    return views


def trajectory(path):
    from evo.tools import file_interface
    poses = file_interface.read_tum_trajectory_file(str(path))
    return [
        dict(rotation=rotation(q[[1, 2, 3, 0]]), place=p, time=t)
        for p, q, t in zip(poses.positions_xyz, poses.orientations_quat_wxyz, poses.timestamps)
    ]


def read_tum_folder(export):
    views = trajectory(export / "groundtruth.txt")
    fx, fy, cx, cy = np.loadtxt(export / "calibration.txt")
    pairs = [line.split() for line in open(export / "associations.txt")]
    for view, (time, image, other, depth) in zip(views, pairs):
        expect(time == other and abs(float(time) - view["time"]) < 1e-6, "associations and poses have other times")
        view.update(focal=(fx, fy), centre=(cx, cy), image=export / image, depth=export / depth)
        view["size"] = Image.open(view["image"]).size
    force = np.loadtxt(export / "accelerometer.txt")
    expect(abs(np.median(np.linalg.norm(force[:, 1:], axis=1)) - 9.81) < 1, "accelerometer: not about 9.81")
    return views


def read_euroc(export):
    import yaml
    from evo.tools import file_interface

    def load(path):
        return yaml.safe_load("\n".join(open(path).read().splitlines()[1:]))

    camera = load(export / "mav0/cam0/sensor.yaml")
    body_from_camera = np.array(camera["T_BS"]["data"]).reshape(4, 4)
    fx, fy, cx, cy = camera["intrinsics"]
    poses = file_interface.read_euroc_csv_trajectory(str(export / "mav0/state_groundtruth_estimate0/data.csv"))
    views = []
    for p, q in zip(poses.positions_xyz, poses.orientations_quat_wxyz):
        body = rotation(q[[1, 2, 3, 0]])
        views.append(dict(
            rotation=body @ body_from_camera[:3, :3], place=p + body @ body_from_camera[:3, 3], focal=(fx, fy),
            centre=(cx, cy), size=tuple(camera["resolution"]),
        ))
    names = [line.split(",")[1].strip() for line in open(export / "mav0/cam0/data.csv") if line[0] != "#"]
    for view, name in zip(views, names):
        view["image"] = export / "mav0/cam0/data" / name
    imu = np.loadtxt(export / "mav0/imu0/data.csv", delimiter=",", comments="#")
    expect(abs(np.median(np.linalg.norm(imu[:, 4:], axis=1)) - 9.81) < 1, "IMU: not about 9.81")
    stamps = [int(name.split(".")[0]) for name in names]
    expect(imu[0, 0] <= stamps[0] and stamps[-1] <= imu[-1, 0], "images outside of the IMU's span")
    check_rates(poses, imu)
    return views


def check_rates(poses, imu):
    """The gyroscope must show how the body turned between neighbouring poses."""
    errors, sizes = [], []
    times = np.asarray(poses.timestamps)
    for i in range(len(times) - 1):
        a, b = (rotation(poses.orientations_quat_wxyz[k][[1, 2, 3, 0]]) for k in (i, i + 1))
        turn = a.T @ b
        angle = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        rate = angle / (times[i + 1] - times[i])
        inside = (imu[:, 0] / 1e9 >= times[i]) & (imu[:, 0] / 1e9 <= times[i + 1])
        if inside.any():
            errors.append(np.linalg.norm(imu[inside, 1:4].mean(axis=0) - rate))
            sizes.append(np.linalg.norm(rate))
    expect(np.median(errors) < 0.15 * np.median(sizes) + 0.02, f"gyroscope and poses differ: {np.median(errors)}")


def read_kitti(export):
    rows = np.loadtxt(export / "poses/00.txt").reshape(-1, 3, 4)
    expect(np.allclose(rows[0], np.eye(4)[:3], atol=1e-12), "the first pose is not the identity")
    calibration = {line.split(":")[0]: np.array(line.split(":")[1].split(), float)
                   for line in open(export / "sequences/00/calib.txt")}
    p = calibration["P2"].reshape(3, 4)
    images = sorted((export / "sequences/00/image_2").iterdir())
    clouds = sorted((export / "sequences/00/velodyne").iterdir())
    expect(len(images) == len(clouds) == len(rows), "images, clouds and poses differ in number")
    views = []
    for row, image, cloud in zip(rows, images, clouds):
        points = np.fromfile(cloud, "<f4").reshape(-1, 4)
        camera = points[:, :3] @ calibration["Tr"].reshape(3, 4)[:, :3].T
        views.append(dict(rotation=row[:, :3], place=row[:, 3], focal=(p[0, 0], p[1, 1]), centre=(p[0, 2], p[1, 2]),
                          size=Image.open(image).size, image=image, points=camera))
    return views


def read_open3d(export):
    data = json.load(open(export / "trajectory.json"))
    logged = np.loadtxt(line for k, line in enumerate(open(export / "trajectory.log")) if k % 5).reshape(-1, 4, 4)
    views = []
    for k, (parameters, pose) in enumerate(zip(data["parameters"], logged)):
        extrinsic = np.array(parameters["extrinsic"]).reshape(4, 4).T
        expect(np.allclose(extrinsic @ pose, np.eye(4), atol=1e-9), "trajectory.json and .log differ")
        intrinsic = parameters["intrinsic"]
        matrix = np.array(intrinsic["intrinsic_matrix"]).reshape(3, 3).T
        views.append(dict(
            rotation=pose[:3, :3], place=pose[:3, 3], focal=(matrix[0, 0], matrix[1, 1]),
            centre=(matrix[0, 2], matrix[1, 2]), size=(intrinsic["width"], intrinsic["height"]),
            image=export / "color" / f"{k:06d}.jpg", depth=export / "depth" / f"{k:06d}.png",
        ))
    return views


READERS = {
    "colmap": read_colmap, "gaussian": read_colmap, "nerfstudio": read_transforms, "ngp": read_transforms,
    "splatam": read_transforms, "tum-rgbd": read_tum_folder, "euroc": read_euroc, "kitti": read_kitti,
    "open3d": read_open3d,
}
DEPTH_UNITS = {"nerfstudio": 1000, "splatam": 6553.5, "tum-rgbd": 5000, "open3d": 1000}
TURNED = {"colmap", "gaussian", "nerfstudio", "ngp"}


def samples(frame):
    """Some depth pixels in the sensor's optical axes, and where the sensor's image shows them."""
    depth = frame.depth()
    height, width = depth.shape
    scale = frame.size / [width, height]
    ys, xs = np.mgrid[5:height:24, 5:width:24].reshape(2, -1)
    z = depth[ys, xs].astype(float)
    good = np.isfinite(z) & (z > 0.1) & (z < 5)
    pixels = (np.stack([xs, ys], 1)[good] + 0.5) * scale - 0.5
    rays = np.column_stack([(pixels - frame.centre) / frame.focal, np.ones(good.sum())])
    return rays * z[good][:, None], pixels


def check(session, export, all_frames):
    about = json.load(open(export / "mapeverything.json"))
    kind = about["format"]
    frames = all_frames if kind != "euroc" else None
    views = READERS[kind](export)
    if frames is None:
        frames = all_frames[:0]
        first = views[0]["image"].name.split(".")[0]
        offset = about["epoch_offset_ns"]
        by_time = {round(f.time * 1e6): f for f in all_frames}
        frames = [by_time[round((int(v["image"].name.split(".")[0]) - offset) / 1e3)] for v in views]
        expect(len(frames) >= len(all_frames) - 2, f"{first}: too few views")
    expect(len(views) == len(frames) == about["views"], f"{len(views)} views of {len(frames)} frames")
    world = about["world"]
    if kind == "kitti":
        r0, t0 = frames[0].world_from_stored("map")
        turn0 = frames[0].turn
        base = (r0 @ turn0, t0)
    worst = dict(place=0.0, turn=0.0, pixel=0.0, metre=0.0)
    for view, frame in zip(views, frames):
        r, t = frame.world_from_stored(world)
        if kind not in TURNED:
            r = r @ frame.turn
        if kind == "kitti":
            r, t = base[0].T @ r, base[0].T @ (t - base[1])
        worst["place"] = max(worst["place"], np.abs(view["place"] - t).max())
        worst["turn"] = max(worst["turn"], np.abs(view["rotation"] - r).max())
        size = Image.open(view["image"]).size
        expect(tuple(view["size"]) == tuple(size), f"{view['image'].name}: {size}, not {view['size']}")
        points, pixels = samples(frame)
        if kind in TURNED:
            expected = np.array([frame.stored(p) for p in pixels])
            inside = points @ frame.turn.T
        else:
            expected = (pixels - frame.centre) / frame.focal * np.array(view["focal"]) + view["centre"]
            inside = points
            check_content(view, frame)
        # Into the world by the recording, back by the export.
        lifted = inside @ r.T + t
        back = (lifted - view["place"]) @ view["rotation"]
        seen = back[:, :2] / back[:, 2:] * view["focal"] + view["centre"]
        if "project" in view:
            # None for what is behind the camera.
            projected = [view["project"](p) for p in lifted]
            seen = np.array([(np.inf, np.inf) if p is None else p for p in projected]) - 0.5
        worst["pixel"] = max(worst["pixel"], np.abs(seen - expected).max())
        if view.get("depth") is not None:
            check_depth(kind, view, frame, worst)
        if "points" in view:
            z = np.sort(view["points"][:, 2])
            d = np.sort(frame.depth()[np.isfinite(frame.depth())])
            expect(len(z) > 1000 and z[0] >= 0.09 and abs(z[-1] - d[d < 5][-1]) < 0.5, "cloud of other depths")
        if kind in TURNED and about.get("left_out", {}).get("recoded") is None and view["image"].suffix == ".jpg":
            stored = frame.path("images") or frame.path("rgb")
            if stored is not None:
                expect(stored.read_bytes() == view["image"].read_bytes(), f"{view['image'].name}: not a copy")
    # The turn of a matrix in single precision is known to its last digit.
    # KITTI's places are in the axes of the first camera, whose digits are those of single precision.
    expect(worst["place"] < (1e-6 if kind == "kitti" else 1e-9), f"places differ by {worst['place']} m")
    expect(worst["turn"] < 2e-6, f"axes differ by {worst['turn']}")
    expect(worst["pixel"] < 1e-4, f"pixels differ by {worst['pixel']}")
    folders = {v["image"].parent for v in views} | {v["depth"].parent for v in views if v.get("depth")}
    for folder in folders:
        count = len(list(folder.iterdir()))
        expect(count == len(views), f"{folder.name}: {count} files of {len(views)} views")
    return f"{kind}: {len(views)} views, {worst}"


def check_depth(kind, view, frame, worst):
    stored = np.asarray(Image.open(view["depth"])).astype(float) / DEPTH_UNITS[kind]
    depth = frame.kept_depth().astype(float)
    depth[depth * DEPTH_UNITS[kind] > 65535] = 0
    if kind in TURNED:
        turns = {"landscapeRight": 0, "portrait": 3, "landscapeLeft": 2, "portraitUpsideDown": 1}
        expected = np.rot90(depth, turns[frame.line.get("device_orientation", "landscapeRight")])
    else:
        height, width = stored.shape
        scale = frame.size / np.array([depth.shape[1], depth.shape[0]])
        places = []
        for axis, count in ((0, width), (1, height)):
            sensor = ((np.arange(count) - view["centre"][axis]) / view["focal"][axis] * frame.focal[axis]
                      + frame.centre[axis])
            # What lies on the line between two pixels belongs to the second.
            places.append(np.floor((sensor + 0.5) / scale[axis] + 1e-6).astype(int) + 1)
        # A pixel beyond the border of the grid knows nothing.
        grid = np.pad(depth, 1)
        expected = grid[np.clip(places[1], 0, grid.shape[0] - 1)][:, np.clip(places[0], 0, grid.shape[1] - 1)]
    expect(stored.shape == expected.shape, f"{view['depth'].name}: {stored.shape}")
    error = np.abs(stored - expected).max()
    expect(error <= 0.51 / DEPTH_UNITS[kind] + 1e-6, f"{view['depth'].name}: depth differs by {error} m")
    worst["metre"] = max(worst["metre"], error)


def check_content(view, frame):
    seen = frame.seen_by(view)
    if seen is None:
        return
    ours = np.asarray(Image.open(view["image"]).convert("RGB"), float)[8:-8, 8:-8]
    error = np.abs(ours - np.asarray(seen, float)[8:-8, 8:-8]).mean()
    expect(error < 3, f"{view['image'].name}: not what its camera sees: {error} of 255")


def check_trajectory(path, frames):
    views = trajectory(path)
    expect(len(views) == len(frames), f"{len(views)} poses of {len(frames)} frames")
    for view, frame in zip(views, frames):
        r, t = frame.world_from_stored("map")
        expect(np.abs(view["place"] - t).max() < 1e-9, "places differ")
        expect(np.abs(view["rotation"] - r @ frame.turn).max() < 2e-6, "axes differ")
    return f"tum: {len(views)} poses"


def main():
    session = Path(sys.argv[1])
    frames = frames_of(session)
    status = 0
    for name in map(Path, sys.argv[2:]):
        try:
            print(check_trajectory(name, frames) if name.is_file() else check(session, name, frames))
        except Wrong as wrong:
            print(f"{name}: {wrong}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
