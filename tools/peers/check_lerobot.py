"""Judges a LeRobot data set (v3.0), alone and against the native recording that it was made of.

usage: check_lerobot.py DATASET [SESSION] [--frames] [--turned]

Of the data set by itself, read by pyarrow, pandas and PyAV: the tables agree with info.json, every episode's rows follow each
other, every video has a picture for each row at row / fps, and the statistics are those of the rows and pictures.

With a SESSION of the native layout, each row against its frame (found by capture_time; `--frames` takes each frame in turn):
poses and motions within 1e-6 of what numpy makes of the recorded matrices, depth codes bit for bit what LeRobot's formula makes
of the recorded depth (one code off where the rounding itself is in doubt), and decoded depth within 1.3 mm at up to 4 m, images
at 35 dB or more against Pillow's own reduction of the JPEG (`--turned` turns it a quarter to the left first). The export must have been made with --min-confidence 0,
--no-edge-filter and --max-depth 10.
"""

import json
import os
import sys

import av
import numpy as np
import pandas
import pyarrow.parquet as parquet
from PIL import Image

from findings import Problems, argument_parser

FRONT, DEPTH = "observation.images.front", "observation.images.depth"


def arrays(table, name):
    return np.array(table.column(name).to_pylist(), dtype=np.float64)


def decode(path, form):
    with av.open(path) as container:
        stream = container.streams.video[0]
        for frame in container.decode(stream):
            yield float(frame.pts * stream.time_base), frame.to_ndarray(format=form)


def dequantized(codes):
    low, high = np.log(0.01 + 3.5), np.log(10 + 3.5)
    return np.clip(np.exp(low + codes / 4095 * (high - low)) - 3.5, 0.01, 10)


def quantized(metres):
    """The code, and how far it is from being another."""
    low, high = np.log(0.01 + 3.5), np.log(10 + 3.5)
    place = (np.log(metres + 3.5) - low) / (high - low) * 4095
    return np.rint(place).clip(0, 4095), np.abs(place - np.floor(place) - 0.5)


def rotation_matrix(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose_matrix(state):
    pose = np.eye(4)
    pose[:3, :3] = rotation_matrix(state[3:7])
    pose[:3, 3] = state[:3]
    return pose


def rotation_vector(matrix):
    angle = np.arccos(np.clip((np.trace(matrix) - 1) / 2, -1, 1))
    axis = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    return axis / 2 if angle < 1e-6 else axis * angle / (2 * np.sin(angle))


class Recording:
    """A session in the native layout, by its own files."""

    def __init__(self, path, is_turned):
        self.path, self.is_turned = path, is_turned
        self.meta = json.load(open(os.path.join(path, "metadata.json")))
        lines = open(os.path.join(path, "frames.jsonl")).read().splitlines()
        self.frames = [json.loads(line) for line in lines]
        self.offset = float(self.meta["startUnixTime"]) - self.meta["startTimestamp"]
        self.times = np.array([frame["timestamp"] + self.offset for frame in self.frames])

    def map_from_body(self, number):
        """y up becomes z up; the camera (x right, y up, z back) becomes the body (x forward, y left, z up)."""
        world = np.array(self.frames[number]["camera_transform"], dtype=np.float64).reshape(4, 4).T
        # The recorded numbers are of 32 bits: the nearest rotation is meant.
        u, _, v = np.linalg.svd(world[:3, :3])
        world[:3, :3] = u @ v
        turn = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
        body = np.array([[0, -1, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
        return turn @ world @ body

    def depth(self, number):
        frame = self.frames[number]
        width, height = frame["depth_resolution"]
        name = os.path.join(self.path, "depth", f"{frame['frame_index']:06d}.bin")
        return np.fromfile(name, "<f4").reshape(height, width).astype(np.float64)

    def image(self, number, size):
        name = os.path.join(self.path, "rgb", f"{self.frames[number]['frame_index']:06d}.jpg")
        image = Image.open(name).convert("RGB")
        if self.is_turned:
            image = image.transpose(Image.ROTATE_90)
        return np.asarray(image if image.size == size else image.resize(size, Image.BOX), dtype=np.float64)


def level(pose):
    """The episode's own frame: where its first pose is, z up, x along its heading."""
    yaw = np.arctan2(pose[1, 0], pose[0, 0])
    frame = np.eye(4)
    frame[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    frame[:3, 3] = pose[:3, 3]
    return frame


def check_statistics(problems, name, stats, values, tolerance=1e-5):
    """Quantiles are taken from samples, and may lie a little beside those of all values."""
    scale = np.maximum(1e-9, np.abs(values).max(axis=0))
    for key, expected in [("min", values.min(0)), ("max", values.max(0)), ("mean", values.mean(0)), ("std", values.std(0))]:
        found = np.array(stats[key], dtype=np.float64).reshape(-1)
        if not np.all(np.abs(found - expected) <= tolerance * scale + 1e-9):
            problems.add(f"stats {name} {key}: expected {expected}, found {found}")
    spread = values.max(0) - values.min(0)
    for key, share in [("q01", 0.01), ("q50", 0.5), ("q99", 0.99)]:
        found = np.array(stats[key], dtype=np.float64).reshape(-1)
        if not np.all(np.abs(found - np.quantile(values, share, axis=0)) <= 0.02 * spread + 1e-6):
            problems.add(f"stats {name} {key}: expected {np.quantile(values, share, axis=0)}, found {found}")


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("dataset")
    parser.add_argument("session", nargs="?")
    parser.add_argument("--frames", action="store_true")
    parser.add_argument("--turned", action="store_true")
    arguments = parser.parse_args()
    problems = Problems(arguments.max_problems)
    root = arguments.dataset
    info = json.load(open(os.path.join(root, "meta/info.json")))
    stats = json.load(open(os.path.join(root, "meta/stats.json")))
    tasks = pandas.read_parquet(os.path.join(root, "meta/tasks.parquet"))
    if tasks.index.name != "task" or len(tasks) != info["total_tasks"]:
        problems.add(f"tasks.parquet: expected {info['total_tasks']} texts as the index, found {tasks}")
    episodes = parquet.read_table(os.path.join(root, "meta/episodes")).to_pylist()
    if len(episodes) != info["total_episodes"]:
        problems.add(f"episodes: expected {info['total_episodes']}, found {len(episodes)}")
    recording = Recording(arguments.session, arguments.turned) if arguments.session else None
    fps, rows, columns, seen = info["fps"], 0, {}, {"psnr": [], "metres": 0.0, "codes": 0, "off": 0, "pose": 0.0}
    for number, episode in enumerate(episodes):
        name = info["data_path"].format(
            chunk_index=episode["data/chunk_index"], file_index=episode["data/file_index"]
        )
        table = parquet.read_table(os.path.join(root, name), filters=[("episode_index", "=", number)])
        length = episode["length"]
        expected = {
            "frame_index": np.arange(length),
            "index": rows + np.arange(length),
            "timestamp": np.arange(length) / fps,
            "episode_index": np.full(length, number),
        }
        for column, values in expected.items():
            found = arrays(table, column)
            if found.shape != values.shape or not np.allclose(found, values, atol=1e-4):
                problems.add(f"episode {number}: {column}: expected {values[:4]} ..., found {found[:4]} ...")
        if tasks.index[int(arrays(table, "task_index")[0])] != episode["tasks"][0]:
            problems.add(f"episode {number}: its task is not {episode['tasks']}")
        for key, feature in info["features"].items():
            if feature["dtype"] == "video":
                continue
            values = arrays(table, key).reshape(length, -1)
            if values.shape[1] != np.prod(feature["shape"]) or not np.isfinite(values).all():
                problems.add(f"episode {number}: {key}: expected finite numbers of {feature['shape']}")
            columns.setdefault(key, []).append(values)
            own = {part: episode[f"stats/{key}/{part}"] for part in stats[key]}
            check_statistics(problems, f"{key} of episode {number}", own, values)
        videos = {}
        for key in (FRONT, DEPTH):
            if key not in info["features"]:
                continue
            path = os.path.join(
                root,
                info["video_path"].format(
                    video_key=key,
                    chunk_index=episode[f"videos/{key}/chunk_index"],
                    file_index=episode[f"videos/{key}/file_index"],
                ),
            )
            pictures = list(decode(path, "rgb24" if key == FRONT else "gray12le"))
            start = episode[f"videos/{key}/from_timestamp"]
            times = np.array([time for time, _ in pictures])
            if len(times) != length or not np.allclose(times - start, np.arange(length) / fps, atol=1e-4):
                problems.add(f"{path}: expected {length} pictures at {fps} a second, found {len(times)}")
            videos[key] = [picture for _, picture in pictures]
            shape = info["features"][key]["shape"]
            if list(videos[key][0].shape[:2]) != shape[:2]:
                problems.add(f"{path}: expected {shape}, found {videos[key][0].shape}")
            mean = np.array(episode[f"stats/{key}/mean"], dtype=np.float64).reshape(-1)
            all_pictures = np.stack(videos[key][:: max(1, length // 20)]).astype(np.float64)
            means = (
                all_pictures.reshape(-1, 3).mean(0) / 255 if key == FRONT else [dequantized(all_pictures).mean()]
            )
            if not np.allclose(mean, means, rtol=0.1):
                problems.add(f"episode {number}: stats of {key}: expected a mean of {means}, found {mean}")
        rows += length
        if recording:
            check_episode(problems, seen, recording, table, videos, arguments.frames)
    if rows != info["total_frames"]:
        problems.add(f"rows: expected {info['total_frames']}, found {rows}")
    for key, parts in columns.items():
        check_statistics(problems, key, stats[key], np.concatenate(parts), tolerance=1e-4)
    if recording:
        off = seen["off"] / max(1, seen["codes"])
        least = min(seen["psnr"], default=float("inf"))
        print(
            json.dumps(
                {
                    "largest_pose_error": seen["pose"],
                    "least_psnr_db": round(least, 2),
                    "largest_depth_error_mm": round(1000 * seen["metres"], 3),
                    "codes_off": seen["off"],
                }
            )
        )
        if seen["pose"] > 1e-6 or least < 35 or seen["metres"] > 0.0013 or off > 1e-6:
            problems.add(f"expected poses within 1e-6, 35 dB, 1.3 mm and the same codes, found {seen['pose']}, {least} ...")
    return problems.finish(rows)


def check_episode(problems, seen, recording, table, videos, takes_each):
    states, times = arrays(table, "observation.state"), arrays(table, "capture_time")
    numbers = [int(np.argmin(np.abs(recording.times - time))) for time in times]
    if np.abs(recording.times[numbers] - times).max() > 1e-5:
        problems.add("capture_time: expected the times of frames")
    if takes_each and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        problems.add(f"expected each frame in turn, found {numbers[:20]}")
    poses = [recording.map_from_body(number) for number in numbers]
    origin = np.linalg.inv(level(poses[0]))
    for row, pose in enumerate(poses):
        error = np.abs(pose_matrix(states[row]) - origin @ pose).max()
        seen["pose"] = max(seen["pose"], error)
        if row and np.dot(states[row][3:], states[row - 1][3:]) < 0:
            problems.add(f"row {row}: the quaternion changes its sign")
    if "action" in table.column_names:
        actions = arrays(table, "action")
        for row in range(len(poses)):
            step = np.linalg.inv(poses[row]) @ poses[min(row + 1, len(poses) - 1)]
            expected = np.concatenate([step[:3, 3], rotation_vector(step[:3, :3])])
            seen["pose"] = max(seen["pose"], np.abs(actions[row] - expected).max())
    for row, number in enumerate(numbers):
        if DEPTH in videos:
            metres, codes = recording.depth(number), videos[DEPTH][row]
            known = (metres > 0.11) & (metres < 9.9)
            expected, doubt = quantized(metres)
            wrong = known & (codes != expected) & (doubt > 1e-3)
            seen["codes"] += int(known.sum())
            seen["off"] += int(wrong.sum())
            near = known & (metres < 4)
            seen["metres"] = max(seen["metres"], np.abs(dequantized(codes) - metres)[near].max(initial=0))
        if FRONT in videos and row % 7 == 0:
            picture = videos[FRONT][row].astype(np.float64)
            size = (picture.shape[1], picture.shape[0])
            error = ((picture - recording.image(number, size)) ** 2).mean()
            seen["psnr"].append(10 * np.log10(255**2 / max(error, 1e-9)))


sys.exit(main())
