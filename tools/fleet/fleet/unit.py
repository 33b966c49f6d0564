"""Runs one unit: looks whether it is done, brings the recording, has `mapeverything batch run` do it, takes the result away."""

from __future__ import annotations

import dataclasses
import enum
import json
import subprocess
import tempfile
import time
from pathlib import Path

from . import storage
from .manifest import Unit


class Kind(enum.StrEnum):
    DONE = "done"
    ALREADY = "already done"
    NEVER = "never"
    AGAIN = "again"


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    id: str
    input: str
    kind: Kind
    status: int = 0
    error: str = ""
    seconds: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.kind in (Kind.DONE, Kind.ALREADY)


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How units are run."""

    target: str
    binary: str = "mapeverything"
    threads: int = 1
    scratch: str | None = None
    timeout: float | None = None


def run(unit: Unit, settings: Settings) -> Outcome:
    """Runs a unit; what goes wrong is an outcome, and never an exception: each may be over the next time."""
    start = time.monotonic()
    try:
        outcome = _run(unit, settings)
    except storage.OutsideError as error:
        outcome = Outcome(unit.id, unit.input, Kind.NEVER, 65, str(error))
    except Exception as error:  # noqa: BLE001 - stores have exceptions of their own
        outcome = Outcome(unit.id, unit.input, Kind.AGAIN, 74, f"{type(error).__name__}: {error}")
    return dataclasses.replace(outcome, seconds=time.monotonic() - start)


def _run(unit: Unit, settings: Settings) -> Outcome:
    target = storage.local(settings.target)
    if target is not None and storage.local(unit.input) is not None:
        return _command(unit, settings, target, None)
    if target is None and storage.is_done(unit, settings.target):
        return Outcome(unit.id, unit.input, Kind.ALREADY)
    with tempfile.TemporaryDirectory(prefix="fleet-", dir=settings.scratch) as scratch:
        folder = Path(scratch)
        recording = storage.local(unit.input)
        if recording is None and not (target is not None and _is_done_here(unit, target)):
            recording = storage.fetch(unit, folder)
        outcome = _command(unit, settings, target or folder / "results", recording)
        if outcome.is_done and target is None:
            storage.publish(folder / "results" / unit.folder, unit, settings.target)
        return outcome


def _is_done_here(unit: Unit, target: Path) -> bool:
    return storage.is_done(unit, str(target.absolute()))


def _command(unit: Unit, settings: Settings, target: Path, recording: Path | None) -> Outcome:
    command = [settings.binary, "batch", "run", "--unit", unit.line, "-o", str(target), "-j", "1", "--json"]
    # A worker that is killed takes what it started with it, so that nothing runs that nobody counts.
    command += ["--threads", str(settings.threads), "--progress", "off", "--end-with-parent"]
    if recording is not None:
        command += ["--input", str(recording)]
    if settings.timeout is not None:
        command += ["--timeout", str(settings.timeout)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    try:
        line = json.loads(done.stdout.splitlines()[-1])
        return Outcome(unit.id, unit.input, Kind(line["class"]), line["status"], line.get("error", ""))
    except (IndexError, ValueError, KeyError, TypeError):
        pass
    # It ended without a word about the unit: killed, or unable to begin.
    error = (done.stderr.strip().splitlines() or [f"ended by signal {-done.returncode}"])[0]
    kind = Kind.NEVER if done.returncode in (2, 65, 66) else Kind.AGAIN
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Outcome(unit.id, unit.input, kind, status, error.removeprefix("mapeverything: "))


def exit_status(outcomes: list[Outcome]) -> int:
    """0 where all are done, 65 where the others would fail again, 69 or 74 where some may succeed another time."""
    kinds = {outcome.kind for outcome in outcomes}
    if Kind.AGAIN in kinds:
        return 74 if any(o.status in (73, 74) for o in outcomes if o.kind is Kind.AGAIN) else 69
    return 65 if Kind.NEVER in kinds else 0
