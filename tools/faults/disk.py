"""A disk as it might be after the loss of power, made from the log of faults.c.

What was flushed is there. Of what was written to a file since its last flush any prefix, or any subset of pieces of 4 KiB, may be
there, and its size may be that of before, that of the last write, or what the pieces need. A name that was made, given or
removed since the last flush of its folder may be there or not: in order (a journal: ext4, XFS, btrfs), or any of them.
"""

import os
import struct
from dataclasses import dataclass, field

CREATED, WRITTEN, TRUNCATED, SYNCED, RENAMED, LINKED, REMOVED, MADE_FOLDER, REMOVED_FOLDER, EXCHANGED = range(1, 11)
ENTRY = struct.Struct("<IIIIQQQqq")
PIECE = 4096


@dataclass
class Operation:
    kind: int
    path: str
    target: str
    key: tuple  # device and inode
    nanoseconds: int
    offset: int
    data: bytes


def operations(log):
    with open(log, "rb") as file:
        bytes_ = file.read()
    found, place = [], 0
    while place < len(bytes_):
        mark, kind, first, second, device, inode, nanoseconds, offset, count = ENTRY.unpack_from(bytes_, place)
        assert mark == 0x464C5421, "the log is cut"
        place += ENTRY.size
        path = bytes_[place : place + first].decode()
        target = bytes_[place + first : place + first + second].decode()
        place += first + second
        data = b""
        if kind == WRITTEN:
            data = bytes_[place : place + count]
            place += count
        found.append(Operation(kind, path, target, (device, inode), nanoseconds, offset, data))
    return found


@dataclass
class File:
    """What a file certainly has, and what was done to it since."""

    synced: bytes = b""
    pending: list = field(default_factory=list)  # (offset, data), or (length, None) for a new length

    @staticmethod
    def applied(bytes_, changes):
        content = bytearray(bytes_)
        for offset, data in changes:
            if data is None:
                content = content[:offset] + bytes(max(0, offset - len(content)))
            else:
                if len(content) < offset:
                    content += bytes(offset - len(content))
                content[offset : offset + len(data)] = data
        return bytes(content)

    def live(self):
        return self.applied(self.synced, self.pending)

    def sync(self):
        self.synced, self.pending = self.live(), []

    def image(self, random):
        if not self.pending:
            return self.synced
        choice = random.random()
        if choice < 0.2:
            return self.synced
        if choice < 0.35:
            return self.live()
        if choice < 0.6:
            changes = self.pending[: random.randrange(len(self.pending) + 1)]
            if changes and changes[-1][1]:
                offset, data = changes[-1]
                pieces = -(-len(data) // PIECE)
                changes = [*changes[:-1], (offset, data[: random.randrange(1, pieces + 1) * PIECE])]
            return self.applied(self.synced, changes)
        # Any pieces; a file system that writes the size before the bytes leaves zeros.
        share = random.random()
        pieces = []
        for offset, data in self.pending:
            if data is None:
                if random.random() < share:
                    pieces.append((offset, None))
                continue
            start = offset
            while start < offset + len(data):
                end = min(offset + len(data), (start // PIECE + 1) * PIECE)
                if random.random() < share:
                    pieces.append((start, data[start - offset : end - offset]))
                start = end
        content = self.applied(self.synced, pieces)
        size = random.choice([len(content), len(self.synced), len(self.live())])
        return content[:size] + bytes(max(0, size - len(content)))


class Disk:
    """The names and the files below a folder, as they were at the start and are after some operations."""

    def __init__(self, root):
        self.root = root
        self.names = {}  # certainly there: path -> file, or None for a folder
        self.pending = []  # (folders, kind, path, target, file): what was done to names since the last flush
        self.files = {}  # by device and inode
        self.live = {}
        for place, folders, files in os.walk(root):
            for name in folders:
                self.names[os.path.join(place, name)] = None
            for name in files:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    self.names[path] = File(file.read())
                information = os.stat(path)
                self.files[information.st_dev, information.st_ino] = self.names[path]
        self.live = dict(self.names)

    @staticmethod
    def changed(names, kind, path, target, file):
        """Applies one change of names; what it takes for granted may be missing."""
        if kind in (CREATED, MADE_FOLDER):
            names[path] = file
        elif kind == LINKED:
            names[target] = file
        elif kind in (REMOVED, REMOVED_FOLDER):
            names.pop(path, None)
        elif kind == RENAMED:
            below = [name for name in names if name.startswith(path + "/")]
            if names.get(path, 0) is file or path not in names:
                names.pop(path, None)
            names[target] = file
            for name in below:
                names[target + name[len(path) :]] = names.pop(name)

    def apply(self, operation):
        kind, path, target = operation.kind, operation.path, operation.target
        if kind == CREATED:
            self.files[operation.key] = File()
            # A file of O_TMPFILE has no name yet.
            if not path.endswith(" (deleted)"):
                self.name(kind, path, target, self.files[operation.key])
        elif kind in (WRITTEN, TRUNCATED):
            file = self.files.setdefault(operation.key, File())
            file.pending.append((operation.offset, operation.data if kind == WRITTEN else None))
        elif kind == SYNCED:
            if path in self.live and self.live[path] is None or path == self.root:
                self.sync_folder(path)
            elif operation.key in self.files:
                self.files[operation.key].sync()
        elif kind == MADE_FOLDER:
            self.name(kind, path, target, None)
        elif kind == LINKED:
            self.name(kind, path, target, self.files.get(operation.key) or self.live.get(path))
        elif kind in (RENAMED, REMOVED, REMOVED_FOLDER):
            self.name(kind, path, target, self.live.get(path))

    def name(self, kind, path, target, file):
        folders = {os.path.dirname(name) for name in (path, target) if name}
        if kind == LINKED:
            folders = {os.path.dirname(target)}
        self.pending.append((folders, kind, path, target, file))
        self.changed(self.live, kind, path, target, file)

    def sync_folder(self, folder):
        kept = []
        for change in self.pending:
            if folder in change[0]:
                self.changed(self.names, *change[1:])
            else:
                kept.append(change)
        self.pending = kept

    def image(self, random, in_order):
        """Paths with their bytes, or None for folders."""
        names = dict(self.names)
        if in_order:
            chosen = self.pending[: random.randrange(len(self.pending) + 1)]
        else:
            share = random.choice([0, 0.3, 0.7, 1])
            chosen = [change for change in self.pending if random.random() < share]
        for change in chosen:
            self.changed(names, *change[1:])
        # A folder without a name has nothing in it.
        found, images = {}, {}
        for path in sorted(names):
            parent = os.path.dirname(path)
            if parent != self.root and parent not in found:
                continue
            file = names[path]
            if file is not None and id(file) not in images:
                images[id(file)] = file.image(random)
            found[path] = None if file is None else images[id(file)]
        return found
