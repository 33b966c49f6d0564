"""Puts the program and what belongs to it into a wheel, a Debian package or an archive, with the same bytes each time.

usage: pack.py wheel|deb|tar TREE VERSION FOLDER ARCH [RUNNER...]
TREE has bin/mapeverything and lib/mapeverything; ARCH is Debian's name of the processor, RUNNER the words before a program of it.
"""

import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
SUMMARY = "Recorded iPhone sessions (LiDAR, camera, poses, IMU, GPS) as ROS 2 topics, bags, maps and exports"
NO_LICENCE = "No licence has been chosen for mapeverything yet. What it is linked with: docs/third-party.md."
# What the program's symbols and those of its library ask for, at most; the tests of packages read them.
GLIBC = "2.34"
# By Debian's name: the processor by its own, and the loader that its programs name.
PROCESSORS = {"amd64": ("x86_64", "/lib64/ld-linux-x86-64.so.2"), "arm64": ("aarch64", "/lib/ld-linux-aarch64.so.1")}
# No address of the project exists yet.
MAINTAINER = "mapeverything <mapeverything@localhost>"
OVERRIDES = """# One package for Debian 12 and 13, whose libraries have other names or versions.
mapeverything: embedded-library *
# No address of the project exists yet.
mapeverything: bogus-mail-host *
mapeverything: bogus-mail-host-in-debian-changelog *
"""


def files(tree: Path) -> list[tuple[str, bytes, int]]:
    """The program and its library, by path below the prefix, with their modes."""
    found = sorted(path for path in tree.rglob("*") if path.is_file())
    return [(str(path.relative_to(tree)), path.read_bytes(), 0o755 if path.parent.name == "bin" else 0o644) for path in found]


def deflated(content: bytes) -> bytes:
    """Deflate (RFC 1951) by libdeflate's slowest level: 3 % smaller than zlib's."""
    done = subprocess.run(["libdeflate-gzip", "-12", "-c"], input=content, check=True, capture_output=True).stdout
    # A header without a name has 10 bytes, the checksum and size at the end 8.
    return done[10:-8]


def gzipped(content: bytes) -> bytes:
    """The same as a gzip file (RFC 1952) without a time."""
    ends = zlib.crc32(content).to_bytes(4, "little") + (len(content) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + deflated(content) + ends


class Deflate:
    """What zipfile asks of a compressor."""

    def __init__(self):
        self.content = []

    def compress(self, content: bytes) -> bytes:
        self.content.append(bytes(content))
        return b""

    def flush(self) -> bytes:
        return deflated(b"".join(self.content))


def output(program: Path, *arguments: str) -> str:
    environment = {**os.environ, "COLUMNS": "80"}
    return subprocess.run([*RUNNER, program, *arguments], check=True, capture_output=True, text=True, env=environment).stdout


def commands(program: Path, *path: str) -> list[list[str]]:
    """The command and all below it, by its own helps."""
    section = re.search(r"\nSUBCOMMANDS:\n(.*?)(?:\n\n|\Z)", output(program, *path, "--help"), re.S)
    names = re.findall(r"^  ([a-z-]+)(?:, [a-z]+)*(?: |\n|$)", section.group(1), re.M) if section else []
    return [list(path)] + [entry for name in names if name != "help" for entry in commands(program, *path, name)]


def manual(program: Path, path: list[str], version: str) -> tuple[str, bytes]:
    """A man page that holds the help of a command with all of its options, as it is printed."""
    name = "-".join(["mapeverything", *path])
    text = output(program, *path, "--help-all")
    summary = re.search(r"OVERVIEW: (.+)", text).group(1)
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    body = "\n".join(r"\&" + line if line[:1] in (".", "'") else line for line in escaped.splitlines())
    date = time.strftime("%Y-%m-%d", time.gmtime(EPOCH))
    page = f'.TH {name.upper()} 1 "{date}" "mapeverything {version}"\n.SH NAME\n{name} \\- {summary.replace("-", chr(92) + "-")}\n'
    page += f".SH DESCRIPTION\n.nf\n{body}\n.fi\n.SH SEE ALSO\n.BR mapeverything (1)\n"
    return f"share/man/man1/{name}.1.gz", gzip.compress(page.encode(), mtime=0)


def shared(tree: Path, version: str) -> list[tuple[str, bytes, int]]:
    """Man pages, completions, and what ROS, RViz and Foxglove load."""
    program = tree / "bin/mapeverything"
    found = [manual(program, path, version) for path in commands(program)]
    for shell, place in [
        ("bash", "share/bash-completion/completions/mapeverything"),
        ("zsh", "share/zsh/vendor-completions/_mapeverything"),
        ("fish", "share/fish/vendor_completions.d/mapeverything.fish"),
    ]:
        found.append((place, output(program, "completions", shell).removeprefix("#!/bin/bash\n").encode()))
    for path in sorted((ROOT / "ros2").rglob("*")):
        if path.is_file():
            found.append((f"share/mapeverything/{path.relative_to(ROOT / 'ros2')}", path.read_bytes()))
    found.append(("share/doc/mapeverything/CHANGELOG.md.gz", gzip.compress((ROOT / "docs/CHANGELOG.md").read_bytes(), mtime=0)))
    debian_licences = "On Debian /usr/share/common-licenses/LGPL-2.1 has the text of LGPL 2.1."
    notice = f"{NO_LICENCE}\n{debian_licences}\n\n".encode() + (ROOT / "docs/third-party.md").read_bytes()
    found.append(("share/doc/mapeverything/copyright", notice))
    return [(name, content, 0o644) for name, content in found]


def tarball(entries: list[tuple[str, bytes, int]], prefix: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        folders: set[str] = set()
        for name, content, mode in sorted(entries):
            parts = f"{prefix}{name}".split("/")
            for count in range(1, len(parts)):
                folder = "/".join(parts[:count])
                if folder not in folders and folder not in ("", "."):
                    folders.add(folder)
                    info = tarfile.TarInfo(folder)
                    info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o755, EPOCH
                    tar.addfile(info)
            info = tarfile.TarInfo(f"{prefix}{name}")
            info.size, info.mode, info.mtime = len(content), mode, EPOCH
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def wheel(tree: Path, version: str, out: Path) -> Path:
    tag = f"py3-none-manylinux_{GLIBC.replace('.', '_')}_{PROCESSORS[ARCH][0]}"
    name, info = f"mapeverything-{version}", f"mapeverything-{version}.dist-info"
    places = {"bin": f"{name}.data/scripts", "lib": f"{name}.data/data/lib"}
    entries = []
    for path, content, mode in files(tree):
        top, rest = path.split("/", 1)
        entries.append((f"{places[top]}/{rest}", content, mode))
    # What `python -m mapeverything` runs.
    entries.append(("mapeverything/__init__.py", b"", 0o644))
    entries.append(("mapeverything/__main__.py", (ROOT / "tools/packaging/entry.py").read_bytes(), 0o644))
    metadata = f"Metadata-Version: 2.1\nName: mapeverything\nVersion: {version}\nSummary: {SUMMARY}\n"
    metadata += "Requires-Python: >=3.8\nDescription-Content-Type: text/plain\n\n" + NO_LICENCE + "\n"
    entries.append((f"{info}/METADATA", metadata.encode(), 0o644))
    entries.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: mapeverything\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644))
    record = ""
    for path, content, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    entries.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    target = out / f"{name}-{tag}.whl"
    # zipfile has no place for another compressor.
    zipfile._get_compressor = lambda *_: Deflate()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, mode in entries:
            entry = zipfile.ZipInfo(path, time.gmtime(max(EPOCH, 315532800))[:6])
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target


def start() -> bytes:
    """The archive's bin/mapeverything: where the program cannot start, it says why, which takes no other program to find out.

    glibc's files had its version in their names until 2.33.
    """
    processor, loader = PROCESSORS[ARCH]
    needs = f"mapeverything: this program is for {processor} Linux with glibc {GLIBC} or newer"
    return f"""#!/bin/sh
if ! [ -e {loader} ]; then
    echo '{needs}; {loader} is not there: another processor, or another C library' >&2
    exit 69
fi
for old in /lib/{processor}-linux-gnu/libc-2.*.so /lib64/libc-2.*.so; do
    if [ -e "$old" ]; then
        echo "{needs}; this system has $old" >&2
        exit 69
    fi
done
here=$0
if [ -L "$here" ]; then here=$(readlink -f "$here"); fi
exec "${{here%/*}}/../libexec/mapeverything" "$@"
""".encode()


def archive(tree: Path, version: str, out: Path) -> Path:
    target = out / f"mapeverything-{version}-{PROCESSORS[ARCH][0]}-linux.tar.gz"
    entries = [(name.replace("bin/", "libexec/", 1), content, mode) for name, content, mode in files(tree)]
    entries += [("bin/mapeverything", start(), 0o755)] + shared(tree, version)
    target.write_bytes(gzipped(tarball(entries, f"mapeverything-{version}/")))
    return target


def deb(tree: Path, version: str, out: Path) -> Path:
    target = out / f"mapeverything_{version}_{ARCH}.deb"
    entries = files(tree) + shared(tree, version)
    log = f"mapeverything ({version}) unstable; urgency=medium\n\n  * CHANGELOG.md tells what changed.\n\n"
    log += f" -- {MAINTAINER}  {time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(EPOCH))}\n"
    entries.append(("share/doc/mapeverything/changelog.gz", gzip.compress(log.encode(), mtime=0), 0o644))
    entries.append(("share/lintian/overrides/mapeverything", OVERRIDES.encode(), 0o644))
    size = sum(len(content) for _, content, _ in entries) // 1024
    control = f"""Package: mapeverything
Version: {version}
Architecture: {ARCH}
Maintainer: {MAINTAINER}
Installed-Size: {size}
Depends: libc6 (>= {GLIBC}), libgcc-s1
Recommends: ffmpeg, proj-data, libddsc0debian
Section: science
Priority: optional
Description: recorded iPhone LiDAR sessions as ROS 2 topics, bags and maps
 Reads sessions that iPhones and iPads record, and publishes them to rosbridge
 and Foxglove, writes rosbag2, makes maps and exports. It needs no ROS.
"""
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  usr/{path}\n" for path, content, _ in sorted(entries))
    meta = [("control", control.encode(), 0o644), ("md5sums", sums.encode(), 0o644)]
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", gzip.compress(tarball(meta, "./"), mtime=0)),
        ("data.tar.gz", gzipped(tarball(entries, "./usr/"))),
    ]
    content = b"!<arch>\n"
    for name, data in members:
        content += f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    target.write_bytes(content)
    return target


if __name__ == "__main__":
    kind, tree, version, out = sys.argv[1], Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    ARCH, RUNNER = sys.argv[5], sys.argv[6:]
    made = {"wheel": wheel, "deb": deb, "tar": archive}[kind](tree, version, out)
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
