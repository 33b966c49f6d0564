"""One case: a damaged session or bag, the commands that read it, and what must hold whatever the damage is."""

import functools
import json
import os
import random
import resource
import shutil
import signal
import subprocess

import counting
import mutations

# Documented for bad input: done, done with damage, bad input data, input not there.
STATUSES = {0, 1, 65, 66}
SECONDS = 10
ADDRESS_BYTES = 8 << 30
RESIDENT_BYTES = 512 << 20


class Case:
    """The input is a function of the seed and the number alone."""

    statuses = STATUSES
    seconds = SECONDS

    def __init__(self, binary, scratch, kind, base, seed, number):
        self.binary, self.kind, self.base, self.number = binary, kind, base, number
        self.random = random.Random(f"{seed} {kind} {number}")
        self.folder = os.path.join(scratch, f"{kind}-{number}")
        self.path = os.path.join(self.folder, os.path.basename(base))
        self.changed = []
        self.outcomes = []
        self.faults = []

    def run(self):
        """Returns what is wrong, as a list of texts."""
        os.makedirs(self.folder)
        self.damage()
        if self.kind == "bag":
            self.try_bag()
        else:
            self.try_session()
        return self.faults

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    # Damage

    def damage(self):
        """A copy of the base, of which one file in most cases is not what it was; the others are hard links."""
        if os.path.isfile(self.base):
            self.damage_file(self.base, self.path, os.path.basename(self.base))
            return
        files = []
        for folder, _, names in os.walk(self.base):
            files += [os.path.relpath(os.path.join(folder, name), self.base) for name in names]
        files.sort()
        # The few files that hold the most meaning are hit as often as all images and depth maps together.
        central = [name for name in files if name.endswith((".json", ".jsonl", ".yaml", ".db3", ".mcap", ".zstd", ".csv"))]
        chosen = set()
        for _ in range(self.random.choice([1, 1, 1, 2])):
            chosen.add(self.random.choice(central if self.random.randrange(3) else files))
        for name in files:
            target = os.path.join(self.path, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if name in chosen:
                self.damage_file(os.path.join(self.base, name), target, name)
            else:
                os.link(os.path.join(self.base, name), target)

    def damage_file(self, source, target, name):
        self.changed.append(name)
        if self.random.randrange(60) == 0 and os.path.dirname(target) == self.path:
            # Not there, or of another kind.
            if self.random.randrange(2):
                os.mkdir(target)
            elif self.random.randrange(2):
                os.mkfifo(target)
            return
        with open(source, "rb") as stream:
            data = stream.read()
        with open(target, "wb") as stream:
            stream.write(mutations.damaged(self.random, name, data))

    # Commands

    def command(self, *arguments):
        """Runs the program; anything but a documented end is a fault. Returns the status and what it printed."""
        out, err = (os.path.join(self.folder, name) for name in ("out", "err"))
        line = [self.binary, *arguments]
        with open(out, "wb") as output, open(err, "wb") as errors:
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=ENVIRONMENT)
            status, usage, is_late = wait(process, self.seconds)
        with open(out, encoding="utf-8", errors="replace") as text:
            printed = text.read(1 << 20)
        with open(err, encoding="utf-8", errors="replace") as text:
            told = text.read(1 << 16)
        shown = " ".join(arguments)
        self.outcomes.append(f"$ mapeverything {shown}\nstatus {status}\n{printed[-3000:]}{told[-3000:]}")
        if is_late:
            self.faults.append(f"{arguments[0]}: not done after {self.seconds} s")
        elif status < 0:
            self.faults.append(f"{arguments[0]}: ended by {signal.Signals(-status).name}")
        elif status not in self.statuses:
            self.faults.append(f"{arguments[0]}: undocumented status {status}")
        if usage.ru_maxrss * 1024 > RESIDENT_BYTES:
            self.faults.append(f"{arguments[0]}: {usage.ru_maxrss // 1024} MiB of memory")
        return status, printed

    def report(self, printed):
        try:
            return json.loads(printed)
        except ValueError:
            self.faults.append("--json printed no JSON")
            return {}

    def out(self, name):
        return os.path.join(self.folder, name)

    # Bags

    def try_bag(self):
        self.command("inspect", self.path)
        checked, _ = self.command("check", self.path)
        converted, printed = self.command("convert", self.path, "-o", self.out("converted"), "--json")
        if converted == 0:
            self.judge_conversion(self.report(printed))
        self.judge_soundness(checked)
        repaired, printed = self.command("repair", self.path, "-o", self.out("repaired"), "--json")
        if repaired in (0, 1) and os.path.exists(self.out("repaired")):
            self.judge_repair(repaired, self.report(printed))

    def is_metadata_intact(self):
        return os.path.isdir(self.base) and "metadata.yaml" not in self.changed

    def written(self, bag, what):
        try:
            return counting.written_count(bag)
        except Exception as error:
            self.faults.append(f"{what}: {type(error).__name__} {error}")
            return None

    def judge_conversion(self, report):
        """Status 0 says that all messages were carried over."""
        written = self.written(self.out("converted"), "convert")
        if report.get("written") != written:
            self.faults.append(f"convert: says {report.get('written')} messages, wrote {written}")
        if report.get("read") != report.get("written"):
            self.faults.append(f"convert: status 0, {report.get('written')} of {report.get('read')} messages")
        expected = self.expected()
        if expected is not None and written is not None and written < expected:
            self.faults.append(f"convert: status 0, {written} of {expected} messages")

    def expected(self):
        """How many messages the bag holds by what is whole in it; None if unknown."""
        if self.is_metadata_intact():
            return count_of_base(self.base)
        if os.path.isfile(self.path):
            return counting.count_of(self.path)
        return None

    def judge_soundness(self, status):
        """Status 0 of check says that nothing is lost."""
        if status == 0 and self.is_metadata_intact():
            found, expected = counting.count_of(self.path), count_of_base(self.base)
            if found is not None and found != expected:
                self.faults.append(f"check: sound, but {found} of {expected} messages")

    def judge_repair(self, repaired, report):
        """Status 0: sound, with all messages. In any case at least the rows that sqlite3 reads before it gives up."""
        checked, _ = self.command("check", self.out("repaired"))
        if repaired == 0 and checked != 0:
            self.faults.append(f"repair: status 0, and its own result has status {checked} in check")
        if checked not in (0, 1) or (checked == 1 and not report.get("still_wrong")):
            self.faults.append(f"repair: says nothing of what gives its own result status {checked} in check")
        saved = self.written(self.out("repaired"), "repair")
        if repaired == 0 and saved is not None and self.is_metadata_intact() and saved < count_of_base(self.base):
            self.faults.append(f"repair: status 0, {saved} of {count_of_base(self.base)} messages")
        files = counting.storage_files(self.path)
        if saved is None or not files or not all(file.endswith(".db3") and os.path.isfile(file) for file in files):
            return
        if os.path.isdir(self.path) and not self.is_metadata_intact():
            return
        readable = sum(counting.count_of_sqlite(file)[0] for file in files)
        if saved < readable:
            self.faults.append(f"repair: saved {saved} messages, sqlite3 reads {readable}")

    # Sessions

    def try_session(self):
        self.command("inspect", self.path, "--profile", "full")
        checked, _ = self.command("check", self.path)
        bag = self.out("bag")
        status, printed = self.command("bag", self.path, "-o", bag, "--profile", "full", "--json", "-j", "2")
        if status == 0:
            report = self.report(printed)
            said = sum(topic["count"] for topic in report.get("topics", []))
            written = self.written(bag, "bag")
            if said != written:
                self.faults.append(f"bag: says {said} messages, wrote {written}")
        if checked == 0 and status != 0:
            self.faults.append(f"check: sound, but bag ends with {status}")
        repaired, _ = self.command("repair", self.path, "-o", self.out("repaired"))
        if repaired in (0, 1) and os.path.exists(self.out("repaired")):
            status, _ = self.command("check", self.out("repaired"))
            if status not in (0, 1):
                self.faults.append(f"repair: its own result has status {status} in check")
        status, _ = self.command("convert", self.path, "-o", self.out("converted"))
        if status == 0:
            self.faults.append("convert: took a session for a bag")


# Swift's own report of a crash takes seconds.
ENVIRONMENT = dict(os.environ, SWIFT_BACKTRACE="enable=no", TZ="UTC")


count_of_base = functools.cache(counting.count_of)


def limit():
    """For a process of the campaign and those that it starts: setting it for each of them takes longer than a command."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Late(Exception):
    pass


def on_alarm(_number, _frame):
    raise Late


def wait(process, seconds):
    """The status, negative for a signal; what was used; and whether it had to be killed."""
    previous = signal.signal(signal.SIGALRM, on_alarm)
    is_late = False
    try:
        signal.alarm(seconds)
        _, status, usage = os.wait4(process.pid, 0)
    except Late:
        is_late = True
        process.kill()
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage, is_late
