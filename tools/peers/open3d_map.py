"""Fuses the frames that `bench map` wrote with Open3D's VoxelBlockGrid, on one thread.

usage: open3d_map.py FRAMES VOXEL_METRES NAME

Prints for each stage a name, the median, the minimum, the number of measurements and a note.
"""

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import open3d as o3d

path, voxel, name = sys.argv[1], float(sys.argv[2]), sys.argv[3]
core, tensor = o3d.core, o3d.core.Tensor
device = core.Device("CPU:0")


def read(path):
    with open(path, "rb") as file:
        while head := file.read(22 * 8):
            numbers = np.frombuffer(head, np.float64)
            width, height = int(numbers[0]), int(numbers[1])
            depth = np.frombuffer(file.read(4 * width * height), np.float32).reshape(height, width)
            colour = np.frombuffer(file.read(12 * width * height), np.float32).reshape(height, width, 3)
            intrinsic = np.array([[numbers[2], 0, numbers[4]], [0, numbers[3], numbers[5]], [0, 0, 1.0]])
            # Open3D looks along +z with y down, the recording along -z with y up.
            pose = numbers[6:].reshape(4, 4) @ np.diag([1.0, -1, -1, 1])
            yield (
                o3d.t.geometry.Image(tensor(depth.copy())),
                o3d.t.geometry.Image(tensor(colour.copy())),
                tensor(intrinsic),
                tensor(np.linalg.inv(pose)),
            )


frames = list(read(path))
grid = o3d.t.geometry.VoxelBlockGrid(
    ("tsdf", "weight", "color"),
    (core.float32, core.float32, core.float32),
    ((1), (1), (3)),
    voxel,
    8,
    40_000,
    device,
)
start = time.perf_counter()
for depth, colour, intrinsic, extrinsic in frames:
    blocks = grid.compute_unique_block_coordinates(depth, intrinsic, extrinsic, 1.0, 5.0, 4.0)
    grid.integrate(blocks, depth, colour, intrinsic, intrinsic, extrinsic, 1.0, 5.0, 4.0)
fused = time.perf_counter()
mesh = grid.extract_triangle_mesh(0.5)
done = time.perf_counter()
fusion = 1e3 * (fused - start) / len(frames)
extraction = 1e3 * (done - fused)
print(f"o3d_{name}_fusion {fusion:.4f} {fusion:.4f} 1 frames={len(frames)}")
print(f"o3d_{name}_extraction {extraction:.4f} {extraction:.4f} 1 triangles={len(mesh.triangle.indices)}")
