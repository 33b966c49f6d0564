#!/usr/bin/env python3
"""Prints the lines and regions that tests ran, by library and in all, as a table in Markdown, and whether goals are met.

usage: llvm-cov export --summary-only ... | summarise_coverage.py SOURCES [--whole]
       summarise_coverage.py SOURCES --uncovered LCOV [FOLDER...]

SOURCES is the folder of the libraries: a library is its second level, as in Sources/Base/Files; the command has one.
Libraries of which no line ran are those of tests that were not chosen: they are left out. --whole says that all tests
ran: then all goals count, and the exit status is 1 where one is not met. Without it goals are judged by the tests that
ran, and none of all libraries together.

--uncovered prints the lines that no test ran, one range a line as path:first-last with the source of the first one,
below each FOLDER of SOURCES or everywhere, and how many of how many lines that are. LCOV is the file of
llvm-cov export --format=lcov.
"""

import collections
import json
import pathlib
import sys

# The shares of lines that tests have to run, in percent, by folder of Sources; "" is all of it.
GOALS = {
    "": 92,
    "ROS/Bags": 95,
    "ROS/Bags/Containers": 95,
    "Network/WebSocket": 95,
    "Network/Rosbridge": 95,
    "Capture/Sessions/Frames": 95,
}


def share(covered: int, count: int) -> str:
    return f"{100 * covered / count:.1f} %" if count else "-"


def is_below(path: pathlib.PurePath, folder: str) -> bool:
    return path.is_relative_to(folder) if folder else True


def sums_of(files: dict[pathlib.PurePath, dict], folder: str) -> collections.Counter:
    sums: collections.Counter = collections.Counter()
    for path, summary in files.items():
        if is_below(path, folder):
            for kind in ["lines", "regions"]:
                for key in ["count", "covered"]:
                    sums[f"{kind} {key}"] += summary[kind][key]
    return sums


def print_table(files: dict[pathlib.PurePath, dict]) -> None:
    """Files are by their path below Sources."""
    names = {path.parts[0] if path.parts[0] == "mapeverything" else "/".join(path.parts[:2]) for path in files}
    print("| library | lines | covered | branches | covered |")
    print("|---|---:|---:|---:|---:|")
    for name in [*sorted(names), ""]:
        sums = sums_of(files, name)
        cells = [name or "all"]
        for kind in ["lines", "regions"]:
            cells += [f"{sums[f'{kind} count']:,}", share(sums[f"{kind} covered"], sums[f"{kind} count"])]
        print("| " + " | ".join(cells) + " |")


def judge(files: dict[pathlib.PurePath, dict], is_whole: bool) -> bool:
    """Prints each goal with what became of it; true if all are met."""
    are_met = True
    print("\n| goal | lines | of at least | |\n|---|---:|---:|---|")
    for folder, goal in GOALS.items():
        sums = sums_of(files, folder)
        if not sums["lines covered"] or (not folder and not is_whole):
            continue
        missing = -(-sums["lines count"] * goal // 100) - sums["lines covered"]
        are_met = are_met and missing <= 0
        verdict = "met" if missing <= 0 else f"{missing} lines are missing"
        cells = [folder or "all", share(sums["lines covered"], sums["lines count"]), f"{goal} %", verdict]
        print("| " + " | ".join(cells) + " |")
    return are_met


def print_uncovered(sources: pathlib.Path, lcov: str, folders: list[str]) -> None:
    uncovered: dict[pathlib.Path, list[int]] = {}
    count = 0
    with open(lcov, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.rstrip().partition(":")
            if key == "SF":
                path = pathlib.Path(value)
                below = path.relative_to(sources) if path.is_relative_to(sources) else None
                is_wanted = below is not None and any(is_below(below, folder) for folder in folders or [""])
            elif key == "DA" and is_wanted:
                number, runs = map(int, value.split(",")[:2])
                count += 1
                if not runs:
                    uncovered.setdefault(path, []).append(number)
    for path in sorted(uncovered):
        text = path.read_text(encoding="utf-8").splitlines()
        for first, last in ranges(uncovered[path]):
            place = f"{first}-{last}" if last > first else f"{first}"
            print(f"{path.relative_to(sources)}:{place}: {text[first - 1].strip()}")
    total = sum(map(len, uncovered.values()))
    print(f"{total} of {count} lines were not run ({share(total, count)})")


def ranges(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def main(arguments: list[str]) -> int:
    sources = pathlib.Path(arguments[0])
    if "--uncovered" in arguments:
        folders = [folder.removeprefix("Sources/").rstrip("/") for folder in arguments[3:]]
        print_uncovered(sources, arguments[2], folders)
        return 0
    is_whole = "--whole" in arguments
    files = {}
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if path.is_relative_to(sources):
            files[path.relative_to(sources)] = file["summary"]
    # Those of tests that were not chosen.
    ran = {path.parts[:2] for path, summary in files.items() if summary["lines"]["covered"]}
    files = {path: summary for path, summary in files.items() if is_whole or path.parts[:2] in ran}
    print_table(files)
    return 0 if judge(files, is_whole) or not is_whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
