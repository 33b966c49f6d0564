#!/usr/bin/env python3
"""Reads a map as nav2's map_server does (map_io.cpp of nav2_map_server), and prints it as JSON.

read_nav2_map.py FILE.yaml: width, height, resolution, origin, and the cells of the OccupancyGrid, from the lower left.
"""
import json
import os
import sys

import yaml
from PIL import Image


def cell(pixel, mode, negate, occupied_thresh, free_thresh):
    """One number of the grid, from the channels of a pixel and its alpha."""
    channels, alpha = list(pixel[:-1]), pixel[-1]
    if mode == "trinary" and alpha != 255:
        # To preserve existing behaviour, the alpha channel counts as one more colour.
        channels.append(255 - alpha)
    shade = sum(channels) / len(channels) / 255
    occupied = shade if negate else 1 - shade
    if mode == "trinary":
        return 100 if occupied_thresh < occupied else 0 if occupied < free_thresh else -1
    if mode == "scale":
        if alpha != 255:
            return -1
        if occupied_thresh < occupied:
            return 100
        if occupied < free_thresh:
            return 0
        return round((occupied - free_thresh) / (occupied_thresh - free_thresh) * 100)
    if mode == "raw":
        value = round(shade * 255)
        return value if 0 <= value <= 100 else -1
    raise SystemExit(f"mode: expected trinary, scale or raw, found {mode}")


def main():
    path = sys.argv[1]
    with open(path) as file:
        parameters = yaml.safe_load(file)
    image = Image.open(os.path.join(os.path.dirname(path), parameters["image"])).convert("RGBA")
    mode = parameters.get("mode", "trinary")
    negate = parameters["negate"]
    thresholds = parameters["occupied_thresh"], parameters["free_thresh"]
    width, height = image.size
    pixels = image.load()
    cells = [
        cell(pixels[x, height - 1 - y], mode, negate, *thresholds) for y in range(height) for x in range(width)
    ]
    print(json.dumps({
        "width": width, "height": height, "resolution": parameters["resolution"], "origin": parameters["origin"],
        "mode": mode, "cells": cells,
    }))


main()
