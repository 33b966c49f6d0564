#!/usr/bin/env python3
"""How far refined poses of synthetic walks are from the truth: by evo, over seeds.

usage: judge_poses.py BINARY [--seeds N] [--walk NAME=SECONDS]... [--drift PERCENT|phone] [--jumps COUNT]

Prints a line of Markdown for each walk: the median and the range of the ATE before and after, in millimetres, and of their
ratio. The exit status is 1 if poses of any seed became worse by more than 2 %.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
from evo.core import metrics, trajectory

WALKS = {"loop": 34, "two-rooms": 75, "empty-room": 34, "wall": 40, "corridor": 25}


def trajectory_of(places, times):
    quaternions = numpy.tile([1.0, 0, 0, 0], (len(places), 1))
    return trajectory.PoseTrajectory3D(numpy.array(places), quaternions, numpy.array(times))


def error(places, truth, times):
    """The ATE after the best rotation and translation, in millimetres."""
    reference, estimate = trajectory_of(truth, times), trajectory_of(places, times)
    estimate.align(reference)
    ape = metrics.APE(metrics.PoseRelation.translation_part)
    ape.process_data((reference, estimate))
    return ape.get_statistic(metrics.StatisticsType.rmse) * 1000


def matrix_place(values):
    return values[12:15]


def judge(binary, walk, seconds, seed, options):
    with tempfile.TemporaryDirectory() as folder:
        session, poses = pathlib.Path(folder, "walk"), pathlib.Path(folder, "poses.txt")
        subprocess.run(
            [binary, "sample", "-q", "-o", session, "--walk", walk, "--duration", str(seconds), "--seed", str(seed), "--fps", "15",
             "--size", "64x48", "--imu-rate", "0", "--noise", "--drift", options.drift, "--jumps", str(options.jumps)],
            check=True,
        )
        out = subprocess.run([binary, "refine", session, "-o", poses, "--json"], check=True, capture_output=True, text=True)
        frames = json.loads((session / "truth.json").read_text())["frames"]
        truth = [matrix_place(frame["camera_transform"]) for frame in frames]
        lines = (session / "frames.jsonl").read_text().splitlines()
        recorded = [matrix_place(json.loads(line)["camera_transform"]) for line in lines]
        rows = [line.split() for line in poses.read_text().splitlines() if not line.startswith("#")]
        times = [float(row[0]) for row in rows]
        refined = [[float(value) for value in row[1:4]] for row in rows]
        return json.loads(out.stdout)["verdict"], error(recorded, truth, times), error(refined, truth, times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--walk", action="append", default=[])
    parser.add_argument("--drift", default="1")
    parser.add_argument("--jumps", type=int, default=0)
    options = parser.parse_args()
    walks = dict(walk.split("=") for walk in options.walk) or WALKS
    worst = 0.0
    for walk, seconds in walks.items():
        found = [judge(options.binary, walk, seconds, seed, options) for seed in range(1, options.seeds + 1)]
        before, after = [row[1] for row in found], [row[2] for row in found]
        ratios = [late / early for early, late in zip(before, after)]
        worst = max(worst, *ratios)

        def text(values, digits):
            return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"

        verdicts = ", ".join(sorted({row[0] for row in found}))
        print(f"| {walk} {seconds} s | {options.seeds} | {text(before, 0)} | {text(after, 0)} | {text(ratios, 2)} | {verdicts} |", flush=True)
    return 1 if worst > 1.02 else 0


if __name__ == "__main__":
    sys.exit(main())
