"""Manifests are read as they are, or not at all."""

import pytest

from fleet import manifest


def test_reads_units_and_shards(plan, recordings):
    path = plan(str(recordings), "--shards", "2")
    whole = manifest.read(str(path))
    assert whole.shards == 2 and sorted(unit.name for unit in whole.units) == ["r1", "r2", "r3", "r4"]
    parts = [manifest.read(str(path), shard).units for shard in (0, 1)]
    assert sorted(u.id for part in parts for u in part) == sorted(u.id for u in whole.units) and all(parts)
    assert whole.memory_bytes == 256 << 20


def test_refuses_what_was_cut(plan, recordings, tmp_path):
    text = plan(str(recordings)).read_text()
    for count in (0, 10, len(text) // 2, text.rindex("{")):
        (tmp_path / "cut").write_text(text[:count])
        with pytest.raises(manifest.ManifestError):
            manifest.read(str(tmp_path / "cut"))
