#!/usr/bin/env python3
"""Prints the lines and regions that tests ran, by library and in all, as a table in Markdown.

usage: llvm-cov export --summary-only ... | summarise_coverage.py SOURCES

SOURCES is the folder of the libraries: a library is its second level, as in Sources/Base/Files; the command has one.
Libraries of which no line ran are those of tests that were not chosen: they are left out.
"""

import collections
import json
import pathlib
import sys


def share(covered, count):
    return f"{100 * covered / count:.1f} %" if count else "-"


def main(sources):
    libraries = collections.defaultdict(collections.Counter)
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if not path.is_relative_to(sources):
            continue
        parts = path.relative_to(sources).parts
        name = parts[0] if parts[0] == "mapeverything" else "/".join(parts[:2])
        for kind in ["lines", "regions"]:
            for key in ["count", "covered"]:
                libraries[name][f"{kind} {key}"] += file["summary"][kind][key]
    libraries = {name: sums for name, sums in libraries.items() if sums["lines covered"]}
    total = sum(libraries.values(), collections.Counter())
    print("| library | lines | covered | branches | covered |")
    print("|---|---:|---:|---:|---:|")
    for name, sums in [*sorted(libraries.items()), ("all", total)]:
        cells = [name]
        for kind in ["lines", "regions"]:
            cells += [f"{sums[f'{kind} count']:,}", share(sums[f"{kind} covered"], sums[f"{kind} count"])]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
