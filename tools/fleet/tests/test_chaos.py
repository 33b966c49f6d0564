"""Two hundred recordings on several raylets, while things are killed; how many by FLEET_CAPTURES."""

import os
import subprocess
import sys
from pathlib import Path

CHAOS = Path(__file__).resolve().parent.parent / "chaos.py"


def test_nothing_is_lost_and_nothing_twice(binary):
    count = os.environ.get("FLEET_CAPTURES", "200")
    command = [sys.executable, str(CHAOS), "--binary", binary, "--captures", count]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert '"driver": 1' in done.stdout
