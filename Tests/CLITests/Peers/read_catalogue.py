"""Reads the three forms of a catalogue and its page, and compares them with one another, the results and the recordings.

usage: read_catalogue.py RESULTS RECORDINGS
"""

import csv
import hashlib
import html.parser
import json
import math
import pathlib
import sys
import urllib.parse

import PIL.Image
import pyarrow.parquet


def main() -> None:
    results, recordings = (pathlib.Path(argument) for argument in sys.argv[1:])
    rows = [json.loads(line) for line in (results / "catalogue.jsonl").read_text().splitlines()]
    table = pyarrow.parquet.read_table(results / "catalogue.parquet").to_pylist()
    with open(results / "catalogue.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(rows) == len(table) == len(lines), (len(rows), len(table), len(lines))
    for row, record, line in zip(rows, table, lines):
        assert list(row) == list(record) == list(line)
        for name, value in row.items():
            other = record[name]
            if value is None:
                assert math.isnan(other) and line[name] == "nan", name
            else:
                assert value == other and type(value)(line[name]) == value, (name, value, other, line[name])
    for row in rows:
        recording = recordings / row["name"]
        frames = [json.loads(line) for line in (recording / "frames.jsonl").read_text().splitlines()]
        assert row["frames"] == len(frames)
        assert abs(row["duration_s"] - (frames[-1]["timestamp"] - frames[0]["timestamp"])) < 0.001
        for axis in range(3):
            places = [frame["camera_transform"][12 + axis] for frame in frames]
            assert abs(row[f"extent_{'xyz'[axis]}_m"] - (max(places) - min(places))) < 0.001
        fixes = [json.loads(line) for line in (recording / "gps.jsonl").read_text().splitlines()]
        assert row["gps_fixes"] > 0
        for side, (name, choose) in {
            "west": ("longitude", min), "south": ("latitude", min), "east": ("longitude", max), "north": ("latitude", max)
        }.items():
            assert row[f"gps_{side}"] == choose(fix[name] for fix in fixes[: row["gps_fixes"]]), side
        folder = results / row["folder"]
        files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        del files["_SUCCESS.json"]
        hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        assert json.loads(row["files"]) == hashes
        assert row["output_files"] == len(files)
        assert row["output_bytes"] == sum(path.stat().st_size for path in files.values())
        counts = json.loads(row["topic_counts"])
        assert sum(counts.values()) == row["messages"] and len(counts) == row["topics"] > 3
    judge_page(results, rows)
    print(f"{len(rows)} rows")


class Rows(html.parser.HTMLParser):
    """The rows of the page's table: text of the cells, and what the first one leads to and shows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.is_cell = [], False

    def handle_starttag(self, tag, attributes) -> None:
        attributes = dict(attributes)
        if tag == "tr":
            self.rows.append({"cells": [], "link": None, "picture": None})
        elif tag in ("th", "td"):
            self.is_cell = True
            self.rows[-1]["cells"].append("")
        elif tag == "a" and self.is_cell:
            self.rows[-1]["link"] = attributes["href"]
        elif tag == "img" and self.is_cell:
            self.rows[-1]["picture"] = attributes["src"]

    def handle_endtag(self, tag) -> None:
        if tag in ("th", "td"):
            self.is_cell = False

    def handle_data(self, data) -> None:
        if self.is_cell:
            self.rows[-1]["cells"][-1] += data


def judge_page(results: pathlib.Path, rows: list) -> None:
    page = Rows()
    page.feed((results / "index.html").read_text())
    assert len(page.rows) == len(rows) + 1, len(page.rows)
    for shown, row in zip(page.rows[1:], rows):
        name, product, verdict, errors, warnings = shown["cells"][:5]
        assert (name, product, verdict) == (row["name"], row["to"], row["verdict"]), shown
        assert (int(errors), int(warnings)) == (row["errors"], row["warnings"]), shown
        places = {key: results / urllib.parse.unquote(urllib.parse.urlsplit(shown[key]).path) for key in ("link", "picture")}
        assert places["link"].resolve().is_relative_to((results / row["folder"]).resolve()) and places["link"].exists()
        image = PIL.Image.open(places["picture"])
        image.load()
        assert image.format == "JPEG" and max(image.size) <= 240 and len(set(image.getdata())) > 50, image


main()
