"""python -m fleet ray|shard|slurm|kubernetes|list: see docs/scale.md."""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from . import engines, manifest, storage, unit
from .retries import Policy
from .unit import Kind, Outcome, Settings


def _summary(outcomes: list[Outcome], count: int, seconds: float, extra: dict[str, int], path: str | None) -> int:
    """Prints how a run ended, with the last error of each unit that is not done; returns the exit status."""
    counts = {kind.value: sum(outcome.kind is kind for outcome in outcomes) for kind in Kind}
    failures = [outcome for outcome in outcomes if not outcome.is_done]
    summary = {"units": count, **counts, **extra, "seconds": round(seconds, 3)}
    print(json.dumps(summary))
    for outcome in failures[:20]:
        what = "for good" if outcome.kind is Kind.NEVER else "to be tried again"
        print(f"  {outcome.id[:16]}  {what} ({outcome.status})  {outcome.input}: {outcome.error}", file=sys.stderr)
    if len(failures) > 20:
        print(f"  and {len(failures) - 20} more", file=sys.stderr)
    if path:
        Path(path).write_text(
            json.dumps({**summary, "failures": [dataclasses.asdict(f) for f in failures]}, indent=2) + "\n"
        )
    return unit.exit_status(outcomes)


def _settings(options: argparse.Namespace) -> Settings:
    target = options.target if "://" in options.target else str(Path(options.target).absolute())
    return Settings(target, options.binary, options.threads, options.scratch, options.timeout)


def _ray(options: argparse.Namespace) -> int:
    from . import ray_driver

    start = time.monotonic()
    plan = manifest.read(options.manifest)
    policy = Policy(options.attempts, options.deaths, options.delay)
    queue = ray_driver.drive(plan, _settings(options), policy, options.address, options.quiet)
    extra = {"tried_again": queue.retry_count, "deaths": queue.death_count}
    return _summary(list(queue.ended.values()), len(plan.units), time.monotonic() - start, extra, options.summary)


def _shard(options: argparse.Namespace) -> int:
    start = time.monotonic()
    number = options.shard
    if number is None:
        names = ("JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID")
        number = next((int(os.environ[name]) for name in names if name in os.environ), None)
    plan = manifest.read(options.manifest, number)
    settings = _settings(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda one: unit.run(one, settings), plan.units))
    return _summary(outcomes, len(plan.units), time.monotonic() - start, {}, options.summary)


def _slurm(options: argparse.Namespace) -> int:
    plan = manifest.read(options.manifest)
    extra = options.sbatch.split() if options.sbatch else []
    # A task has another working folder; a URL is one everywhere.
    path = storage.local(options.manifest)
    url = options.manifest if path is None else str(path.absolute())
    command = engines.sbatch(plan, url, options.target, options.jobs, options.at_once, extra)
    if options.dry_run:
        print(engines.text(command))
        return 0
    return subprocess.run(command, check=False).returncode


def _kubernetes(options: argparse.Namespace) -> int:
    plan = manifest.read(options.manifest)
    folder = Path(options.output)
    path = engines.overlay(plan, options.manifest, options.target, options.image, options.jobs, options.at_once, folder)
    print(f"{path}: kubectl apply -k {folder}")
    return 0


def _list(options: argparse.Namespace) -> int:
    for recording in storage.listing(options.url):
        print(json.dumps(recording))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fleet", description=__doc__)
    commands = parser.add_subparsers(required=True)

    running = argparse.ArgumentParser(add_help=False)
    running.add_argument("manifest", help="path or URL of what `mapeverything batch plan` wrote")
    running.add_argument("target", help="path or URL for the results")
    running.add_argument("--binary", default="mapeverything", help="the command, on every machine")
    running.add_argument("--threads", type=int, default=1, help="worker threads, and cores, of each unit")
    running.add_argument("--scratch", help="folder for what is copied from and to stores")
    running.add_argument("--timeout", type=float, help="seconds after which a unit is ended")
    running.add_argument("--summary", help="file for a summary with all failures, as JSON")

    ray = commands.add_parser("ray", parents=[running], help="run on a Ray cluster")
    ray.add_argument("--address", help="of the cluster; default: the one of RAY_ADDRESS, else one on this machine")
    ray.add_argument("--attempts", type=int, default=Policy().attempts, help="how often a unit may fail")
    ray.add_argument("--deaths", type=int, default=Policy().deaths, help="how often its worker may die")
    ray.add_argument("--delay", type=float, default=Policy().delay, help="seconds before the second attempt")
    ray.add_argument("--quiet", action="store_true", help="no progress")
    ray.set_defaults(run=_ray)

    shard = commands.add_parser("shard", parents=[running], help="run one shard here, as an array's index does")
    shard.add_argument("--shard", type=int, help="default: the index of the array; without one all units")
    shard.add_argument("-j", "--jobs", type=int, default=1, help="units at a time")
    shard.set_defaults(run=_shard)

    array = argparse.ArgumentParser(add_help=False)
    array.add_argument("manifest")
    array.add_argument("target")
    array.add_argument("-j", "--jobs", type=int, default=1, help="units at a time, and cores, on each machine")
    array.add_argument("--at-once", type=int, default=0, help="most shards that run at a time")

    slurm = commands.add_parser("slurm", parents=[array], help="submit an array of all shards")
    slurm.add_argument("--sbatch", help="further options of sbatch, in one text")
    slurm.add_argument("--dry-run", action="store_true", help="print the command")
    slurm.set_defaults(run=_slurm)

    kubernetes = commands.add_parser("kubernetes", parents=[array], help="write an overlay for kubernetes/base")
    kubernetes.add_argument("--image", required=True)
    kubernetes.add_argument("-o", "--output", required=True, help="folder for kustomization.yaml")
    kubernetes.set_defaults(run=_kubernetes)

    listing = commands.add_parser("list", help="list the recordings below a URL, for `batch plan --listing`")
    listing.add_argument("url")
    listing.set_defaults(run=_list)
    return parser


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.run(options)
    except manifest.ManifestError as error:
        print(f"fleet: {error}", file=sys.stderr)
        return 65
    except FileNotFoundError as error:
        print(f"fleet: {error}", file=sys.stderr)
        return 66


if __name__ == "__main__":
    sys.exit(main())
