"""Changes one operator or constant at a time, and asks the tests: see README.md."""

import argparse
import concurrent.futures
import hashlib
import json
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from building import Tree
from files import FILES, File
from running import Runner, Test, Verdict, note
from sites import Site

HERE = Path(__file__).resolve().parent
FOUND = ("test", "crash", "time")
COLUMNS = ("changed", "found", "test", "crash", "time", "not reached", "survived", "reason")


@dataclass(frozen=True)
class Reason:
    """Why no test can find a mutant: the file, the text of its line, what is changed, and which of several there."""

    file: str
    line: str
    change: str
    why: str

    def covers(self, site: Site, line: str) -> bool:
        changes = self.change.split(", ")
        return site.file == self.file and line.strip() == self.line and ("*" in changes or change(site) in changes)


def change(site: Site) -> str:
    return f"{site.text} → {site.other or 'nothing'}"


def reasons() -> list[Reason]:
    found = []
    for number, line in enumerate((HERE / "reasons.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = line.split(" :: ")
        if len(parts) != 4:
            sys.exit(f"mutate: reasons.txt:{number}: expected FILE :: LINE :: CHANGE :: WHY")
        found.append(Reason(*parts))
    return found


def identity(site: Site) -> str:
    """What stays the same while the file does."""
    return f"{site} at {site.start}"


def chosen(
    tree: Tree, asked: list[File], arguments: argparse.Namespace, last: dict
) -> list[tuple[File, list[Site]]]:
    plan = []
    for file in asked:
        found = tree.active(file)
        if arguments.only:
            found = [site for site in found if site.number in arguments.only]
        elif arguments.survivors:
            missed = {entry["site"] for entry in last.get("results", []) if entry["how"] in ("survived", "not reached")}
            found = [site for site in found if identity(site) in missed]
        elif arguments.sample and arguments.sample < len(found):
            chance = random.Random(f"{arguments.seed}:{file.name}")
            found = sorted(chance.sample(found, arguments.sample), key=lambda site: site.number)
        if found:
            plan.append((file, found))
    return plan


def row(name: str, values: list) -> str:
    return f"{name:24}" + "".join(f"{value:>12}" for value in values)


def share(found: int, tried: int) -> str:
    return f"{100 * found / tried:.1f} %" if tried else "-"


class Report:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.known = reasons()
        self.results: list[tuple[File, Site, Verdict, str]] = []
        self.lines = {file.path: tree.texts[file.path].split("\n") for file in FILES}

    def add(self, file: File, site: Site, verdict: Verdict) -> None:
        line = self.lines[file.path][site.line - 1]
        why = next((reason.why for reason in self.known if reason.covers(site, line)), "")
        self.results.append((file, site, verdict, why if verdict.how not in FOUND else ""))
        if verdict.how not in FOUND:
            note(f"  {verdict.how}{f' ({why})' if why else ''}: #{site.number} {site}\n      {line.strip()}")

    def counts(self, file: File | None) -> dict[str, int]:
        counts = dict.fromkeys(COLUMNS, 0)
        for path, _, verdict, why in self.results:
            if file and path != file:
                continue
            counts["changed"] += 1
            counts["reason" if why else verdict.how] += 1
            counts["found"] += verdict.how in FOUND
        return counts

    def text(self, plan: list[tuple[File, list[Site]]], heading: str) -> str:
        parts = [heading, row("file", ["sites", "not tried", *COLUMNS, "share"])]
        totals = [0, 0]
        for file, _ in plan:
            counts = self.counts(file)
            sites = len(self.tree.by_file[file.path])
            skipped = sites - len(self.tree.active(file))
            totals = [totals[0] + sites, totals[1] + skipped]
            tried = counts["changed"] - counts["reason"]
            parts.append(row(file.name, [sites, skipped, *counts.values(), share(counts["found"], tried)]))
        counts = self.counts(None)
        tried = counts["changed"] - counts["reason"]
        parts.append(row("all", [*totals, *counts.values(), share(counts["found"], tried)]))
        for title, wanted in (("survived", ""), ("with a reason", "why")):
            missed = [entry for entry in self.results if entry[2].how not in FOUND and bool(entry[3]) == bool(wanted)]
            if missed:
                parts.append(f"\n{title}:")
            for file, site, verdict, why in missed:
                remark = f" ({why})" if why else " (not reached)" if verdict.how == "not reached" else ""
                parts.append(f"#{site.number} {site}{remark}\n      {self.lines[file.path][site.line - 1].strip()}")
        return "\n".join(parts) + "\n"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/mutate/run", description=__doc__,
        epilog="The files and their tests stand in files.py, mutants that no test can find in reasons.txt.",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="N sites of each file by chance; without: all")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of that choice (1)")
    parser.add_argument("--file", action="append", metavar="NAME", help="only files whose path has this in it")
    parser.add_argument("--only", type=int, action="append", metavar="ID", help="this site, and what its tests say")
    parser.add_argument("--survivors", action="store_true", help="those that the last run did not find")
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2), help="processes at a time (1)")
    parser.add_argument("--list", action="store_true", help="the sites and their numbers; nothing is built")
    parser.add_argument("--left-alone", action="store_true", help="the sites that do not compile with a switch")
    parser.add_argument("--folder", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def tests_of(plan: list[tuple[File, list[Site]]], runner: Runner, tree: Tree) -> dict[tuple[str, ...], list[Test]]:
    """The tests of each library with what they reach, asked again when a file or what is left alone in it changes."""
    found: dict[tuple[str, ...], list[Test]] = {}
    for file, _ in plan:
        if file.tests not in found:
            names = runner.names(file.tests)
            if not names:
                sys.exit(f"mutate: no tests are called {', '.join(file.tests)}")
            note(f"tests of {file.name}: {len(names)}")
            digests = {target: digest(target, tree) for target in {name.split(".")[0] for name in names}}
            found[file.tests] = runner.traced(names, digests)
    return found


def digest(target: str, tree: Tree) -> str:
    """Of all files that tests of a target are asked about."""
    alike = [file for file in FILES if any(pattern.startswith(target) for pattern in file.tests)]
    texts = [tree.texts[file.path] for file in alike]
    numbers = [[site.number for site in tree.active(file)] for file in alike]
    return hashlib.sha256(json.dumps([texts, numbers]).encode()).hexdigest()[:16]


def main() -> int:
    arguments = parsed()
    top, folder = HERE.parent.parent, arguments.folder
    tree = Tree(top, folder)
    if arguments.list or arguments.left_alone:
        for site in tree.sites.values():
            if arguments.list or site.number in tree.left_alone:
                print(f"#{site.number} {site}{'  (left alone)' if site.number in tree.left_alone else ''}")
        return 0
    path = folder / "results.json"
    last = json.loads(path.read_text()) if path.exists() else {}
    asked = [file for file in FILES if not arguments.file or any(name in file.path for name in arguments.file)]
    libraries = sorted({pattern.split("Tests")[0] for file in asked for pattern in file.tests})
    began = time.monotonic()
    binary = tree.build(libraries)
    built = time.monotonic() - began
    runner = Runner(binary, tree.tree, folder)
    plan = chosen(tree, asked, arguments, last)
    tests = tests_of(plan, runner, tree)
    report = Report(tree)
    began = time.monotonic()
    for file, found in plan:
        note(f"{file.name}: {len(found)}")
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            reaching = tests[file.tests]
            verdicts = pool.map(lambda site, reaching=reaching: runner.verdict(site.number, reaching), found)
            for site, verdict in zip(found, verdicts, strict=True):
                report.add(file, site, verdict)
                if arguments.only:
                    line = report.lines[file.path][site.line - 1]
                    print(f"#{site.number} {site}\n{line}\n{verdict.how} {verdict.by}")
    entries = [
        {
            "site": identity(site), "how": "reason" if why else verdict.how, "by": verdict.by,
            "seconds": round(verdict.seconds, 1),
        }
        for _, site, verdict, why in report.results
    ]
    seconds = time.monotonic() - began
    heading = f"{len(entries)} mutants, built in {built:.0f} s, run in {seconds:.0f} s"
    if arguments.sample:
        heading += f", sample {arguments.sample}, seed {arguments.seed}"
    text = report.text(plan, heading)
    print(text, end="")
    if not arguments.only:
        path.write_text(json.dumps({"results": entries}, indent=1))
        (folder / "report.txt").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
