"""What `tools/package all` made is installed as users do it, and runs there: in Python's environments and in bare systems."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = Path(os.environ.get("MAPEVERYTHING_PACKAGES", ROOT / ".build/tested-packages"))
SYSTEMS = ROOT / ".build/packaging"
TOOLS = Path(sys.executable).parent
SUDO = [] if os.geteuid() == 0 else ["sudo", "-E"]
SUITES = ["bookworm", "trixie"]


@pytest.fixture(scope="session", autouse=True)
def packages() -> None:
    if "MAPEVERYTHING_PACKAGES" in os.environ:
        return
    for path in PACKAGES.glob("mapeverything*"):
        path.unlink()
    run(ROOT / "tools/package", "all", PACKAGES)


def package(pattern: str) -> Path:
    found = sorted(PACKAGES.glob(pattern))
    assert len(found) == 1, f"expected one {pattern} in {PACKAGES}, found {found}"
    return found[0]


def run(*command: object, **options: object) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, errors="replace", **options
    )
    assert done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


def does_the_main_job(command: list[object], folder: str) -> None:
    """A sample, a bag of it, and a judgement of the bag, whose counts must agree with what was recorded."""
    run(*command, "sample", "-o", f"{folder}/s", "--duration", "1", "--size", "320x240", "--images", "3", "--tags")
    written = run(*command, "bag", f"{folder}/s", "-o", f"{folder}/b", "--compression", "zstd")
    assert "sound" in run(*command, "check", f"{folder}/b")
    held = json.loads(run(*command, "inspect", f"{folder}/b", "--json"))
    assert held["messages"] > 20 and f"{held['messages']} messages" in written, written
    # AprilTag's library is the one that the package brings along.
    assert "tag36h11" in run(*command, "tags", "detect", f"{folder}/s")


# MARK: - The wheel


def pythons() -> list[Path]:
    """The oldest and the newest Python of this machine for which pip knows the tag of the wheel."""
    found: dict[tuple[int, ...], Path] = {}
    for path in [*Path.home().glob(".pyenv/versions/*/bin/python3"), *Path("/usr/bin").glob("python3.*[0-9]")]:
        code = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found.setdefault(tuple(map(int, done.stdout.split())), path)
    usable = sorted(version for version in found if version >= (3, 8))
    return [found[version] for version in sorted({usable[0], usable[-1]})]


def test_the_wheel_runs_in_the_oldest_and_the_newest_python(tmp_path):
    for number, python in enumerate(pythons()):
        environment = tmp_path / str(number)
        run(python, "-m", "venv", environment)
        run(environment / "bin/pip", "install", "--no-index", package("*.whl"))
        bare = {"PATH": "/nowhere", "HOME": str(tmp_path)}
        assert re.fullmatch(r"\d+\.\d+\.\d+\n", run(environment / "bin/mapeverything", "--version", env=bare))
        assert run(environment / "bin/python", "-m", "mapeverything", "--version", env=bare)
        does_the_main_job([environment / "bin/mapeverything"], str(environment))
        run(environment / "bin/pip", "uninstall", "-y", "mapeverything")
        left = [path for path in environment.rglob("*apriltag*") if path.is_file()]
        assert not (environment / "bin/mapeverything").exists() and not left


def test_uvx_runs_the_wheel_without_installing_it(tmp_path):
    environment = {**os.environ, "UV_CACHE_DIR": str(tmp_path)}
    run(TOOLS / "uvx", "--offline", "--python", sys.executable, "--from", package("*.whl"), "mapeverything", "--version",
        env=environment)


def test_the_wheel_is_what_its_tag_says(tmp_path):
    said = run(TOOLS / "auditwheel", "show", package("*.whl"))
    words = " ".join(said.split())
    assert 'consistent with the following platform tag: "manylinux_2_34_x86_64"' in words, said
    assert "OK" in run(TOOLS / "check-wheel-contents", package("*.whl"))
    with zipfile.ZipFile(package("*.whl")) as archive:
        program = archive.read(next(name for name in archive.namelist() if name.endswith("scripts/mapeverything")))
    # Nothing of the machine that built it.
    assert str(ROOT).encode() not in program
    path = tmp_path / "program"
    path.write_bytes(program)
    needed = run("readelf", "-d", path)
    libraries = set(re.findall(r"NEEDED.*\[(.*)\]", needed))
    assert libraries <= {"libapriltag.so.3", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}, needed


def test_the_sizes_are_what_users_were_told():
    assert package("*.whl").stat().st_size <= 17_500_000
    with tarfile.open(package("*.tar.gz")) as archive:
        assert next(entry for entry in archive if entry.name.endswith("libexec/mapeverything")).size <= 43_500_000


def test_pip_takes_the_c_library_of_its_tag_and_refuses_older_ones_and_another_processor(tmp_path):
    # As on a machine that has this glibc: Ubuntu 22.04 has glibc 2.35, AlmaLinux 9 2.34, Debian 11 2.31.
    for minor, processor, fits in [
        (35, "x86_64", True), (34, "x86_64", True), (33, "x86_64", False), (31, "x86_64", False), (36, "aarch64", False)
    ]:
        tag = f"manylinux_2_{minor}_{processor}"
        platforms = [f"--platform=manylinux_2_{older}_{processor}" for older in range(minor, 16, -1)]
        command = [sys.executable, "-m", "pip", "download", "--no-index", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run(
            [*command, *platforms, "-d", tmp_path / tag, package("*.whl")], capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == fits, f"{tag}: {done.stderr}"
        assert fits or "is not a supported wheel on this platform" in done.stderr, done.stderr


# MARK: - The archive


def test_the_archive_runs_from_any_folder(tmp_path):
    run("tar", "-xzf", package("*.tar.gz"), "-C", tmp_path)
    (top,) = tmp_path.iterdir()
    moved = tmp_path / "elsewhere with a space"
    top.rename(moved)
    does_the_main_job([moved / "bin/mapeverything"], str(tmp_path))
    pages = sorted(path.name for path in (moved / "share/man/man1").iterdir())
    assert "mapeverything-tags-map.1.gz" in pages and len(pages) > 20


def test_the_archive_says_in_words_what_it_needs(tmp_path, system, monkeypatch):
    """Where its loader is not there, or glibc's files have an old version in their names, as until 2.33."""
    run("tar", "-xzf", package("*.tar.gz"), "-C", system / "opt", "--strip-components=1")
    start = ["/opt/bin/mapeverything", "--version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", inside(system, *start))
    run(*SUDO, "ln", "-s", "/opt/bin/mapeverything", system / "usr/local/bin/m")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", inside(system, "/usr/local/bin/m", "--version"))
    old = system / "usr/lib/x86_64-linux-gnu/libc-2.31.so"
    run(*SUDO, "touch", old)
    done = subprocess.run(chrooted(system, *start), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()) == (69, [
        "mapeverything: this program is for x86_64 Linux with glibc 2.34 or newer; this system has "
        "/lib/x86_64-linux-gnu/libc-2.31.so"
    ])
    # That of the other processor, on this one.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.syspath_prepend(ROOT / "tools/packaging")
    import pack
    pack.ARCH = "arm64"
    (tmp_path / "start").write_bytes(pack.start())
    done = subprocess.run(["sh", tmp_path / "start"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()) == (69, [
        "mapeverything: this program is for aarch64 Linux with glibc 2.34 or newer; /lib/ld-linux-aarch64.so.1 is not there: "
        "another processor, or another C library"
    ])


# MARK: - Bare systems


@pytest.fixture(params=SUITES)
def system(request, tmp_path):
    """A Debian with nothing but Python: a copy that is thrown away."""
    root = tmp_path / "system"
    run(*SUDO, "cp", "-a", SYSTEMS / request.param, root)
    for path in PACKAGES.glob("mapeverything*"):
        run(*SUDO, "cp", path, root / "tmp")
    # Where a program lies, by which it finds its library, only /proc tells.
    run(*SUDO, "mount", "-t", "proc", "proc", root / "proc")
    try:
        yield root
    finally:
        run(*SUDO, "umount", root / "proc")
    run(*SUDO, "rm", "-rf", "--one-file-system", root)


def chrooted(root: Path, *command: object) -> list[str]:
    words = [*SUDO, "chroot", root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "COLUMNS=80", *command]
    return [str(word) for word in words]


def inside(root: Path, *command: object) -> str:
    return run(*chrooted(root, *command))


def test_the_wheel_runs_in_a_bare_system(system):
    assert not list(system.glob("usr/lib/x86_64-linux-gnu/libapriltag*"))
    inside(system, "python3", "-m", "venv", "/opt/v")
    inside(system, "sh", "-c", "/opt/v/bin/pip install --no-index /tmp/*.whl")
    does_the_main_job([*SUDO, "chroot", system, "/opt/v/bin/mapeverything"], "/tmp")


def test_the_debian_package_installs_and_runs(system):
    inside(system, "sh", "-c", "dpkg -i /tmp/mapeverything_*_amd64.deb")
    does_the_main_job([*SUDO, "chroot", system, "mapeverything"], "/tmp")
    for place in [
        "share/man/man1/mapeverything.1.gz", "share/bash-completion/completions/mapeverything",
        "share/zsh/vendor-completions/_mapeverything", "share/fish/vendor_completions.d/mapeverything.fish",
        "share/doc/mapeverything/copyright",
    ]:
        assert (system / "usr" / place).is_file(), place
    # Also the options that few need.
    page = gzip.decompress((system / "usr/share/man/man1/mapeverything-map.1.gz").read_bytes())
    assert rb"\-\-poses <file>" in page and rb"\-\-dense <size>" in page, page
    assert "--poses" in (system / "usr/share/bash-completion/completions/mapeverything").read_text()
    assert list((system / "usr/share/mapeverything").rglob("*.msg"))
    # Without ffmpeg only videos are not read, and it says how to get it.
    said = inside(system, "mapeverything", "--version", "--verbose")
    assert re.search(r"^  ffmpeg +not found: apt install ffmpeg", said, re.M), said
    inside(system, "dpkg", "--purge", "mapeverything")
    assert not (system / "usr/bin/mapeverything").exists() and not (system / "usr/lib/mapeverything").exists()


def test_lintian_finds_no_error():
    run("lintian", "--allow-root", "--fail-on", "error", package("*.deb"))


def run_steps(system: Path, text: str) -> list[str]:
    """What RUN and COPY of a container file say, of this repository; the words of its ENTRYPOINT."""
    shutil.copy("/etc/resolv.conf", system / "etc/resolv.conf")
    steps = re.findall(r"^(RUN|COPY) (.*)$", text, re.M)
    assert len(steps) >= 3
    for kind, step in steps:
        if kind == "RUN":
            inside(system, "sh", "-c", step)
        elif (ROOT / step.split()[0]).exists():
            # What is not in the repository is the package, which lies in /tmp already.
            source, target = step.split()
            (system / target[1:]).parent.mkdir(exist_ok=True)
            run(*SUDO, "cp", "-r", ROOT / source, system / target[1:])
    return json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.M).group(1))


takes_minutes = pytest.mark.skipif("MAPEVERYTHING_FULL" not in os.environ, reason="takes minutes (tools/test --full)")


@takes_minutes
def test_the_steps_of_the_container_run(system):
    (entry,) = run_steps(system, (PACKAGES / "Containerfile").read_text())
    said = inside(system, entry, "--version", "--verbose")
    assert not re.search(r"not found", said), said


@takes_minutes
@pytest.mark.parametrize("system", ["bookworm"], indirect=True)
def test_the_drivers_run_on_the_image_of_the_package(system):
    run_steps(system, (PACKAGES / "Containerfile").read_text())
    text = (ROOT / "tools/fleet/Dockerfile").read_text()
    entry = run_steps(system, text)
    variables = re.search(r"^ENV (.*)$", text, re.M).group(1).split()
    user = re.search(r"^USER (.*)$", text, re.M).group(1)
    inside(system, "mkdir", "/tmp/recordings")
    inside(system, "mapeverything", "sample", "-o", "/tmp/recordings/s", "--duration", "1", "--size", "320x240")
    inside(system, "mapeverything", "batch", "plan", "/tmp/recordings", "--to", "bag", "-o", "/tmp/plan.jsonl")
    inside(system, "install", "-d", "-o", user.split(":")[0], "/tmp/bags")
    place = ["chroot", f"--userspec={user}", system, "env", "-i", "PATH=/usr/bin:/bin", "TMPDIR=/tmp", *variables]
    run(*SUDO, *place, "JOB_COMPLETION_INDEX=0", *entry, "shard", "/tmp/plan.jsonl", "/tmp/bags")
    said = inside(system, "mapeverything", "batch", "status", "/tmp/plan.jsonl", "/tmp/bags", "--json")
    assert json.loads(said)["done"] == 1, said
