"""How well a map of the first half of a session explains the depth of the second half, beside Open3D's.

usage: judge_map.py BINARY SESSION...

Both fuse the same frames at 2 cm: `mapeverything map`, and Open3D's VoxelBlockGrid. The mesh is looked at from the
poses of the other frames: the differences between the distances that rays meet and the depth that was measured. Needs
numpy and open3d. Sessions are folders of the native layout.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import open3d as o3d

core, tensor = o3d.core, o3d.core.Tensor
NEAREST, FARTHEST, VOXEL, TRUNCATION_VOXELS = 0.1, 5.0, 0.02, 4.0


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


def load(session, frame):
    """Depth in metres (0 where it does not count), fx, fy, cx, cy of its grid, and the camera's pose."""
    width, height = frame.get("depth_resolution") or (256, 192)
    depth = np.fromfile(depth_path(session, frame), np.float32).reshape(height, width).copy()
    confidence = f"{session}/confidence/{frame['frame_index']:06d}.bin"
    is_sure = np.ones(depth.shape, bool)
    if os.path.exists(confidence):
        is_sure = np.fromfile(confidence, np.uint8).reshape(height, width) >= 1
    depth[~(is_sure & np.isfinite(depth) & (depth > NEAREST) & (depth < FARTHEST))] = 0
    k = frame["camera_intrinsics"]
    x, y = width / frame["camera_resolution"][0], height / frame["camera_resolution"][1]
    camera = (k[0] * x, k[4] * y, (k[6] + 0.5) * x - 0.5, (k[7] + 0.5) * y - 0.5)
    return depth, camera, np.array(frame["camera_transform"]).reshape(4, 4).T


def mesh_of_open3d(session, frames):
    grid = o3d.t.geometry.VoxelBlockGrid(
        ("tsdf", "weight", "color"),
        (core.float32, core.float32, core.float32),
        ((1), (1), (3)),
        VOXEL,
        8,
        40_000,
        core.Device("CPU:0"),
    )
    for frame in frames:
        depth, (fx, fy, cx, cy), pose = load(session, frame)
        intrinsic = tensor(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]]))
        # Open3D looks along +z with y down, the recording along -z with y up.
        extrinsic = tensor(np.linalg.inv(pose @ np.diag([1.0, -1, -1, 1])))
        image = o3d.t.geometry.Image(tensor(depth))
        colour = o3d.t.geometry.Image(tensor(np.zeros(depth.shape + (3,), np.float32)))
        limits = (1.0, FARTHEST, TRUNCATION_VOXELS)
        blocks = grid.compute_unique_block_coordinates(image, intrinsic, extrinsic, *limits)
        grid.integrate(blocks, image, colour, intrinsic, intrinsic, extrinsic, *limits)
    return grid.extract_triangle_mesh(0.5)


def our_mesh(binary, session, frames):
    seconds = frames[-1]["timestamp"] - frames[0]["timestamp"] + 1e-4
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/map.ply"
        words = [binary, "map", session, "-o", path, "--every", "--duration", str(seconds), "--voxel-size", str(VOXEL)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        mesh = o3d.io.read_triangle_mesh(path)
    # From the frame map (z up) back to the recording's axes (y up).
    x, y, z = np.asarray(mesh.vertices).T
    mesh.vertices = o3d.utility.Vector3dVector(np.stack([x, z, -y], axis=1))
    return o3d.t.geometry.TriangleMesh.from_legacy(mesh)


def differences(mesh, session, frames):
    """Median and 90 % of the differences in millimetres, and the share of pixels that meet the mesh."""
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(mesh)
    found, measured = [], 0
    for frame in frames:
        depth, (fx, fy, cx, cy), pose = load(session, frame)
        column, row = np.meshgrid(np.arange(depth.shape[1]), np.arange(depth.shape[0]))
        directions = np.stack([(column - cx) / fx, -(row - cy) / fy, -np.ones(depth.shape)], axis=-1) @ pose[:3, :3].T
        rays = np.concatenate([np.broadcast_to(pose[:3, 3], directions.shape), directions], axis=-1)
        met = scene.cast_rays(tensor(rays.astype(np.float32)))["t_hit"].numpy()
        measured += np.count_nonzero(depth)
        found.append(np.abs(met - depth)[(depth > 0) & np.isfinite(met)])
    found = np.concatenate(found)
    return f"{1e3 * np.median(found):.1f} mm, 90 % {1e3 * np.percentile(found, 90):.1f} mm, {len(found) / measured:.1%} met"


def main(binary, sessions):
    o3d.utility.set_verbosity_level(o3d.utility.VerbosityLevel.Error)
    for session in sessions:
        frames = frames_of(session)
        first, second = frames[: len(frames) // 2], frames[len(frames) // 2 :]
        print(f"{os.path.basename(os.path.normpath(session))}: {len(first)} frames fused, {len(second)} looked at")
        print(f"  mapeverything  median {differences(our_mesh(binary, session, first), session, second)}")
        print(f"  Open3D         median {differences(mesh_of_open3d(session, first), session, second)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
