"""Recordings and results in a store: moto's S3."""

import json
import subprocess
from pathlib import Path

import fsspec
import pytest

from fleet import manifest, storage
from fleet import unit as units
from fleet.unit import Kind, Settings


@pytest.fixture
def bucket(s3, recordings, request):
    """A bucket with two recordings as folders and one as an archive."""
    name = request.node.name.replace("_", "-")
    fsspec.config.conf.setdefault("s3", {})["endpoint_url"] = s3["AWS_ENDPOINT_URL"]
    fs = fsspec.filesystem("s3", endpoint_url=s3["AWS_ENDPOINT_URL"])
    fs.mkdir(name)
    for recording in ("r1", "r2"):
        fs.put(str(recordings / recording), f"{name}/in/{recording}", recursive=True)
    return fs, name


def planned(binary: str, bucket: str, folder: Path) -> Path:
    listing = folder / "listing.jsonl"
    listing.write_text("".join(json.dumps(found) + "\n" for found in storage.listing(f"s3://{bucket}/in")))
    path = folder / "plan.jsonl"
    command = [binary, "batch", "plan", "--listing", str(listing), "--to", "bag", "-o", str(path), "--force"]
    subprocess.run(command, check=True, capture_output=True)
    return path


def test_from_store_to_store(bucket, binary, recordings, tmp_path):
    fs, name = bucket
    plan = manifest.read(str(planned(binary, name, tmp_path)))
    assert sorted(unit.input for unit in plan.units) == [f"s3://{name}/in/r1", f"s3://{name}/in/r2"]
    settings = Settings(f"s3://{name}/out", binary, scratch=str(tmp_path))
    assert [units.run(unit, settings).kind for unit in plan.units] == [Kind.DONE] * 2
    assert [units.run(unit, settings).kind for unit in plan.units] == [Kind.ALREADY] * 2
    # The same bytes as without a store.
    for unit in plan.units:
        (tmp_path / unit.name).mkdir()
        command = [binary, "bag", str(recordings / unit.name), "-o", str(tmp_path / unit.name / "bag")]
        subprocess.run(command, check=True, capture_output=True)
        bag = (tmp_path / unit.name / "bag" / "bag_0.db3").read_bytes()
        assert fs.cat_file(f"{name}/out/{unit.folder}/bag/bag_0.db3") == bag
    # Nothing is left behind.
    assert not list(tmp_path.glob("fleet-*"))


def test_half_a_result_is_none(bucket, binary, tmp_path):
    fs, name = bucket
    unit = manifest.read(str(planned(binary, name, tmp_path))).units[0]
    settings = Settings(f"s3://{name}/out", binary)
    assert units.run(unit, settings).is_done
    fs.pipe_file(f"{name}/out/{unit.folder}/bag/bag_0.db3", b"cut")
    assert not storage.is_done(unit, settings.target)
    assert units.run(unit, settings).kind is Kind.DONE
    fs.rm(f"{name}/out/{unit.folder}/{storage.SUCCESS}")
    assert not storage.is_done(unit, settings.target)


def test_a_recording_that_changes_or_goes_is_no_result(bucket, binary, tmp_path):
    fs, name = bucket
    plan = manifest.read(str(planned(binary, name, tmp_path)))
    fs.pipe_file(f"{name}/in/r1/imu.jsonl", b"{}\n")
    fs.rm(f"{name}/in/r2", recursive=True)
    settings = Settings(f"s3://{name}/out", binary)
    changed, gone = [units.run(unit, settings) for unit in sorted(plan.units, key=lambda unit: unit.name)]
    assert (changed.kind, changed.status) == (Kind.NEVER, 65) and "changed" in changed.error
    assert gone.kind is Kind.AGAIN and "FileNotFoundError" in gone.error
    fs.invalidate_cache()
    assert not fs.exists(f"{name}/out")


def test_a_copy_that_differs_is_seen(tmp_path):
    fs = fsspec.filesystem("memory")
    fs.pipe_file("/store/file", b"abc")
    (tmp_path / "copy").write_bytes(b"abd")
    with pytest.raises(storage.StorageError):
        storage._check(fs, "/store/file", tmp_path / "copy")
    (tmp_path / "copy").write_bytes(b"abc")
    storage._check(fs, "/store/file", tmp_path / "copy")


def test_a_key_that_leads_out_is_refused(tmp_path):
    fs = fsspec.filesystem("memory")
    fs.pipe_file("/made", b"x")
    fs.store["/bucket/scan/../../../outside"] = fs.store["/made"]
    one = _unit("memory://bucket/scan")
    outcome = units.run(one, Settings(str(tmp_path / "out"), "/bin/false", scratch=str(tmp_path)))
    assert (outcome.kind, outcome.status) == (Kind.NEVER, 65) and "leads out" in outcome.error
    assert not (tmp_path.parent / "outside").exists() and not (tmp_path / "outside").exists()
    for name in ("..", "../up", "/etc/passwd", "a/../../b"):
        with pytest.raises(storage.OutsideError):
            storage._inside(tmp_path, name)
    assert storage._inside(tmp_path, "a/b") == tmp_path / "a" / "b"
    with pytest.raises(ValueError):
        manifest.Unit.parse(json.dumps({**json.loads(one.line), "folder": "../up"}))


def _unit(url: str) -> manifest.Unit:
    line = {
        "id": "0" * 32,
        "input": url,
        "name": url.rsplit("/", 1)[-1],
        "folder": "scan-0",
        "seconds": 1,
        "memory_bytes": 1 << 28,
        "shard": 0,
    }
    return manifest.Unit.parse(json.dumps(line))
