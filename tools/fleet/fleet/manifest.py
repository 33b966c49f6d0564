"""Manifests: JSON lines, of which the first says how many units follow."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator

import fsspec


class ManifestError(Exception):
    """A manifest that was cut, or is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """One command on one recording; `line` is what `batch run --unit` takes."""

    id: str
    input: str
    name: str
    folder: str
    seconds: float
    memory_bytes: int
    shard: int
    line: str

    @staticmethod
    def parse(line: str) -> Unit:
        value = json.loads(line)
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", value["folder"]):
            raise ValueError(f"folder {value['folder']!r}")
        return Unit(
            id=value["id"],
            input=value["input"],
            name=value["name"],
            folder=value["folder"],
            seconds=float(value["seconds"]),
            memory_bytes=int(value["memory_bytes"]),
            shard=int(value["shard"]),
            line=line,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    to: str
    shards: int
    units: list[Unit]

    @property
    def memory_bytes(self) -> int:
        """What the most demanding unit asks for."""
        return max((unit.memory_bytes for unit in self.units), default=0)


def _lines(url: str) -> Iterator[tuple[int, str]]:
    with fsspec.open(url, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line.rstrip("\n")


def read(url: str, shard: int | None = None) -> Manifest:
    """Reads a manifest from a path or any URL of fsspec; with `shard` keeps the units of that one only."""
    header: dict | None = None
    units: list[Unit] = []
    count = 0
    for number, line in _lines(url):
        try:
            if header is None:
                header = json.loads(line)
                if header["mapeverything_batch"] != 1:
                    raise ValueError(f"version {header['mapeverything_batch']}")
                continue
            unit = Unit.parse(line)
        except (ValueError, KeyError, TypeError) as error:
            raise ManifestError(f"{url}:{number}: expected a line of a manifest, found {error!r}") from None
        count += 1
        if shard is None or unit.shard == shard:
            units.append(unit)
    if header is None:
        raise ManifestError(f"{url}: expected a manifest, found an empty file")
    if count != header["units"]:
        raise ManifestError(f"{url}: expected {header['units']} units, as its first line says, found {count}")
    return Manifest(to=header["to"], shards=header["shards"], units=units)
