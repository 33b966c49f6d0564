"""Targets that fail or are slow: each unit ends as done or to be tried again, and nothing looks done that is not."""

import json
import os
import shutil
import subprocess
import sys
import time
import typing
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from fleet import manifest, storage
from fleet import unit as units
from fleet.unit import Kind, Settings


class ThirdWriteFails(MemoryFileSystem):
    """A store of which every third write fails, half of them after a part of the file was written."""

    protocol = "thirdfails"
    store: typing.ClassVar[dict] = {}
    pseudo_dirs: typing.ClassVar[list] = [""]
    count = 0

    def put_file(self, lpath, rpath, **options):
        ThirdWriteFails.count += 1
        if ThirdWriteFails.count % 3 == 0:
            if ThirdWriteFails.count % 2 == 0:
                self.pipe_file(rpath, Path(lpath).read_bytes()[:10])
            raise OSError(5, "the store fails")
        time.sleep(0.005)
        return super().put_file(lpath, rpath, **options)


def test_a_store_of_which_every_third_write_fails(plan, recordings, binary, tmp_path):
    fsspec.register_implementation("thirdfails", ThirdWriteFails, clobber=True)
    whole = manifest.read(str(plan(str(recordings))))
    settings = Settings("thirdfails://out", binary, scratch=str(tmp_path))
    waiting, failures = list(whole.units), 0
    for _ in range(50):
        outcomes = [units.run(unit, settings) for unit in waiting]
        for unit, outcome in zip(waiting, outcomes, strict=True):
            assert outcome.kind in (Kind.DONE, Kind.AGAIN), outcome
            assert storage.is_done(unit, settings.target) == outcome.is_done
        failures += sum(not outcome.is_done for outcome in outcomes)
        waiting = [unit for unit, outcome in zip(waiting, outcomes, strict=True) if not outcome.is_done]
        if not waiting:
            break
    assert not waiting and failures > 0
    local = Settings(str(tmp_path / "local"), binary)
    for unit in whole.units:
        assert units.run(unit, local).kind is Kind.DONE
        for path in (tmp_path / "local" / unit.folder).rglob("*"):
            if path.is_file():
                name = path.relative_to(tmp_path / "local")
                fs, copy = fsspec.core.url_to_fs(f"thirdfails://out/{name}")
                assert fs.cat_file(copy) == path.read_bytes()


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """A library that makes writes fail in the programs that it is preloaded into."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang"))), None)
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path_factory.mktemp("shim") / "failing_writes.so"
    source = Path(__file__).parent / "failing_writes.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.mark.parametrize(("every", "wait", "status"), [(3, 0, 74), (50, 0, 74), (0, 2000, 0)])
def test_a_disk_that_fails_or_is_slow(plan, recordings, binary, tmp_path, shim, every, wait, status):
    path, out = plan(str(recordings)), tmp_path / "out"
    counter = tmp_path / "count"
    counter.write_bytes(bytes(4))
    faults = {"LD_PRELOAD": shim, "FAIL_BELOW": out, "FAIL_COUNTER": counter, "FAIL_EVERY": every, "FAIL_WAIT_US": wait}
    environment = {**os.environ, **{name: str(value) for name, value in faults.items()}}

    def run(**options):
        command = [binary, "batch", "run", str(path), "-o", str(out), "-j", "2"]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    def done():
        command = [binary, "batch", "status", str(path), str(out), "--verify", "--json"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)

    faulty = run(env=environment)
    assert int.from_bytes(counter.read_bytes(), sys.byteorder) >= every
    assert faulty.returncode == status, faulty
    counts = done()
    assert counts["done"] + counts["try_again"] + counts["missing"] == 4 and counts["failed_for_good"] == 0
    assert (counts["done"] == 4) == (status == 0)
    assert "Fatal error" not in faulty.stderr and run().returncode == 0 and done()["done"] == 4
