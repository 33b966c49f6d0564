#!/usr/bin/env python3
"""Runs Python programs in forks of one process that has imported what they use, as importing takes longer than running.

usage: run_programs.py < FOLDERS

A line of the input names a folder: arguments.json has the command line after `python3`, `in` the standard input. Output
goes to the files `out` and `err`, and the exit status as a line into the named pipe `status`, negative for a signal.
"""

import contextlib
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import signal
import sys
import types

IMPORTS = [
    "PIL.Image", "mcap.reader", "mcap.writer", "mcap_ros2.decoder", "numpy", "rosbags.highlevel", "rosbags.rosbag2",
    "rosbags.typesys.stores.ros2_kilted", "websockets", "yaml", "zstandard",
]
# A program that hangs is killed.
SECONDS = 600


def run(folder):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    signal.alarm(SECONDS)
    for number, (name, flags) in enumerate([("in", os.O_RDONLY), ("out", os.O_WRONLY), ("err", os.O_WRONLY)]):
        os.dup2(os.open(f"{folder}/{name}", flags), number)
    sys.stdin = open(0, closefd=False)
    with open(f"{folder}/arguments.json") as file:
        arguments = json.load(file)
    if arguments[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        program = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), vars(program))
    else:
        sys.argv, sys.path[0] = arguments, os.path.dirname(arguments[0])
        runpy.run_path(arguments[0], run_name="__main__")


def main():
    # A thread of Dispatch, which blocks every signal, may have started this.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    sys.dont_write_bytecode = True
    for name in IMPORTS:
        # What is missing is the matter of the program that needs it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()
    processes = {}

    def ended(*_):
        for folder, process in list(processes.items()):
            # Another call may have come between.
            if process.exitcode is not None and processes.pop(folder, None):
                # Nothing to do where nobody waits for it any more.
                with contextlib.suppress(OSError):
                    pipe = os.open(f"{folder}/status", os.O_WRONLY | os.O_NONBLOCK)
                    os.write(pipe, b"%d\n" % process.exitcode)
                    os.close(pipe)

    signal.signal(signal.SIGCHLD, ended)
    for line in sys.stdin:
        folder = line.rstrip("\n")
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        processes[folder] = multiprocessing.Process(target=run, args=[folder])
        processes[folder].start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


if __name__ == "__main__":
    main()
