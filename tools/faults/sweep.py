"""Lets each call of each command fail once, and judges what is left."""

import errno
import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass

import cases

# In the order of faults.c.
CALLS = ["open", "read", "pread", "write", "pwrite", "fsync", "fdatasync", "rename", "link", "unlink", "ftruncate", "fallocate",
         "mmap", "close", "mkdir", "rmdir", "send", "copy", "stat", "opendir", "readdir", "flock"]
SHORT = "short"
ERRORS = {
    "open": ["EIO", "ENOSPC", "EINTR", "EDQUOT", "EMFILE"], "read": ["EIO", "EINTR", SHORT], "pread": ["EIO", "EINTR", SHORT],
    "write": ["EIO", "ENOSPC", "EINTR", "EDQUOT", SHORT], "pwrite": ["EIO", "ENOSPC", "EINTR", "EDQUOT", SHORT],
    "fsync": ["EIO", "ENOSPC", "EINTR", "EDQUOT"], "fdatasync": ["EIO", "ENOSPC", "EINTR", "EDQUOT"],
    "rename": ["EIO", "ENOSPC", "EDQUOT"], "link": ["EIO", "ENOSPC", "EDQUOT"], "unlink": ["EIO"],
    "ftruncate": ["EIO", "EINTR", "EDQUOT"], "fallocate": ["EIO", "ENOSPC", "EINTR", "EDQUOT"], "mmap": ["EIO", "EMFILE"],
    "close": ["EIO", "ENOSPC", "EINTR", "EDQUOT"], "mkdir": ["EIO", "ENOSPC", "EDQUOT"], "rmdir": ["EIO"],
    "send": ["EIO", "EINTR", SHORT], "copy": ["EIO", "ENOSPC", SHORT], "stat": ["EIO"], "opendir": ["EIO", "EINTR", "EMFILE"],
    "readdir": ["EIO"], "flock": ["EIO", "EINTR"],
}
# help exit-statuses
STATUSES = {1, 2, 65, 66, 69, 73, 74}
SECONDS = 20
MARK = "/.unfinished-mapeverything"


@dataclass(frozen=True)
class Fault:
    case: str
    call: str
    number: int
    error: str


@dataclass
class Run:
    status: int | None  # None: it hung
    output: bytes
    errors: bytes
    fired: bool = False
    place: str = ""
    confirmed: int | None = None


def contents(folder):
    """The hashes of all files below a folder, or of one file; folders themselves count as such."""
    if os.path.isfile(folder):
        with open(folder, "rb") as file:
            return {"": hashlib.sha256(file.read()).hexdigest()}
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(place, name), folder)] = "folder"
        for name in files:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def difference(found, expected):
    names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    words = {(True, True): "differs", (True, False): "is new", (False, True): "is missing"}
    return ", ".join(f"{name or 'the file'} {words[name in found, name in expected]}" for name in names[:4])


class Bench:
    """A folder in which one run after the other is made, with inputs of its own."""

    # Of each kind, made by this program, as far as --force looks.
    OLD = {".html": b"<!doctype html>mapeverything", ".ply": b"ply\ncomment mapeverything\n", ".txt": b"# old",
           ".glb": b"glTF mapeverything"}

    def __init__(self, binary, library, folder):
        self.binary, self.library, self.folder = binary, library, folder
        cases.Inputs(binary, folder)
        self.inputs = contents(f"{folder}/in")
        self.state = f"{folder}.state"
        self.references = {}
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("FAULTS_")}
        self.environment |= {"TMPDIR": f"{folder}/tmp", "HOME": folder, "TZ": "UTC"}

    def clear(self, case):
        for name in ["out", "tmp"]:
            shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)
        os.makedirs(f"{self.folder}/tmp")
        os.makedirs(f"{self.folder}/out")
        if case.output is None:
            name = case.arguments[1].removeprefix("out/")
            shutil.copytree(f"{self.folder}/damaged/{name}", f"{self.folder}/out/{name}")
        if case.name.endswith("-replaced"):
            self.put_old(case)

    def put_old(self, case):
        """What is there before, where a run replaces it: of the kind, whole, and another."""
        path = f"{self.folder}/{case.output}"
        ending = os.path.splitext(path)[1]
        if ending == ".mcap":
            shutil.copy(f"{self.folder}/in/one.mcap", path)
        elif ending:
            with open(path, "wb") as file:
                file.write(self.OLD[ending])
        else:
            shutil.copytree(f"{self.folder}/in/db3", path)

    def old(self, case):
        path = f"{self.folder}/{case.output}"
        kept = f"{path}.kept"
        os.rename(path, kept)
        self.put_old(case)
        found = contents(path)
        os.remove(path) if os.path.isfile(path) else shutil.rmtree(path)
        os.rename(kept, path)
        return found

    def run(self, case, fault=None, more=(), log=None):
        environment = dict(self.environment)
        if fault or log or more is None:
            with open(self.state, "wb") as file:
                file.write(bytes(8192))
            environment |= {"LD_PRELOAD": self.library, "FAULTS_ROOT": self.folder, "FAULTS_STATE": self.state}
        if fault:
            code = 0 if fault.error == SHORT else getattr(errno, fault.error)
            environment |= {"FAULTS_CALL": fault.call, "FAULTS_N": str(fault.number), "FAULTS_ERROR": str(code)}
        if log:
            environment["FAULTS_LOG"] = log
        process = subprocess.Popen([self.binary, *case.arguments, *(more or ())], cwd=self.folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        errors, confirmed = [], None
        try:
            if case.feeds:
                confirmed = cases.fed(process, errors)
                process.wait(SECONDS)
                output = process.stdout.read()
            else:
                output, text = process.communicate(timeout=SECONDS)
                errors.append(text)
            status = process.returncode
        except subprocess.TimeoutExpired:
            status, output = None, b""
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()
            process.stderr.close()
        run = Run(status, output, b"".join(errors), confirmed=confirmed)
        if fault:
            with open(self.state, "rb") as file:
                bytes_ = file.read()
            run.fired = struct.unpack_from("I", bytes_, 128)[0] > 0
            run.place = bytes_[136:].split(b"\0")[0].decode(errors="replace").replace(self.folder + "/", "")
        return run

    def counted(self, case):
        """How many calls of each kind a run makes without a fault; its output becomes the reference."""
        self.clear(case)
        run = self.run(case, more=None)
        if run.status not in case.statuses:
            raise SystemExit(f"faults: {case.name}: status {run.status} without a fault\n{run.errors.decode()}")
        with open(self.state, "rb") as file:
            counts = struct.unpack("32I", file.read(128))
        self.references[case.name] = (run, contents(f"{self.folder}/out"))
        return {call: counts[place] for place, call in enumerate(CALLS)}

    def reference(self, case):
        if case.name not in self.references:
            self.counted(case)
        return self.references[case.name]

    # --- Judging ---

    def judged(self, case, fault):
        """The kind of the violation and what was found, or None; and the run."""
        expected_run, expected = self.reference(case)
        self.clear(case)
        run = self.run(case, fault)
        return self.verdict(case, run, expected_run, expected), run

    def verdict(self, case, run, expected_run, expected):
        if run.status is None:
            return "hang", f"still running after {SECONDS} s"
        if run.status < 0:
            return "signal", signal.Signals(-run.status).name
        if contents(f"{self.folder}/in") != self.inputs:
            changed = difference(contents(f"{self.folder}/in"), self.inputs)
            cases.Inputs(self.binary, self.folder)
            return "input changed", changed
        if os.listdir(f"{self.folder}/tmp"):
            return "temporary file left", ", ".join(os.listdir(f"{self.folder}/tmp"))
        found = contents(f"{self.folder}/out")
        if run.status in case.statuses and run.status == expected_run.status:
            if case.feeds:
                return self.fed_verdict(case, run)
            if found != expected:
                return "success with another output", difference(found, expected)
            if case.output == "out/none" and run.output != expected_run.output:
                return "success with another report", ""
            return None
        if run.status == 0:
            return "success with another status", str(expected_run.status)
        if run.status not in STATUSES:
            return "status that is not documented", str(run.status)
        if not run.errors.strip() and not (case.tells and run.output.strip()):
            return "error without a word", str(run.status)
        return self.rest_verdict(case, run, found, expected)

    def rest_verdict(self, case, run, found, expected):
        """What an error leaves behind: nothing that looks finished, nothing that the next run refuses."""
        if case.output == "out/none":
            return None
        if case.output is None:
            return self.next_run(case, expected)
        path = f"{self.folder}/{case.output}"
        is_replaced = case.name.endswith("-replaced")
        shown = {name: value for name, value in found.items() if f"out/{name}".startswith(case.output)
                 and (f"out/{name}" == case.output or f"out/{name}".startswith(case.output + "/"))}
        if os.path.exists(path) and case.name != "batch":
            # The error says of the mark that it could not be removed.
            same = all(expected.get(name) == value for name, value in shown.items() if not name.endswith(MARK))
            if case.feeds or (case.is_bag and os.path.isdir(path)):
                verdict = self.bag_verdict(path, case)
                if verdict:
                    return verdict
            elif not same and not (is_replaced and contents(path) == self.old(case)):
                return "error and a part of the output", difference(shown, expected)
            elif same:
                # All of it is there and right: only that it is on the disk, or that nothing is left beside it, is not certain.
                return None
        if found or case.name == "batch":
            return self.next_run(case, expected)
        return None

    def bag_verdict(self, path, case):
        """A bag of a run that failed lists what is sound in it; what was recorded until then stays, and is sound as it lies."""
        check = self.check(path)
        if check.returncode not in ((0,) if case.feeds else (0, 1, 65, 66)):
            return "error and a bag that is not sound", (check.stderr or check.stdout).decode().strip()[-300:]
        return None

    def check(self, path):
        return subprocess.run([self.binary, "check", path], capture_output=True, env=self.environment, timeout=SECONDS)

    def next_run(self, case, expected):
        exists = case.output is not None and os.path.exists(f"{self.folder}/{case.output}")
        needs_force = exists and case.name != "batch" and "--force" not in case.arguments
        run = self.run(case, more=case.force if needs_force else ())
        if run.status not in case.statuses:
            text = run.errors.decode(errors="replace").strip() or run.output.decode(errors="replace").strip()
            return "next run fails", f"status {run.status}: {text[-300:]}"
        found = contents(f"{self.folder}/out")
        if case.feeds:
            return self.fed_verdict(case, run)
        if found != expected:
            return "next run gives another output", difference(found, expected)
        return None

    def fed_verdict(self, case, run):
        path = f"{self.folder}/{case.output}"
        check = self.check(path)
        if check.returncode != 0:
            return "success with a damaged bag", check.stdout.decode()[-300:]
        count = int((re.findall(r"(\d+) messages", check.stdout.decode()) or ["0"])[0])
        if run.confirmed is not None and count != run.confirmed:
            return "success with messages missing", f"{count} of {run.confirmed}"
        return None


def faults(case, counts, errors=None):
    for call, count in counts.items():
        for number in range(1, count + 1):
            for error in errors or ERRORS[call]:
                yield Fault(case.name, call, number, error)


def grouped(results):
    """By kind, command, call and error: how many, and the first of them."""
    groups = {}
    counts = Counter()
    for fault, (kind, found), place in results:
        key = (kind, fault.case, fault.call, fault.error)
        counts[key] += 1
        if key not in groups or fault.number < groups[key][0].number:
            groups[key] = (fault, found, place)
    return [(key, counts[key], *groups[key]) for key in sorted(groups)]
