"""Runs a command in a terminal, and tells what a person saw there.

usage: watch_terminal.py COLUMNS COUNT COMMAND [ARGUMENT ...]

With COUNT above 0 the command is interrupted (SIGINT) as soon as so many lines of progress were seen.
A line of progress is one that was replaced (CR, ESC [K) by another or by nothing. Prints
{"status", "screen": [lines that stayed], "shown": [lines of progress], "rest": what stands behind the last line}.
"""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios


class Screen:
    """As much of a terminal as one line needs; a line that is too long wraps, as on a real one."""

    def __init__(self, columns):
        self.columns = columns
        self.lines, self.line, self.column = [], "", 0
        self.shown, self.pending = [], ""

    def put(self, text):
        text = self.pending + text
        self.pending = ""
        place = 0
        while place < len(text):
            rest = text[place:]
            if rest.startswith("\x1b"):
                if len(rest) < 3:
                    self.pending = rest
                    return
                if not rest.startswith("\x1b[K"):
                    raise SystemExit(f"unknown sequence {rest[:10]!r}")
                if self.line and self.column == 0:
                    self.shown.append(self.line)
                self.line = self.line[: self.column]
                place += 3
                continue
            character = text[place]
            place += 1
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.lines.append(self.line)
                self.line, self.column = "", 0
            else:
                if self.column == self.columns:
                    self.lines.append(self.line)
                    self.line, self.column = "", 0
                self.line = self.line[: self.column] + character
                self.column += 1


def main(columns, count, command):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    screen = Screen(columns)
    interrupted = False
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        screen.put(data.decode(errors="replace"))
        if count and len(screen.shown) >= count and not interrupted:
            interrupted = True
            process.send_signal(signal.SIGINT)
    print(json.dumps(dict(status=process.wait(), screen=screen.lines, shown=screen.shown, rest=screen.line)))


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
