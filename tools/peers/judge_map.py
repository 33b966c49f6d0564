"""Judges a map by the points of the clouds that should lie on it, beside Open3D's map of the same frames.

usage: judge_map.py BINARY SESSION... [--own-frames] [--picture FOLDER]

For each session, of any format: every cloud point asks how far the nearest place of the mesh is. Of ours and of Open3D's
(VoxelBlockGrid, 2 cm, 4 voxels) it prints the part of the points within 3 cm, that of the cloud which has fewest of
them, and the part farther than 5 cm. Both get every frame of trusted tracking and the same depth, limits, confidence
and edge filter included, and neither piece of the mesh is dropped of Open3D's. `--own-frames` lets ours choose its
key-frames. Rays can be satisfied by what lies behind a lost surface; points cannot.

A sample with `--walker` or `--thin-things` is also judged by its truth: how much of the walker is still there, how much
of the plate, the pole and the fabric is, and how much of the mesh is near no true surface.

Ends with 1 where less than 90 % of the points are within 3 cm, more of them farther than 5 cm than from Open3D's, more
than 2 % of a walker there, or less than 90 % of a thin thing. Needs numpy and open3d.
"""

import json
import os
import subprocess
import sys
import tempfile
import types

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np

try:
    import open3d as o3d
except ImportError:
    # Where tools/test puts it, without what it draws with in notebooks.
    sys.path.append(os.path.join(sys.prefix, "open3d"))
    for name in ("plotly", "plotly.graph_objects", "plotly.subplots", "dash"):
        stand_in = sys.modules[name] = types.ModuleType(name)
        stand_in.html = stand_in.dcc = stand_in.Dash = stand_in.graph_objects = stand_in.make_subplots = None
    import open3d as o3d

core, tensor = o3d.core, o3d.core.Tensor
NEAREST, FARTHEST, VOXEL, TRUNCATION_VOXELS = 0.1, 5.0, 0.02, 4.0
NEAR, FAR, LEAST_NEAR, MOST_OF_WALKER = 0.03, 0.05, 0.9, 0.02


def native(binary, session, folder):
    """The session in the native layout."""
    if os.path.exists(f"{session}/frames.jsonl"):
        return session
    path = f"{folder}/native"
    subprocess.run([binary, "trim", session, "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def frames_of(session):
    with open(f"{session}/frames.jsonl") as file:
        frames = [json.loads(line) for line in file if line.strip()]
    return [
        frame
        for frame in frames
        if frame.get("tracking_state", "normal") == "normal" and os.path.exists(depth_path(session, frame))
    ]


def depth_path(session, frame):
    return f"{session}/depth/{frame['frame_index']:06d}.bin"


def passes_edge_filter(depth):
    """Whether a pixel's depth is near that of one of its four neighbours (point-pipeline.md)."""
    limit = np.maximum(0.05, 0.04 * depth)
    padded = np.pad(depth, 1, constant_values=np.inf)
    around = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    return np.any([np.abs(other - depth) <= limit for other in around], axis=0)


def load(session, frame):
    """Depth in metres (0 where it does not count), fx, fy, cx, cy of its grid, and the camera's pose."""
    width, height = frame.get("depth_resolution") or (256, 192)
    depth = np.fromfile(depth_path(session, frame), np.float32).reshape(height, width).copy()
    depth[~np.isfinite(depth)] = 0
    confidence = f"{session}/confidence/{frame['frame_index']:06d}.bin"
    is_sure = np.ones(depth.shape, bool)
    if os.path.exists(confidence):
        is_sure = np.fromfile(confidence, np.uint8).reshape(height, width) >= 1
    depth[~(is_sure & (depth > NEAREST) & (depth < FARTHEST) & passes_edge_filter(depth))] = 0
    k = frame["camera_intrinsics"]
    x, y = width / frame["camera_resolution"][0], height / frame["camera_resolution"][1]
    camera = (k[0] * x, k[4] * y, (k[6] + 0.5) * x - 0.5, (k[7] + 0.5) * y - 0.5)
    return depth, camera, np.array(frame["camera_transform"]).reshape(4, 4).T


def cloud(depth, camera, pose):
    fx, fy, cx, cy = camera
    row, column = np.nonzero(depth)
    metres = depth[row, column]
    points = np.stack([(column - cx) / fx * metres, -(row - cy) / fy * metres, -metres], axis=1)
    return points @ pose[:3, :3].T + pose[:3, 3]


def mesh_of_open3d(views):
    grid = o3d.t.geometry.VoxelBlockGrid(
        ("tsdf", "weight", "color"),
        (core.float32, core.float32, core.float32),
        ((1), (1), (3)),
        VOXEL,
        8,
        40_000,
        core.Device("CPU:0"),
    )
    for depth, (fx, fy, cx, cy), pose in views:
        intrinsic = tensor(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]]))
        # Open3D looks along +z with y down, the recording along -z with y up.
        extrinsic = tensor(np.linalg.inv(pose @ np.diag([1.0, -1, -1, 1])))
        image = o3d.t.geometry.Image(tensor(depth))
        colour = o3d.t.geometry.Image(tensor(np.zeros(depth.shape + (3,), np.float32)))
        limits = (1.0, FARTHEST, TRUNCATION_VOXELS)
        blocks = grid.compute_unique_block_coordinates(image, intrinsic, extrinsic, *limits)
        grid.integrate(blocks, image, colour, intrinsic, intrinsic, extrinsic, *limits)
    return grid.extract_triangle_mesh(0.5)


def our_mesh(binary, session, options, folder):
    path = f"{folder}/map.ply"
    words = [binary, "map", session, "-o", path, "--force", "--voxel-size", str(VOXEL), *options]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    mesh = o3d.io.read_triangle_mesh(path)
    # From the frame map (z up) back to the recording's axes (y up).
    x, y, z = np.asarray(mesh.vertices).T
    mesh.vertices = o3d.utility.Vector3dVector(np.stack([x, z, -y], axis=1))
    return o3d.t.geometry.TriangleMesh.from_legacy(mesh)


def distances(mesh, points):
    if len(points) == 0:
        return np.zeros(0)
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(mesh)
    return scene.compute_distance(tensor(points.astype(np.float32))).numpy()


def shares(mesh, clouds):
    """Of all points those within 3 cm, the same of the worst cloud of at least 100 points, those beyond 5 cm."""
    found = [distances(mesh, points) for points in clouds]
    every = np.concatenate(found)
    worst = min([np.mean(one < NEAR) for one in found if len(one) >= 100], default=1)
    return np.mean(every < NEAR), worst, np.mean(every > FAR)


def inside(points, box, margin=0.015):
    low, high = np.array(box["low"]) - margin, np.array(box["high"]) + margin
    return np.all((points > low) & (points < high), axis=1)


def to_surface(points, box):
    low, high = np.array(box["low"]), np.array(box["high"])
    beyond = np.maximum(low - points, points - high)
    return np.where(np.all(beyond < 0, axis=1), -beyond.max(axis=1), np.linalg.norm(np.maximum(beyond, 0), axis=1))


def judge_truth(session, mesh, frames, clouds):
    """What a sample's truth says of a mesh; the failures of it."""
    with open(f"{session}/truth.json") as file:
        truth = json.load(file)
    failures = []
    seen = {frame["frame_index"]: frame for frame in truth["frames"]}
    walkers = [
        points[np.any([inside(points, box) for box in seen[frame["frame_index"]]["walker"]], axis=0)]
        for frame, points in zip(frames, clouds)
        if "walker" in seen[frame["frame_index"]]
    ]
    if walkers:
        points = np.concatenate(walkers)
        share = np.mean(distances(mesh, points) < NEAR)
        print(f"  walker         {share:.2%} of {len(points)} points within 3 cm")
        failures += ["walker"] if share > MOST_OF_WALKER else []
    for box in truth["room"]["boxes"]:
        if box["name"] not in ("plate", "pole", "fabric"):
            continue
        points = np.concatenate([points[inside(points, box)] for points in clouds])
        share = np.mean(distances(mesh, points) < NEAR) if len(points) else 0
        print(f"  {box['name']:<14} {share:.2%} of {len(points)} points within 3 cm")
        failures += [box["name"]] if share < LEAST_NEAR else []
    corners = mesh.vertex.positions.numpy()
    things = truth["room"]["boxes"] + [truth["room"]]
    nearest = np.min(
        [to_surface(corners, box) for box in things]
        + [
            np.abs(np.linalg.norm(corners - ball["centre"], axis=1) - ball["radius"])
            for ball in truth["room"]["spheres"]
        ],
        axis=0,
    )
    print(f"  mesh           {np.mean(nearest > FAR):.2%} of its corners farther than 5 cm from everything that is there")
    return failures


def picture(mesh, centre, path):
    """The mesh from two sides, lit from the camera, without a window."""
    from PIL import Image

    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(mesh)
    sides = []
    for turn in (0.6, 0.6 + np.pi):
        eye = centre + 2.6 * np.array([np.sin(turn), 0.55, np.cos(turn)])
        rays = scene.create_rays_pinhole(50, centre, eye, [0, -1, 0], 640, 480)
        hit = scene.cast_rays(rays)
        light = np.abs(np.sum(hit["primitive_normals"].numpy() * rays.numpy()[..., 3:], axis=-1))
        sides.append(np.where(np.isfinite(hit["t_hit"].numpy()), 40 + 200 * light / light.max(), 0))
    Image.fromarray(np.concatenate(sides, axis=1).astype(np.uint8)).save(path)


def judge(binary, session, options, pictures):
    name = os.path.basename(os.path.normpath(session))
    with tempfile.TemporaryDirectory() as folder:
        layout = native(binary, session, folder)
        frames = frames_of(layout)
        views = [load(layout, frame) for frame in frames]
        clouds = [cloud(*view) for view in views]
        ours, theirs = our_mesh(binary, layout, options, folder), mesh_of_open3d(views)
    print(f"{name}: {len(frames)} frames, {sum(map(len, clouds))} points")
    results = {}
    for title, mesh in (("mapeverything", ours), ("Open3D", theirs)):
        near, worst, far = results[title] = shares(mesh, clouds)
        print(f"  {title:<14} {near:.2%} within 3 cm (worst cloud {worst:.2%}), {far:.3%} farther than 5 cm")
        if pictures:
            picture(mesh, np.median(np.concatenate(clouds), axis=0), f"{pictures}/{name}-{title}.png")
    failures = ["within 3 cm"] if results["mapeverything"][0] < LEAST_NEAR else []
    # The walker is not to be explained.
    has_truth = os.path.exists(f"{session}/truth.json")
    if not has_truth and results["mapeverything"][2] > results["Open3D"][2]:
        failures.append("farther than 5 cm")
    if has_truth:
        failures += judge_truth(session, ours, frames, clouds)
    print(f"  {'missed: ' + ', '.join(failures) if failures else 'passed'}")
    return failures


def main(words):
    pictures = words.pop(words.index("--picture") + 1) if "--picture" in words else None
    options = [] if "--own-frames" in words else ["--all-frames"]
    binary, *sessions = [word for word in words if not word.startswith("--")]
    o3d.utility.set_verbosity_level(o3d.utility.VerbosityLevel.Error)
    return max([1 if judge(binary, session, options, pictures) else 0 for session in sessions], default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
