"""Runs a command and prints {"status": ..., "peak_kilobytes": ...} as the last line of standard error.

usage: measure.py COMMAND [ARGUMENTS...]

A small process in between: what a child of a large process is said to have used contains that process.
"""

import json
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:], timeout=170).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps(dict(status=status, peak_kilobytes=peak)), file=sys.stderr)
