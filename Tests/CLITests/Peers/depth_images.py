#!/usr/bin/env python3
"""Exact depth of a sample (sample --truth-depth) as images, and as a judge.

usage: depth_images.py code SESSION
       depth_images.py judge SESSION EXPORT

code writes inverse depth, bent by a smooth monotone curve, into red and green of each image, for the model `coded` of
make_depth_models.py. judge compares the depth images of an export (nerfstudio, millimetres) with the truth, and prints JSON: errors in
metres by pixel within 5 m, without and with what is near a step of depth.
"""

import json
import pathlib
import sys

import numpy
from PIL import Image

LOW, HIGH = 0.1, 2.5


def truths(session):
    frames = [json.loads(line) for line in (session / "frames.jsonl").read_text().splitlines()]
    for frame in frames:
        number = frame["frame_index"]
        depth = numpy.fromfile(session / "truth_depth" / f"{number:06d}.bin", numpy.float32)
        with Image.open(session / "rgb" / f"{number:06d}.jpg") as image:
            width, height = image.size
        yield number, depth.reshape(height, width)


def code(session):
    for number, depth in truths(session):
        bent = ((1 / depth) ** 0.8 - LOW**0.8) / (HIGH**0.8 - LOW**0.8)
        value = numpy.round(numpy.clip(bent, 0, 1) * 65535).astype(numpy.uint16)
        pixels = numpy.stack([value >> 8, value & 255, numpy.zeros_like(value)], axis=2).astype(numpy.uint8)
        Image.fromarray(pixels).save(session / "rgb" / f"{number:06d}.jpg", format="PNG", compress_level=1)


def resized(depth, shape):
    """The mean over the pixels that each one covers, of inverse depth."""
    rows, columns = depth.shape[0] // shape[0], depth.shape[1] // shape[1]
    cut = (1 / depth)[: rows * shape[0], : columns * shape[1]]
    return 1 / cut.reshape(shape[0], rows, shape[1], columns).mean(axis=(1, 3))


def near_steps(depth, reach):
    step = numpy.zeros(depth.shape, bool)
    for axis in (0, 1):
        jump = numpy.abs(numpy.diff(depth, axis=axis)) > 0.05
        first = [slice(None)] * 2
        first[axis] = slice(0, -1)
        step[tuple(first)] |= jump
    padded = numpy.pad(step, reach)
    return numpy.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1)).any(axis=(2, 3))


def judge(session, export):
    found, expected, edges = [], [], []
    for number, depth in truths(session):
        metres = numpy.array(Image.open(export / "depth" / f"{number:06d}.png")).astype(float) / 1000
        truth = resized(depth, metres.shape) if metres.shape != depth.shape else depth
        found.append(metres)
        expected.append(truth)
        edges.append(near_steps(truth, 5))
    found, expected, edges = numpy.array(found), numpy.array(expected), numpy.array(edges)
    usable = (found > 0) & (expected < 5)
    inner = usable & ~edges
    error = found - expected

    def rms(mask):
        return float(numpy.sqrt((error[mask] ** 2).mean()))

    print(
        json.dumps(
            {
                "rmse_m": rms(inner),
                "rmse_with_edges_m": rms(usable),
                "mean_depth_m": float(expected[inner].mean()),
                "share": float(usable.mean()),
                "images": len(found),
            }
        )
    )


def main():
    command, session, *rest = sys.argv[1:]
    if command == "code":
        code(pathlib.Path(session))
    else:
        judge(pathlib.Path(session), pathlib.Path(rest[0]))


if __name__ == "__main__":
    main()
