"""Packs a session as others do: usage: pack.py FOLDER ARCHIVE.zip|ARCHIVE.tar"""

import sys
import tarfile
import zipfile
from pathlib import Path

folder, archive = Path(sys.argv[1]), Path(sys.argv[2])
files = sorted(path for path in folder.rglob("*") if path.is_file())
if archive.suffix == ".zip":
    with zipfile.ZipFile(archive, "w") as pack:
        for index, path in enumerate(files):
            method = zipfile.ZIP_DEFLATED if index % 2 else zipfile.ZIP_STORED
            pack.write(path, Path(folder.name) / path.relative_to(folder), method)
else:
    with tarfile.open(archive, "w") as pack:
        pack.add(folder, folder.name)
