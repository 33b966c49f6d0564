#!/usr/bin/env python3
"""Reads a GeoTIFF of heights by Pillow, and prints its tags and its heights as JSON.

read_height_map.py FILE.tif: heights are row by row from the top, null where there is none.
"""
import json
import math
import sys

from PIL import Image

NAMES = {270: "description", 33550: "scale", 33922: "tie", 34735: "keys", 34737: "text", 42113: "nodata"}


def main():
    image = Image.open(sys.argv[1])
    values = list(image.get_flattened_data() if hasattr(image, "get_flattened_data") else image.getdata())
    found = {name: image.tag_v2.get(tag) for tag, name in NAMES.items()}
    found |= {"mode": image.mode, "width": image.width, "height": image.height}
    found["heights"] = [None if math.isnan(value) else value for value in values]
    print(json.dumps(found))


main()
