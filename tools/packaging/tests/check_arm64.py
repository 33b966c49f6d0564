"""What `tools/package check --arch arm64` made is installed in a bare Debian 12 for arm64, which qemu runs, and compared with x86-64.

The same commands run with both programs, each in a folder of its own and with relative names: what they print and write has to be
the same, byte for byte, but for tags: Debian's libapriltag for arm64 rounds a product and a sum once, and that for x86-64 twice. Corners are
less than a tenth of a pixel apart by that, and maps of tags less than a millimetre. Videos are ffmpeg's.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from test_packages import PACKAGES, ROOT, SUDO, TOOLS, chrooted, inside, run

SYSTEM = ROOT / ".build/packaging/bookworm-arm64"
HERE = os.environ["MAPEVERYTHING_AMD64"]

# Each runs in the folder of the results of those before it.
COMMANDS = [
    "--version",
    "sample -o room --duration 3 --size 320x240 --images 5 --tags",
    "sample -o loop --walk loop --duration 20 --fps 5 --size 96x72 --drift 1",
    "sample --format record3d -o phone --duration 2 --size 320x240",
    "bag room -o bag_db3",
    "bag room -o bag.mcap --compression zstd",
    "bag room -o bag_lz4 -s mcap --compression lz4",
    "bag room -o full --profile full",
    "check room",
    "check bag_db3",
    "check bag.mcap",
    "inspect room --json",
    "inspect full --json",
    "convert bag_db3 -o converted.mcap",
    "map room -o map.ply",
    "map room -o map.glb",
    "map room -o floor.yaml",
    "map room -o map.las",
    "map room -o map.bt",
    "export room --to colmap -o colmap",
    "export room --to tum -o tum.txt",
    "export room --to pcd -o cloud.pcd",
    "export room --to lerobot -o lerobot",
    "report room -o room.html",
    "report bag.mcap -o bag.html",
    "refine loop -o refined.txt",
    "tags detect room",
    "tags map room -o tags.yaml",
    "trim room -o trimmed --start 1",
    "list .",
    "replay room --dry-run",
]

# Encoded by ffmpeg, which decides otherwise on another processor.
VIDEOS = [f"lerobot/videos/observation.images.{kind}/chunk-000/file-000.mp4" for kind in ("depth", "front")]


@pytest.fixture(scope="session")
def sides(tmp_path_factory) -> dict[str, Path]:
    """A folder with the results of each processor: by the names `x86_64` and `aarch64`."""
    base = tmp_path_factory.mktemp("sides")
    folders = {name: base / name for name in ("x86_64", "aarch64")}
    for folder in folders.values():
        folder.mkdir()
    place = SYSTEM / "data"
    run(*SUDO, "mkdir", "-p", place)
    run(*SUDO, "mount", "--bind", folders["aarch64"], place)
    run(*SUDO, "mount", "-t", "proc", "proc", SYSTEM / "proc")
    try:
        inside(SYSTEM, "sh", "-c", "rm -f /tmp/mapeverything*")
        run(*SUDO, "cp", *PACKAGES.glob("mapeverything*"), SYSTEM / "tmp")
        inside(SYSTEM, "sh", "-c", "dpkg -i /tmp/mapeverything_*_arm64.deb")
        yield folders
    finally:
        run(*SUDO, "umount", place)
        run(*SUDO, "umount", SYSTEM / "proc")


def words(side: str, *arguments: str) -> list[str]:
    """The command line of a side's program."""
    if side == "x86_64":
        return ["env", "-i", "PATH=/usr/bin:/bin", "HOME=/root", "COLUMNS=80", HERE, *arguments]
    return chrooted(SYSTEM, "sh", "-c", 'cd /data && exec mapeverything "$@"', "sh", *arguments)


def both(sides: dict[str, Path], *arguments: str) -> list[subprocess.CompletedProcess]:
    return [
        subprocess.run(words(side, *arguments), cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        for side, folder in sides.items()
    ]


@pytest.fixture(scope="session")
def outcomes(sides) -> dict[str, list[subprocess.CompletedProcess]]:
    return {command: both(sides, *command.split()) for command in COMMANDS}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def without_times(text: str) -> str:
    """Without how long it took, and when files were made, which date a recording that does not say when it was made."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "Z", text)
    return re.sub(r"\b\d+(\.\d+)? (s|ms|MB/s|MB of memory)\b|\b\d+ frames/s", "T", text)


NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def apart(here: str, there: str) -> float:
    """How far the numbers of two texts are apart at most; the rest of them is the same."""
    assert NUMBER.sub("N", here) == NUMBER.sub("N", there)
    return max((abs(float(a) - float(b)) for a, b in zip(NUMBER.findall(here), NUMBER.findall(there))), default=0)


def test_corners_of_tags_are_alike(outcomes, sides):
    """Three tenths of a pixel is what a corner is taken to be sure to."""
    corners = re.compile(r'"corners_px":\[[^]]*\]')
    here, there = (" ".join(corners.findall(side.stdout)) for side in outcomes["tags detect room"])
    assert len(here) > 300 and apart(here, there) < 0.1
    here, there = ((folder / "tags.yaml").read_text() for folder in sides.values())
    assert apart(here, there) < 0.001


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "tags detect room"])
def test_both_processors_say_the_same(outcomes, command):
    here, there = outcomes[command]
    assert here.returncode == there.returncode == 0, f"{here}\n{there}"
    assert without_times(here.stdout) == without_times(there.stdout)
    assert without_times(here.stderr) == without_times(there.stderr)


def test_both_processors_write_the_same_bytes(outcomes, sides):
    here, there = (files(folder) for folder in sides.values())
    assert here.keys() == there.keys() and len(here) > 100
    assert [name for name in here if here[name] != there[name] and name not in ("tags.yaml", *VIDEOS)] == []


def test_videos_show_the_same(outcomes, sides):
    """Depth, which is encoded without loss, to the bit; pictures to 35 dB."""
    for name in VIDEOS:
        here, there = (folder / name for folder in sides.values())
        said = run("ffmpeg", "-i", here, "-i", there, "-lavfi", "psnr", "-f", "null", "-")
        least = re.search(r"PSNR .*min:(inf|[\d.]+)", said).group(1)
        assert least == "inf" if "depth" in name else float(least) > 35, said


def test_a_page_is_served(outcomes, sides):
    """By each; the page is the same."""
    pages = []
    for number, (side, folder) in enumerate(sides.items()):
        port = 18_765 + number
        served = subprocess.Popen(
            words(side, "serve", "room", "--port", str(port)), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            pages.append(fetched(f"http://127.0.0.1:{port}/"))
        finally:
            served.send_signal(signal.SIGTERM)
            served.wait(30)
    assert b"<html" in pages[0] and pages[0] == pages[1]


def fetched(address: str) -> bytes:
    for _ in range(150):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return answer.read()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"nothing answers at {address}")


def test_a_replay_is_recorded(outcomes, sides):
    """All messages of a replay come into the bag of `record`, both on arm64."""
    recorder = subprocess.Popen(
        words("aarch64", "record", "-o", "recorded", "--port", "18770"), cwd=sides["aarch64"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    try:
        replayed = words("aarch64", "replay", "room", "--url", "ws://127.0.0.1:18770", "--rate", "max")
        for _ in range(30):
            done = subprocess.run(replayed, cwd=sides["aarch64"], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(1)
        assert done.returncode == 0, done
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
    published = int(re.search(r"([\d,]+) messages", done.stdout + done.stderr).group(1).replace(",", ""))
    held = subprocess.run(
        words("aarch64", "inspect", "recorded", "--json"), cwd=sides["aarch64"], capture_output=True, text=True, check=True
    )
    assert json.loads(held.stdout)["messages"] >= published > 20


def test_the_wheel_runs_in_the_bare_system(sides):
    inside(SYSTEM, "python3", "-m", "venv", "/opt/v")
    inside(SYSTEM, "sh", "-c", "/opt/v/bin/pip install --no-index --force-reinstall /tmp/*.whl")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", inside(SYSTEM, "/opt/v/bin/mapeverything", "--version"))


def test_the_files_are_what_their_names_say(tmp_path):
    (wheel,) = PACKAGES.glob("*.whl")
    said = " ".join(run(TOOLS / "auditwheel", "show", wheel).split())
    assert 'consistent with the following platform tag: "manylinux_2_34_aarch64"' in said, said
    run("lintian", "--allow-root", "--fail-on", "error", *PACKAGES.glob("*.deb"))
    for path in PACKAGES.glob("mapeverything*"):
        assert path.stat().st_size <= 17_500_000, path
    (archive,) = PACKAGES.glob("*.tar.gz")
    run("tar", "-xzf", archive, "-C", tmp_path, "--strip-components=1")
    needed = run("readelf", "-hd", tmp_path / "libexec/mapeverything")
    assert "AArch64" in needed
    libraries = set(re.findall(r"NEEDED.*\[(.*)\]", needed))
    assert libraries <= {"libapriltag.so.3", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-aarch64.so.1"}, needed
    assert str(ROOT).encode() not in (tmp_path / "libexec/mapeverything").read_bytes()
