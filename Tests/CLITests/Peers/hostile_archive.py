"""Packs a session and something that must not be unpacked.

usage: hostile_archive.py FOLDER ARCHIVE KIND

  dotdot     a .zip with ../evil.txt beside the session
  absolute   a .zip with /tmp/evil.txt beside the session
  claims     a .zip whose directory says that an image has four gigabytes
  bomb       a .zip whose first depth map is 200 MB of zeros
  cut        a .zip without its last 100 bytes
  link       a .tar in which a depth map is a symbolic link to /etc/passwd
  tarclaims  a .tar that ends in the middle of a file
"""

import io
import struct
import sys
import tarfile
import zipfile
from pathlib import Path

folder, archive, kind = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
files = sorted(path for path in folder.rglob("*") if path.is_file())


def pack_zip(skip=(), extra=()):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for path in files:
            name = f"session/{path.relative_to(folder)}"
            if name not in skip:
                pack.write(path, name)
        for name, data in extra:
            pack.writestr(name, data)


if kind == "dotdot":
    pack_zip(extra=[("session/../../evil.txt", b"evil")])
elif kind == "absolute":
    pack_zip(extra=[("/tmp/evil.txt", b"evil")])
elif kind == "claims":
    pack_zip()
    data = bytearray(archive.read_bytes())
    place = data.rfind(b"session/rgb/000000.jpg")
    data[place - 22 : place - 18] = struct.pack("<I", 0xFFFFFFF0)
    archive.write_bytes(data)
elif kind == "bomb":
    pack_zip(skip=["session/depth/000000.bin"], extra=[("session/depth/000000.bin", bytes(200 << 20))])
elif kind == "cut":
    pack_zip()
    archive.write_bytes(archive.read_bytes()[:-100])
else:
    with tarfile.open(archive, "w") as pack:
        for path in files:
            name = f"session/{path.relative_to(folder)}"
            if kind == "link" and name == "session/depth/000000.bin":
                link = tarfile.TarInfo(name)
                link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
                pack.addfile(link)
            else:
                pack.add(path, name)
    if kind == "tarclaims":
        data = archive.read_bytes()
        archive.write_bytes(data[: len(data) * 2 // 3])
