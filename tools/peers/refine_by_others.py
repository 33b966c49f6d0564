#!/usr/bin/env python3
"""Refined poses as others make them: submaps, small_gicp and a pose graph of gtsam or of Open3D, in Python.

usage: refine_by_others.py SESSION [--graph gtsam|open3d] [--binary BINARY]

Takes a synthetic session of our own layout (sample --walk), and prints the ATE before and after and the processor time as JSON; with
--binary those of `refine` beside it. Needs `pip install small_gicp gtsam open3d numpy` beside what requirements.txt has.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import small_gicp

GATES = {"apart": 3, "metres": 1.2, "degrees": 50}
ROUNDS = (0.3, 0.15, 0.1)
# Turns in radians, then places in metres.
LOOP_SIGMAS = numpy.array([numpy.radians(0.25)] * 3 + [0.008] * 3)


def load(session):
    frames = [json.loads(line) for line in (session / "frames.jsonl").read_text().splitlines()]
    poses = [numpy.array(frame["camera_transform"]).reshape(4, 4).T for frame in frames]
    truth = json.loads((session / "truth.json").read_text())["frames"]
    return frames, poses, [numpy.array(frame["camera_transform"]).reshape(4, 4).T[:3, 3] for frame in truth]


def points_of(session, frame, number):
    depth = numpy.fromfile(session / "depth" / f"{number:06d}.bin", numpy.float32).reshape(192, 256)[::3, ::3]
    k = frame["camera_intrinsics"]
    matrix = numpy.array(k, dtype=float).reshape(3, 3).T
    scale = 256 / 64
    fx, fy = matrix[0, 0] * scale, matrix[1, 1] * scale
    cx, cy = (matrix[0, 2] + 0.5) * scale - 0.5, (matrix[1, 2] + 0.5) * scale - 0.5
    v, u = numpy.mgrid[0:192:3, 0:256:3]
    valid = numpy.isfinite(depth) & (depth > 0.1) & (depth < 5)
    z = depth[valid]
    return numpy.stack([(u[valid] - cx) / fx * z, (cy - v[valid]) / fy * z, -z], axis=1)


def ate(found, truth):
    a, b = numpy.array(found), numpy.array(truth)
    ma, mb = a.mean(0), b.mean(0)
    u, _, vt = numpy.linalg.svd((b - mb).T @ (a - ma))
    turn = u @ numpy.diag([1, 1, numpy.sign(numpy.linalg.det(u @ vt))]) @ vt
    return float(numpy.sqrt((((a - ma) @ turn.T - (b - mb)) ** 2).sum(1).mean()) * 1000)


def solve_by_gtsam(current, steps, loops):
    import gtsam

    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    graph.add(gtsam.PriorFactorPose3(0, gtsam.Pose3(current[0]), gtsam.noiseModel.Diagonal.Sigmas(numpy.full(6, 1e-6))))
    for index, pose in enumerate(current):
        values.insert(index, gtsam.Pose3(pose))
    for index, (step, sigmas) in enumerate(steps):
        graph.add(gtsam.BetweenFactorPose3(index, index + 1, gtsam.Pose3(step), gtsam.noiseModel.Diagonal.Sigmas(sigmas)))
    robust = gtsam.noiseModel.Robust.Create(
        gtsam.noiseModel.mEstimator.Cauchy.Create(1.0), gtsam.noiseModel.Diagonal.Sigmas(LOOP_SIGMAS)
    )
    for i, j, measured in loops:
        graph.add(gtsam.BetweenFactorPose3(i, j, gtsam.Pose3(measured), robust))
    result = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
    return [result.atPose3(index).matrix() for index in range(len(current))]


def solve_by_open3d(current, steps, loops):
    import open3d

    registration = open3d.pipelines.registration
    graph = registration.PoseGraph()
    graph.nodes.extend(registration.PoseGraphNode(pose) for pose in current)

    def edge(i, j, measured, sigmas, uncertain):
        # An edge leads from its source to its target: measured is i from j.
        return registration.PoseGraphEdge(j, i, measured, numpy.diag(1 / numpy.square(sigmas)), uncertain)

    graph.edges.extend(edge(index, index + 1, step, sigmas, False) for index, (step, sigmas) in enumerate(steps))
    graph.edges.extend(edge(i, j, measured, LOOP_SIGMAS, True) for i, j, measured in loops)
    registration.global_optimization(
        graph,
        registration.GlobalOptimizationLevenbergMarquardt(),
        registration.GlobalOptimizationConvergenceCriteria(),
        registration.GlobalOptimizationOption(
            max_correspondence_distance=0.1, edge_prune_threshold=0.25, preference_loop_closure=1.0, reference_node=0
        ),
    )
    return [numpy.array(node.pose) for node in graph.nodes]


def refine(session, frames, poses, solve):
    rate = len(frames) / (float(frames[-1]["timestamp"]) - float(frames[0]["timestamp"]))
    keys = [index for index in range(len(frames)) if index % max(1, round(rate / 5.5)) == 0]
    groups = [keys[start:start + 8] for start in range(0, len(keys), 8)]
    anchors = [group[len(group) // 2] for group in groups]
    clouds = []
    for group, anchor in zip(groups, anchors):
        parts = []
        for index in group:
            step = numpy.linalg.inv(poses[anchor]) @ poses[index]
            parts.append(points_of(session, frames[index], frames[index]["frame_index"]) @ step[:3, :3].T + step[:3, 3])
        clouds.append(small_gicp.preprocess_points(numpy.concatenate(parts), downsampling_resolution=0.05, num_threads=1))
    current = [poses[anchor].copy() for anchor in anchors]
    recorded = [pose.copy() for pose in current]
    steps = []
    for before, after in zip(recorded, recorded[1:]):
        step = numpy.linalg.inv(before) @ after
        metres = max(0.2, float(numpy.linalg.norm(step[:3, 3])))
        steps.append((step, numpy.array([numpy.radians(0.7)] * 3 + [0.02 * metres] * 3)))
    for distance in ROUNDS:
        loops = []
        for j in range(len(anchors)):
            for i in range(j - GATES["apart"] + 1):
                start = numpy.linalg.inv(current[i]) @ current[j]
                angle = numpy.degrees(numpy.arccos(numpy.clip(start[2, 2], -1, 1)))
                if numpy.linalg.norm(start[:3, 3]) > GATES["metres"] or angle > GATES["degrees"]:
                    continue
                (target, tree), (source, _) = clouds[i], clouds[j]
                found = small_gicp.align(
                    target, source, tree, init_T_target_source=start, max_correspondence_distance=distance, num_threads=1
                )
                values_of_block = numpy.linalg.eigvalsh(found.H[3:, 3:])
                if found.num_inliers < 0.45 * source.size() or values_of_block[0] < 0.02 * values_of_block[-1]:
                    continue
                loops.append((i, j, found.T_target_source))
        current = solve(current, steps, loops)
    corrections = [now @ numpy.linalg.inv(then) for now, then in zip(current, recorded)]
    places = []
    for index, pose in enumerate(poses):
        place = int(numpy.searchsorted(anchors, index))
        low, high = max(0, place - 1), min(place, len(anchors) - 1)
        share = 0 if anchors[high] == anchors[low] else numpy.clip((index - anchors[low]) / (anchors[high] - anchors[low]), 0, 1)
        moved = [(corrections[side] @ pose)[:3, 3] for side in (low, high)]
        places.append(moved[0] * (1 - share) + moved[1] * share)
    return places


def processor_seconds(who=resource.RUSAGE_SELF):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("session", type=pathlib.Path)
    parser.add_argument("--binary")
    parser.add_argument("--graph", choices=("gtsam", "open3d"), default="gtsam")
    options = parser.parse_args()
    frames, poses, truth = load(options.session)
    solve = {"gtsam": solve_by_gtsam, "open3d": solve_by_open3d}[options.graph]
    begun, clock = processor_seconds(), time.monotonic()
    places = refine(options.session, frames, poses, solve)
    report = {
        "seconds_of_walk": float(frames[-1]["timestamp"]) - float(frames[0]["timestamp"]),
        "recorded_mm": ate([pose[:3, 3] for pose in poses], truth),
        "peer": {"mm": ate(places, truth), "processor_s": processor_seconds() - begun, "clock_s": time.monotonic() - clock},
    }
    if options.binary:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "poses.txt")
            begun, clock = processor_seconds(resource.RUSAGE_CHILDREN), time.monotonic()
            subprocess.run([options.binary, "refine", "-q", options.session, "-o", out], check=True)
            spent, elapsed = processor_seconds(resource.RUSAGE_CHILDREN) - begun, time.monotonic() - clock
            rows = [line.split() for line in out.read_text().splitlines() if not line.startswith("#")]
            ours = [[float(value) for value in row[1:4]] for row in rows]
            report["refine"] = {"mm": ate(ours, truth), "processor_s": spent, "clock_s": elapsed}
    print(json.dumps(report))


if __name__ == "__main__":
    sys.exit(main())
