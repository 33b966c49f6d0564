"""What the tests share: the command, small recordings, and S3 on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FLEET = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FLEET))


@pytest.fixture(scope="session")
def binary() -> str:
    return os.environ["MAPEVERYTHING_BINARY"]


@pytest.fixture(scope="session")
def recordings(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four small recordings, which no test changes."""
    folder = tmp_path_factory.mktemp("recordings")
    for number in range(1, 5):
        command = [binary, "sample", "-o", str(folder / f"r{number}"), "--size", "160x120", "--duration", "0.5"]
        subprocess.run([*command, "--fps", "10", "--gps", "--seed", str(number)], check=True, capture_output=True)
    return folder


@pytest.fixture
def plan(binary: str, tmp_path: Path) -> Callable[..., Path]:
    """Makes a manifest."""

    def make(*arguments: str) -> Path:
        path = tmp_path / "plan.jsonl"
        command = [binary, "batch", "plan", *arguments, "--to", "bag", "-o", str(path), "--force", "--memory", "256MiB"]
        subprocess.run(command, check=True, capture_output=True)
        return path

    return make


@pytest.fixture
def fleet() -> Callable[..., subprocess.CompletedProcess]:
    """Runs `python -m fleet`."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "fleet", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(FLEET), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def s3() -> Iterator[dict[str, str]]:
    """moto's server with a bucket; gives the variables by which s3fs finds it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    variables = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        # Nothing but this server is asked.
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    os.environ.update(variables)
    yield variables
    server.terminate()
    server.wait()
