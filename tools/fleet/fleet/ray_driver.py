"""Runs a manifest on a Ray cluster: a task a unit, with the memory that it asks for."""

from __future__ import annotations

import sys
import time

import ray
import ray.exceptions

from . import unit as units
from .manifest import Manifest, Unit
from .retries import Policy, Queue
from .unit import Kind, Outcome, Settings

# Tasks that wait in Ray for a free core, for each core that there is: they cost its memory, and keep it busy.
_AHEAD = 3


def _run(unit: Unit, settings: Settings) -> Outcome:
    return units.run(unit, settings)


def drive(manifest: Manifest, settings: Settings, policy: Policy, address: str | None, quiet: bool = False) -> Queue:
    """Runs all units; returns when each has ended.

    A driver that is killed loses nothing: the next one finds what is done by its `_SUCCESS.json`.
    """
    # Workers need nothing of ours installed: the package travels with the task.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__package__])
    ray.init(address=address, log_to_driver=False, logging_level="warning", ignore_reinit_error=True)
    # Ray's own retries would not know a failure from a death, nor wait.
    task = ray.remote(max_retries=0, num_cpus=settings.threads)(_run)
    queue = Queue(manifest.units, policy)
    running: dict[ray.ObjectRef, Unit] = {}
    shown = time.monotonic()
    looked, cores, largest = 0.0, 1, 0
    while queue or running:
        now = time.monotonic()
        if now - looked > 5 or not looked:
            looked, cores, largest = now, *_capacity()
        while len(running) < (1 + _AHEAD) * cores and (unit := queue.next(now)) is not None:
            if largest and unit.memory_bytes > largest:
                reason = f"it asks for {unit.memory_bytes} bytes of memory; no machine has more than {largest}"
                queue.finish(Outcome(unit.id, unit.input, Kind.AGAIN, 69, reason), now)
                continue
            running[task.options(memory=unit.memory_bytes).remote(unit, settings)] = unit
        _take(queue, running, now)
        if not quiet and time.monotonic() - shown > 5:
            shown = time.monotonic()
            print(progress(queue, len(running)), file=sys.stderr, flush=True)
    return queue


def _take(queue: Queue, running: dict[ray.ObjectRef, Unit], now: float) -> None:
    """Waits a little for tasks to end, and takes those that did."""
    if not running:
        time.sleep(min(queue.seconds_to_next(now) or 0.0, 0.5))
        return
    wait = min(queue.seconds_to_next(now) or 1.0, 1.0)
    ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
    if not ready:
        ready, _ = ray.wait(list(running), num_returns=1, timeout=max(wait, 0.05))
    for reference in ready:
        unit = running.pop(reference)
        try:
            queue.finish(ray.get(reference), time.monotonic())
        except ray.exceptions.RayError as error:
            reason = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
            queue.finish(Outcome(unit.id, unit.input, Kind.AGAIN, 137, reason), time.monotonic(), is_death=True)


def _capacity() -> tuple[int, int]:
    """The cores of all machines, and the memory of the largest."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cores = sum(node.get("CPU", 0) for node in nodes)
    return max(1, int(cores)), int(max((node.get("memory", 0) for node in nodes), default=0))


def progress(queue: Queue, running: int) -> str:
    done = sum(outcome.is_done for outcome in queue.ended.values())
    failed = len(queue.ended) - done
    return (
        f"{done} done, {failed} failed, {running} running, {len(queue)} waiting; "
        f"{queue.retry_count} tried again, {queue.death_count} deaths"
    )
