"""Runs tests: once each to see which sites they reach, and then on mutants until one of them fails."""

import hashlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

FAILED = "✘"
# A test that takes longer says little for its time; one that no mutant needs is not waited for.
SLOWEST = 40.0
# How many seconds of tests are asked at first, and then: most mutants are found by quick tests.
# What is left after that is not asked.
STEPS = (1.5, 6.0, 45.0)


@dataclass(frozen=True)
class Test:
    name: str
    seconds: float
    reached: frozenset[int]


@dataclass(frozen=True)
class Verdict:
    """How a mutant was found: test, crash or time; survived or not reached."""

    how: str
    by: str = ""
    seconds: float = 0.0


class Runner:
    def __init__(self, binary: Path, tree: Path, folder: Path) -> None:
        self.binary, self.tree, self.folder = binary, tree, folder
        self.trace_path = folder / "trace.json"
        self.contents: dict[str, list[bytes]] = {}
        self.environment = dict(
            os.environ, MAPEVERYTHING_REPOSITORY=str(tree), SWIFT_BACKTRACE="enable=no", NO_COLOR="1",
        )
        self.environment.pop("MAPEVERYTHING_MUTANT", None)

    def command(self, filters: list[str]) -> list[str]:
        options = [option for pattern in filters for option in ("--filter", pattern)]
        return [str(self.binary), "--testing-library", "swift-testing", "--no-parallel", *options]

    def run(self, filters: list[str], limit: float, variables: dict[str, str]) -> tuple[str, str, float]:
        """Runs tests until one fails or all have passed: passed, test, crash or time, and the line that says so."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            process = subprocess.Popen(
                self.command(filters), cwd=self.tree, env=self.environment | variables | {"TMPDIR": temporary},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )
            try:
                how, line = self.watched(process, began + limit)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        return how, line, time.monotonic() - began

    def watched(self, process: subprocess.Popen, end: float) -> tuple[str, str]:
        selector = selectors.DefaultSelector()
        selector.register(process.stdout, selectors.EVENT_READ)
        rest, last = b"", ""
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return "time", last
            if not selector.select(min(left, 1)):
                if process.poll() is not None:
                    break
                continue
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                text = line.decode(errors="replace")
                last = text or last
                if FAILED in text[:10]:
                    return "test", text
        status = process.wait()
        if status == 0:
            return "passed", last
        return ("crash" if status < 0 else "test"), last

    def names(self, patterns: tuple[str, ...]) -> list[str]:
        output = subprocess.run(
            [str(self.binary), "--testing-library", "swift-testing", "--list-tests"],
            cwd=self.tree, env=self.environment, capture_output=True, text=True, check=True,
        ).stdout
        found = [line for line in output.splitlines() if "/" in line]
        return [name for name in found if any(re.match(pattern, name) for pattern in patterns)]

    def traced(self, names: list[str], digests: dict[str, str]) -> list[Test]:
        """What each test reaches, and how long it takes; remembered while neither the sites nor its file change."""
        known = json.loads(self.trace_path.read_text()) if self.trace_path.exists() else {}
        found = []
        for index, name in enumerate(names):
            key = f"{name} {digests[name.split('.')[0]]} {self.source(name)}"
            if key not in known:
                entry = known[key] = self.trace(name)
                note(f"  {index + 1}/{len(names)} {entry['seconds']:6.1f} s {entry['how']:6} {name}")
                self.trace_path.write_text(json.dumps(known))
            entry = known[key]
            if entry["how"] == "passed":
                found.append(Test(name, entry["seconds"], frozenset(entry["reached"])))
            else:
                note(f"  left out, as it does not pass by itself ({entry['how']}): {name}")
        return found

    def source(self, name: str) -> str:
        """A digest of the files that may hold a test: those of its target with a function of its name."""
        target, function = name.split(".")[0], re.escape(name.rsplit("/", 1)[-1].split("(")[0])
        if target not in self.contents:
            paths = sorted(self.tree.glob(f"Tests/*/{target}/**/*.swift"))
            self.contents[target] = [path.read_bytes() for path in paths]
        holding = [content for content in self.contents[target] if re.search(rf"func {function}\b".encode(), content)]
        return hashlib.sha256(b"".join(holding)).hexdigest()[:12]

    def trace(self, name: str) -> dict:
        path = self.folder / f"reached-{os.getpid()}"
        path.write_bytes(bytes(65536))
        how, line, seconds = self.run([pattern(name)], SLOWEST, {"MAPEVERYTHING_MUTANTS_REACHED": str(path)})
        reached = [number for number, byte in enumerate(path.read_bytes()) if byte]
        path.unlink()
        return {"how": how, "seconds": round(seconds, 2), "reached": reached, "line": line}

    def verdict(self, number: int, tests: list[Test]) -> Verdict:
        """Whether a test that reaches the site fails with its mutant; quick tests are asked first."""
        asked = sorted((test for test in tests if number in test.reached), key=lambda test: test.seconds)
        if not asked:
            return Verdict("not reached")
        seconds, place = 0.0, 0
        for budget in STEPS:
            part: list[Test] = []
            expected = 0.0
            while place < len(asked) and (not part or expected + asked[place].seconds <= budget):
                part.append(asked[place])
                expected += asked[place].seconds
                place += 1
            if not part:
                break
            names = [pattern(test.name) for test in part]
            how, line, took = self.run(names, 10 + 5 * expected, {"MAPEVERYTHING_MUTANT": str(number)})
            seconds += took
            if how != "passed":
                return Verdict(how, line.strip(), seconds)
        return Verdict("survived", "", seconds)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def pattern(name: str) -> str:
    """Of a test and nothing else; what the binary matches has the place in the file after it."""
    return f"^{re.escape(name)}(/|$)"
