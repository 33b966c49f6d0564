"""python -m mapeverything: runs the program of this package, which is no Python."""

import os
import sys
import sysconfig
from pathlib import Path

beside = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
# Where pip put it with --target.
beside.append(Path(__file__).resolve().parents[1] / "bin")
programs = [Path(folder) / "mapeverything" for folder in beside]
program = next((str(path) for path in programs if path.is_file()), None)
if program is None:
    sys.exit("mapeverything: expected the program in one of these, found none: " + ", ".join(map(str, programs)))
os.execv(program, [program, *sys.argv[1:]])
