"""The rules of ruff.toml."""

import subprocess
import sys
from pathlib import Path

import pytest

FLEET = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]])
def test_the_code_is_as_ruff_wants_it(arguments):
    ruff = Path(sys.executable).parent / "ruff"
    done = subprocess.run([ruff, *arguments, "--no-cache", FLEET], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
