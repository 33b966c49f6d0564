#!/usr/bin/env python3
"""Stands for `ros2`: notes in $FAKE_ROS2_NOTES what it is called with and what signals it gets, in one file for all.

$FAKE_LAUNCH and $FAKE_BAG say how `ros2 launch` and `ros2 bag` behave:

  proper     ends on SIGINT
  slow       ends on SIGINT, but only once a file $FAKE_ROS2_NOTES.go is there
  deaf       ends on SIGTERM only
  stubborn   ends on SIGKILL only
  dies       prints 30 lines, and ends with status 7
  leaves     as proper, but has started a program that ignores everything
"""

import os
import signal
import subprocess
import sys
import time

notes = os.environ["FAKE_ROS2_NOTES"]
name = sys.argv[1]
behaviour = os.environ.get(f"FAKE_{name.upper()}", "proper")


def note(text):
    with open(notes, "a") as file:
        file.write(f"{name} {text}\n")


def end(status):
    note("ends")
    sys.exit(status)


def interrupted(number, frame):
    note(signal.Signals(number).name)
    if behaviour == "slow":
        while not os.path.exists(notes + ".go"):
            time.sleep(0.02)
    if behaviour in ("proper", "slow", "leaves") or (behaviour == "deaf" and number == signal.SIGTERM):
        end(0)


if sys.argv[2:3] == ["ignores"]:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    note(f"child {os.getpid()}")
    time.sleep(600)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, interrupted)
note("called " + " ".join(sys.argv[1:]))
note(f"group {os.getpgid(0) == os.getpid()} input {os.readlink('/proc/self/fd/0')} extra {os.environ.get('FAKE_EXTRA')}")
if behaviour == "leaves":
    subprocess.Popen([sys.executable, __file__, name, "ignores"])
if behaviour == "dies":
    for line in range(30):
        print("line", line, flush=True)
    sys.exit(7)
print("ready", flush=True)
note("ready")
while True:
    signal.pause()
