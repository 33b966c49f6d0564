"""Sound inputs of every text format, of which one number at a time becomes an end of what numbers can be."""

import functools
import itertools
import json
import os
import random
import re
import shutil

import bases
from cases import STATUSES, Case

# The ends of 32 and 64 bits, of binary64, and of what nanoseconds in 64 bits say in seconds; and what is no number.
ENDS = """
-9223372036854775808 9223372036854775807 9223372036854775808 18446744073709551615 -2147483648 2147483647 2147483648
4294967296 1.7976931348623157e308 -1.7976931348623157e308 1e300 5e-324 9223372036.854775807 -9223372036.854775808 1e19 0
-0.0 NaN
""".split()
FORMATS = """
native stray-scanner 3d-scanner-app record3d polycam arkitscenes transforms-json nerfcapture scan-package ios-logger
""".split()
SHAPE = ["--duration", "1", "--fps", "4", "--size", "64x48", "--images", "1"]
TEXTS = (".json", ".jsonl", ".csv", ".txt", ".pincam", ".traj", ".yaml", "metadata")

SESSION = [
    "bag {in} -o {out} --profile full -j 2", "inspect {in} --profile full --json", "check {in} --json", "list {in} --json",
    "trim {in} -o {out} --fps 2", "export {in} -o {out} --to csv", "export {in} -o {out} --to colmap",
    "export {in} -o {out} --to tum-rgbd", "export {in} -o {out}.geojson --to geojson", "map {in} -o {out}.ply",
    "report {in} -o {out}.html", "batch plan {in} -o {out} --to bag", "repair {in} -o {out}",
    "tags map {in} -o {out}.json", "replay {in} --dry-run",
]
BAG = [
    "inspect {in} --json", "check {in} --json", "convert {in} -o {out}", "repair {in} -o {out}", "report {in} -o {out}.html",
    "convert {in} -o {out}.mcap --start 0.1 --duration 0.5",
]
RAW = ["tags map {in} -o {out}.json", "tags map {in} -o {out} --raw", "tags evaluate {in}"]
PROCESSED = ["tags evaluate {in}", "tags locate {in} --map {in}"]
PROFILE = ["bag {base}/sessions/native -o {out} --profile {in}", "inspect {base}/sessions/native --profile {in}"]
MANIFEST = ["batch run {in} -o {out} -j 2", "batch status {in} {out}"]
LISTING = ["batch plan --listing {in} -o {out} --to bag --shards 3"]


PROFILE_TEXT = """\
base: full
topics:
  /mapping/pose: {rate: 30}
  /mapping/pointcloud/lidar: {rate: 10}
pointcloud:
  voxel_size: 0.05
  min_depth: 0.2
  max_depth: 4.5
  min_confidence: 1
  stride: 2
  bounding_box: 20
  outlier: radius
  outlier_voxel: 0.1
  outlier_neighbours: 3
map:
  voxel_size: 0.05
  max_memory_mb: 100
"""


class Input:
    """A file or folder, its files of text, and the commands that read it."""

    def __init__(self, path, commands, folder):
        self.path, self.commands, self.folder = path, commands, folder

    def texts(self):
        if os.path.isfile(self.path):
            return [self.path]
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.path) for name in names]
        return sorted(file for file in found if file.endswith(TEXTS) and "truth" not in os.path.basename(file))


def matrix(x):
    return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0.0, 0.0, 1]


def raw_map():
    """Two tags on a wall, each seen from three places of a short walk."""
    poses = [{"id": n, "timestamp": 10.5 + n, "pose": matrix(0.5 * n), "planes": []} for n in range(4)]
    tag = [1, 0, 0, 0.25, 0, -1, 0, 0.0, 0, 0, -1, 2.0, 0, 0, 0, 1]
    tags = [
        [{"tag_id": n % 2, "pose_id": n, "timestamp": 10.5 + n, "tag_pose": tag, "orig_pose": tag,
          "tag_corners_pixel_coordinates": [10.5, 40, 40, 40, 40, 10, 10, 10], "camera_intrinsics": [500.5, 500, 32, 24],
          "joint_covar": [0.01] * 49, "tag_position_variance": [0.01] * 3, "tag_orientation_variance": [0.01] * 4}]
        for n in range(4)
    ]  # fmt: skip
    places = [{"name": "door", "pose_id": 2, "timestamp": 12.5, "transform": matrix(0.5)}]
    return {"map_id": "walk 1", "pose_data": poses, "tag_data": tags, "location_data": places, "plane_data": []}


def processed_map():
    def vertex(number, key):
        turn = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
        return {"translation": {"x": 0.5 * number, "y": 0.0, "z": 0.25}, "rotation": turn, key: number}

    walk = [dict(vertex(n, "poseId"), adjChi2=0.5, vizTags=1.0, neighbors=[m for m in (n - 1, n + 1) if 0 <= m < 3]) for n in range(3)]
    return {"tag_vertices": [vertex(1, "id"), vertex(2, "id")], "odometry_vertices": walk, "waypoints_vertices": []}


def make(binary, folder):
    """Every input; small, as each is read some thousand times."""
    for name in ("sessions", "bags", "texts"):
        os.makedirs(os.path.join(folder, name))
    inputs = []

    def text(name, content, commands):
        path = os.path.join(folder, "texts", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        inputs.append(Input(path, commands, folder))

    for name in FORMATS + ["older"]:
        session = os.path.join(folder, "sessions", name)
        options = {
            "native": ["--everything", "--tags"], "older": ["--orientation", "none", "--gps"], "ios-logger": ["--gps"],
            "polycam": [], "arkitscenes": [],
        }  # fmt: skip
        form = [] if name in ("native", "older") else ["--format", name]
        size = ["--size", "256x192"] if name in ("polycam", "arkitscenes") else []
        bases.run(binary, "sample", "-o", session, *SHAPE, *size, *form, *options.get(name, []))
        inputs.append(Input(session, SESSION, folder))
    for name, options in (("db3", []), ("mcap", ["--storage", "mcap"])):
        bag = os.path.join(folder, "bags", name)
        bases.run(binary, "bag", inputs[0].path, "-o", bag, "--profile", "full", "--topics", *bases.TOPICS, *options)
        inputs.append(Input(bag, BAG, folder))
    text("raw.json", raw_map(), RAW)
    text("processed.json", processed_map(), PROCESSED)
    text("profile.yaml", PROFILE_TEXT, PROFILE)
    manifest = os.path.join(folder, "texts", "manifest.jsonl")
    bases.run(binary, "batch", "plan", os.path.join(folder, "sessions", "native"), "-o", manifest, "--to", "bag")
    inputs.append(Input(manifest, MANIFEST, folder))
    listing = [{"url": f"s3://b/{n}", "files": [["frames.jsonl", 1000 + n], ["rgb/000000.jpg", 70000]]} for n in range(3)]
    text("listing.jsonl", "".join(json.dumps(line) + "\n" for line in listing), LISTING)
    return inputs


TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[][{},:]')
COLON = re.compile(r"\s*:")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
CELL = re.compile(r"(?<![\w.\"'-])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


def json_fields(text, offset):
    """Where each number of a JSON text stands, and the keys and places that lead to it."""
    stack, key = [], None
    for token in TOKEN.finditer(text):
        word = token.group()
        if word in "{[":
            stack.append([word, key, 0])
        elif word in "}]":
            stack and stack.pop()
        elif word == ",":
            if stack:
                stack[-1][2] += 1
        elif word == ":":
            pass
        elif word[0] == '"' and COLON.match(text, token.end()):
            key = word
        else:
            start, end = token.span()
            if word[0] == '"':
                start, end = start + 1, end - 1
            if NUMBER.fullmatch(text[start:end]):
                # Of long lists only the first few places are fields of their own.
                path = tuple(frame[1] for frame in stack) + (key, min(stack[-1][2], 40) if stack and stack[-1][0] == "[" else 0)
                yield path, (offset + start, offset + end)


def fields(name, text):
    """The numbers of a text by the field that they are: a key, or a column."""
    found = {}
    if name.endswith((".json", "metadata")):
        for path, span in json_fields(text, 0):
            found.setdefault(path, []).append(span)
        return found
    offset = 0
    for line in text.splitlines(keepends=True):
        if line.startswith("{"):
            pairs = json_fields(line, offset)
        else:
            key = re.match(r"[\s-]*([\w/]+):", line)
            start = key.end() if key else 0
            spans = (match.span() for match in CELL.finditer(line, start))
            pairs = (((key and key.group(1), place), (offset + a, offset + b)) for place, (a, b) in enumerate(spans))
        for path, span in pairs:
            found.setdefault(path, []).append(span)
        offset += len(line)
    return found


def plan(inputs, seed):
    """All runs in an order by the seed: input, file, where the number stands, what it becomes, and the command."""
    runs = []
    for one in inputs:
        for file in one.texts():
            with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                found = fields(os.path.basename(file), stream.read())
            for spans in found.values():
                for span in {spans[0], spans[len(spans) // 2], spans[-1]}:
                    runs += [(one, file, span, end, command) for end, command in itertools.product(ENDS, one.commands)]
    runs.sort(key=lambda run: (run[0].path, run[1], run[2], run[3], run[4]))
    random.Random(f"{seed} ends").shuffle(runs)
    return runs


class EndCase(Case):
    """One run; any documented status is right, and nothing else."""

    statuses = STATUSES | {2, 69, 73, 74}

    def __init__(self, binary, scratch, run, seed, number):
        self.input, self.file, self.span, self.end, self.line = run
        super().__init__(binary, scratch, "end", self.input.path, seed, number)
        self.changed = [f"{os.path.relpath(self.file, self.base)} at {self.span[0]}: {self.end}"]

    def damage(self):
        if os.path.isdir(self.base):
            shutil.copytree(self.base, self.path, copy_function=os.link)
        target = os.path.normpath(os.path.join(self.path, os.path.relpath(self.file, self.base)))
        with open(self.file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            text = stream.read()
        if os.path.exists(target):
            os.remove(target)
        with open(target, "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            stream.write(text[: self.span[0]] + self.end + text[self.span[1] :])

    def run(self):
        os.makedirs(self.folder)
        self.damage()
        names = {"{in}": self.path, "{out}": self.out("result"), "{base}": self.input.folder}
        words = [functools.reduce(lambda word, name: word.replace(name, names[name]), names, word) for word in self.line.split()]
        self.command(*words)
        return self.faults
