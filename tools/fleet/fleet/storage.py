"""Recordings and results in whatever fsspec reaches: s3://, gs://, az://, file://, memory://, or a path."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path, PurePosixPath

import fsspec
from fsspec.spec import AbstractFileSystem

from .manifest import Unit

SUCCESS = "_SUCCESS.json"
BLOCK = 1 << 20


class StorageError(Exception):
    """What was copied is not what it was copied from; to be tried again."""


class OutsideError(Exception):
    """A key that leads out of the folder it is copied to; no other time will help."""


def local(url: str) -> Path | None:
    """The path of what needs no copying; None for what lies elsewhere."""
    if url.startswith("file://"):
        return Path(url[7:])
    return Path(url) if "://" not in url else None


def _digest(fs: AbstractFileSystem, path: str, name: str) -> str:
    digest = hashlib.new(name)
    with fs.open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


_disk = fsspec.filesystem("file")


def _check(fs: AbstractFileSystem, path: str, copy: Path) -> None:
    """Compares a file with its copy on this machine: by size, and by the store's own checksum or, without one, by reading it.

    S3's ETag is the MD5 of what was put in one piece; other forms of it say nothing of the content as a whole.
    """
    info = fs.info(path)
    if info["size"] != copy.stat().st_size:
        raise StorageError(f"{path}: expected {info['size']} bytes, found {copy.stat().st_size}")
    tag = str(info.get("ETag", "")).strip('"')
    name, expected = ("md5", tag) if re.fullmatch("[0-9a-f]{32}", tag) else ("sha256", "")
    expected = expected or _digest(fs, path, name)
    found = _digest(_disk, str(copy), name)
    if found != expected:
        raise StorageError(f"{path}: expected {name} {expected}, found {found}")


def _is_copy(fs: AbstractFileSystem, path: str, copy: Path) -> bool:
    try:
        _check(fs, path, copy)
    except (FileNotFoundError, StorageError):
        return False
    return True


def _inside(folder: Path, name: str) -> Path:
    """A path below a folder. Keys of a store are any text: `..` in one is no folder there, and is one here."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise OutsideError(f"{name!r}: expected a name below the recording, found one that leads out of it")
    return folder.joinpath(*parts)


def fetch(unit: Unit, folder: Path) -> Path:
    """Copies a recording into a folder, under its own name, by which commands call it."""
    fs, root = fsspec.core.url_to_fs(unit.input)
    fs.invalidate_cache()
    target = _inside(folder, unit.name)
    if fs.isfile(root):
        fs.get_file(root, str(target))
        _check(fs, root, target)
        return target
    files = fs.find(root)
    if not files:
        raise FileNotFoundError(f"{unit.input}: expected the recording, found nothing")
    for path in files:
        copy = _inside(target, str(PurePosixPath(path).relative_to(PurePosixPath(fs._strip_protocol(root)))))
        copy.parent.mkdir(parents=True, exist_ok=True)
        fs.get_file(path, str(copy))
        _check(fs, path, copy)
    return target


def is_done(unit: Unit, target: str) -> bool:
    """Whether the unit's result is in a store: its `_SUCCESS.json` is written last."""
    fs, root = fsspec.core.url_to_fs(f"{target.rstrip('/')}/{unit.folder}")
    fs.invalidate_cache()
    try:
        success = json.loads(fs.cat_file(f"{root}/{SUCCESS}"))
    except (FileNotFoundError, ValueError):
        return False
    if success.get("id") != unit.id:
        return False
    sizes = {path: info["size"] for path, info in fs.find(root, detail=True).items()}
    return all(sizes.get(f"{root}/{file['name']}") == file["bytes"] for file in success["files"])


def publish(result: Path, unit: Unit, target: str) -> None:
    """Copies the folder of a unit into a store, `_SUCCESS.json` when everything else is there and right."""
    fs, root = fsspec.core.url_to_fs(f"{target.rstrip('/')}/{unit.folder}")
    files = json.loads((result / SUCCESS).read_text())["files"]
    for file in files:
        path = result / file["name"]
        if _digest(_disk, str(path), "sha256") != file["sha256"]:
            raise StorageError(f"{path}: expected sha256 {file['sha256']}, found another")
    for name in [file["name"] for file in files] + [SUCCESS]:
        path = f"{root}/{name}"
        # What an attempt before this one has brought there stays: a store that fails now and then is filled at last.
        if _is_copy(fs, path, result / name):
            continue
        fs.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        fs.put_file(str(result / name), path)
        fs.invalidate_cache()
        _check(fs, path, result / name)


# By these the formats of recordings are told from their names alone; what they hold is looked at when they are run.
_ENTRIES = {
    "frames.jsonl",
    "odometry.csv",
    "ARposes.txt",
    "info.json",
    "metadata.json",
    "frame_00000.json",
    "transforms.json",
}
_ARCHIVES = (".zip", ".tar", ".r3d")


def listing(url: str) -> list[dict]:
    """The recordings below a URL, as `batch plan --listing` takes them."""
    fs, root = fsspec.core.url_to_fs(url)
    files = {path: info["size"] for path, info in sorted(fs.find(root, detail=True).items())}
    roots = {str(PurePosixPath(path).parent) for path in files if PurePosixPath(path).name in _ENTRIES}
    recordings: dict[str, list] = {}
    for path, size in files.items():
        # The outermost folder that may be a recording.
        parents = [str(parent) for parent in PurePosixPath(path).parents if str(parent) in roots]
        if parents:
            recordings.setdefault(parents[-1], []).append([str(PurePosixPath(path).relative_to(parents[-1])), size])
        elif path.lower().endswith(_ARCHIVES):
            recordings[path] = [["", size]]
    return [{"url": fs.unstrip_protocol(path), "files": files} for path, files in recordings.items()]
