#!/usr/bin/env python3
"""Converts many small recordings on a local Ray of several raylets, while workers, units, raylets and once the driver are killed.

Afterwards none may be missing and none be there twice, every byte has to be that of a run without kills, and the catalogue has
to have them all. Ends with a line of figures, and with 1 where something is wrong.

With --workers-killed 0 nothing is killed: engine_s against plain_s is then what the engine costs, on a cluster that has come to rest.

usage: chaos.py --binary FILE [--captures N] [--seed S] [--raylets N] [--folder DIR] [--product bag] [--sample OPTIONS]
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Nothing is told to Ray's makers.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Recordings that are rendered; all others share pictures and depth with one of them, and differ in name and metadata.
RENDERED = 100


def make_captures(binary: str, folder: Path, count: int, shape: str) -> None:
    """Made once, each of another seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        target = folder / f"capture_{number:05}"
        if (target / "metadata.json").exists():
            continue
        if number < RENDERED:
            command = [binary, "sample", "-o", str(target), *shape.split()]
            subprocess.run([*command, "--seed", str(number + 1), "--gps", "--force"], check=True, capture_output=True)
            continue
        source = folder / f"capture_{number % RENDERED:05}"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, copy_function=os.link)
        metadata = json.loads((source / "metadata.json").read_text())
        (target / "metadata.json").unlink()
        (target / "metadata.json").write_text(json.dumps({**metadata, "sessionID": target.name}))


def stat_fields(process: Path) -> list[str]:
    """What the kernel says of a process behind its name, from its state on (proc(5))."""
    stat = (process / "stat").read_text()
    return stat[stat.rindex(")") + 2 :].split()


def processor_seconds(ids: list[int]) -> float:
    """Of processes that still run."""
    ticks = 0
    for process in ids:
        try:
            fields = stat_fields(Path(f"/proc/{process}"))
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of each process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int(stat_fields(entry)[1])
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found[int(entry.name)] = (parent, command)
    return found


def descendants() -> dict[int, str]:
    """What this process has started, and what that has."""
    every = processes()
    children: dict[int, list[int]] = {}
    for process, (parent, _) in every.items():
        children.setdefault(parent, []).append(process)
    found, waiting = {}, [os.getpid()]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child] = every[child][1]
            waiting.append(child)
    return found


@dataclasses.dataclass
class Chaos:
    """A cluster, a driver, and what goes wrong with them, by a seed."""

    options: argparse.Namespace
    folder: Path
    plan: Path
    kills: Counter = dataclasses.field(default_factory=Counter)

    def __post_init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.random = random.Random(self.options.seed)
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "memory": 1 << 30})
        self.raylets = [self._add() for _ in range(self.options.raylets)]

    def _add(self):
        return self.cluster.add_node(num_cpus=1, memory=2 << 30, object_store_memory=80 << 20)

    def _driver(self, attempt: int) -> subprocess.Popen:
        command = [sys.executable, "-m", "fleet", "ray", str(self.plan), str(self.folder / "chaos"), "--quiet"]
        command += ["--binary", self.options.binary, "--address", self.cluster.address, "--delay", "0.2"]
        command += ["--attempts", "50", "--deaths", "200", "--summary", str(self.folder / f"summary{attempt}.json")]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        self.last_log = self.folder / f"driver{attempt}.log"
        output = open(self.last_log, "w")  # noqa: SIM115 - it is the driver's
        return subprocess.Popen(command, env=environment, stdout=output, stderr=output)

    def settle(self) -> None:
        """Waits until what a cluster does as it starts is over, at most a minute."""
        for _ in range(30):
            ids = list(descendants())
            before = processor_seconds(ids)
            time.sleep(2)
            if processor_seconds(ids) - before < 0.2:
                return

    def done_count(self) -> int:
        target = self.folder / "chaos"
        return sum(not entry.name.startswith(".") for entry in target.iterdir()) if target.exists() else 0

    def run(self, count: int) -> int:
        """Returns the status of the last driver."""
        attempt = 1
        if self.options.workers_killed == 0:
            self.settle()
            return self._driver(attempt).wait()
        driver = self._driver(attempt)
        driver_dies_at = self.random.uniform(0.2, 0.7) * count
        while driver.poll() is None:
            time.sleep(self.random.uniform(0.2, self.options.interval) if self.options.workers_killed is None else 0.1)
            done = self.done_count()
            if self.options.workers_killed is not None:
                if done > 0 and self.kills["worker"] < self.options.workers_killed:
                    self._kill_process("worker", "ray::_run", driver.pid)
            elif attempt == 1 and done >= driver_dies_at:
                driver.kill()
                driver.wait()
                self.kills["driver"] += 1
                attempt += 1
                driver = self._driver(attempt)
            elif done > 0:
                self._kill(driver.pid)
            self._replace_dead()
        return driver.returncode

    def _kill(self, driver: int) -> None:
        kind = self.random.choices(["worker", "unit", "raylet"], [5, 5, self.options.raylet_share])[0]
        if kind == "raylet":
            place = self.random.randrange(len(self.raylets))
            self.cluster.remove_node(self.raylets[place], allow_graceful=False)
            self.raylets[place] = self._add()
            self.kills[kind] += 1
            return
        self._kill_process(kind, "ray::_run" if kind == "worker" else self.options.binary, driver)

    def _kill_process(self, kind: str, mark: str, driver: int) -> None:
        victims = [
            process
            for process, command in sorted(descendants().items())
            if command.startswith(mark) and process != driver
        ]
        if victims:
            try:
                os.kill(self.random.choice(victims), signal.SIGKILL)
                self.kills[kind] += 1
            except ProcessLookupError:
                pass

    def _replace_dead(self) -> None:
        """A raylet may also end by itself, as when the machine is too busy for its heartbeats: another takes its place."""
        for place, raylet in enumerate(self.raylets):
            if not raylet.any_processes_alive() or raylet.dead_processes():
                self.cluster.remove_node(raylet, allow_graceful=False)
                self.raylets[place] = self._add()
                self.kills["raylet that ended by itself"] += 1

    def close(self) -> None:
        self.cluster.shutdown()


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of the results."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith((".batch", "catalogue")):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--captures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--raylets", type=int, default=3)
    parser.add_argument("--raylet-share", type=float, default=1.0, help="raylets for ten workers and units")
    parser.add_argument("--interval", type=float, default=2.5, help="most seconds between two kills")
    parser.add_argument("--workers-killed", type=int, help="kill so many workers and nothing else")
    parser.add_argument("--folder", help="kept; captures in it are used again")
    parser.add_argument("--product", default="bag")
    shape = "--size 160x120 --duration 0.5 --fps 10"
    parser.add_argument("--sample", default=shape, help="what captures are like, as options of `mapeverything sample`")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as temporary:
        return run(options, Path(options.folder or temporary).absolute())


def command(binary: str, *arguments: str) -> str:
    done = subprocess.run([binary, "batch", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def run(options: argparse.Namespace, folder: Path) -> int:
    captures, plan = folder / "captures", folder / "plan.jsonl"
    start = time.monotonic()
    make_captures(options.binary, captures, options.captures, options.sample)
    figures: dict[str, object] = {"captures": options.captures, "seed": options.seed}
    figures["making_s"] = round(time.monotonic() - start, 1)
    start = time.monotonic()
    command(
        options.binary, "plan", str(captures), "--to", options.product, "-o", str(plan), "--force", "--memory", "256MiB"
    )
    figures["planning_s"] = round(time.monotonic() - start, 2)
    for name in ("plain", "chaos"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for old in folder.glob("summary*.json"):
        old.unlink()

    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command(options.binary, "run", str(plan), "-o", str(folder / "plain"), "-j", "2")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures["plain_s"] = round(time.monotonic() - start, 1)
    figures["plain_cpu_s"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)
    print(json.dumps(figures), flush=True)

    start = time.monotonic()
    chaos = Chaos(options, folder, plan)
    try:
        status = chaos.run(options.captures)
    finally:
        chaos.close()
    figures["chaos_s"] = round(time.monotonic() - start, 1)
    summaries = sorted(folder.glob("summary*.json"), key=lambda path: path.stat().st_mtime)
    figures["engine_s"] = json.loads(summaries[-1].read_text())["seconds"] if summaries else None
    figures["kills"] = dict(sorted(chaos.kills.items()))

    wrong = [] if status == 0 else [f"the driver ended with {status}: {chaos.last_log.read_text()[-2000:]}"]
    asked = options.workers_killed
    if asked is not None and chaos.kills["worker"] != asked:
        wrong.append(f"{chaos.kills['worker']} workers were killed, not {asked}")
    plain, found = digests(folder / "plain"), digests(folder / "chaos")
    wrong += [f"missing: {name}" for name in sorted(plain.keys() - found.keys())]
    wrong += [f"too many: {name}" for name in sorted(found.keys() - plain.keys())]
    wrong += [f"other bytes: {name}" for name in sorted(plain.keys() & found.keys()) if plain[name] != found[name]]
    status_text = command(options.binary, "status", str(plan), str(folder / "chaos"), "--verify", "--json")
    figures["done"] = json.loads(status_text)["done"]
    command(options.binary, "catalogue", str(folder / "chaos"))
    rows = [json.loads(line) for line in (folder / "chaos" / "catalogue.jsonl").read_text().splitlines()]
    names = {f"capture_{number:05}" for number in range(options.captures)}
    if len(rows) != options.captures or {row["name"] for row in rows} != names:
        wrong.append(f"the catalogue has {len(rows)} rows")
    figures["files"] = len(found)
    figures["wrong"] = len(wrong)
    print(json.dumps(figures), flush=True)
    for text in wrong[:20]:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
