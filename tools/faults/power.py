"""Takes the power away at any moment of some runs, and judges what a disk may have then."""

import hashlib
import os
import pickle
import random
import shutil
import subprocess
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

import cases
import disk
import readers


@dataclass
class Scene:
    name: str
    case: cases.Case
    kind: str  # "resilient": sound as it lies, and only the last moment is lost; "fast": whole chunks; "replaced": old or new
    share: int = 1


TIMED = 600_000_000  # nanoseconds: docs/formats/bag.md says half a second, and a flush takes some time

SCENES = [
    Scene("record-db3", cases.Case("record", ["record", "-o", "out/b", "--port", "0", "--until-disconnect",
                                              "--max-bag-duration", "0.2"], "out/b", is_bag=True, feeds=True), "resilient", 3),
    Scene("record-mcap", cases.Case("record", ["record", "-o", "out/b", "-s", "mcap", "--port", "0", "--until-disconnect",
                                               "--max-bag-duration", "0.2"], "out/b", is_bag=True, feeds=True), "resilient", 3),
    Scene("record-one", cases.Case("record", ["record", "-o", "out/b.mcap", "--port", "0", "--until-disconnect"],
                                   "out/b.mcap", is_bag=True, feeds=True), "resilient", 3),
    Scene("record-replaced", cases.Case("record-replaced", ["record", "-o", "out/b", "--port", "0", "--until-disconnect",
                                                            "--force"], "out/b", is_bag=True, feeds=True), "resilient"),
    Scene("bag-resilient", cases.bag("bag", "out/b", "--durability", "resilient", "--max-bag-duration", "0.2", "--topics",
                                     *cases.TOPICS), "resilient"),
    Scene("bag-fast", cases.bag("bag", "out/b", "--max-bag-duration", "0.2", "--topics", *cases.TOPICS), "fast"),
    Scene("bag-fast-mcap", cases.bag("bag", "out/b", "-s", "mcap", "--max-bag-duration", "0.2", "--topics", *cases.TOPICS),
          "fast"),
    Scene("bag-one-replaced", cases.bag("bag-replaced", "out/b.mcap", "--force", "--topics", *cases.TOPICS), "replaced"),
    Scene("report-replaced", cases.Case("report-replaced", ["report", "in/session", "-o", "out/p.html", "-j", "1", "--force"],
                                        "out/p.html"), "replaced"),
    Scene("map-replaced", cases.Case("map-replaced", ["map", "in/session", "-o", "out/m.ply", "-j", "1", "--force"],
                                     "out/m.ply"), "replaced"),
    Scene("tum-replaced", cases.Case("tum-replaced", ["export", "in/session", "--to", "tum", "-o", "out/e.txt", "-j", "1",
                                                      "--force"], "out/e.txt"), "replaced"),
    Scene("repair-in-place", cases.Case("repair-db3", ["repair", "out/cut_db3", "--in-place"], None, statuses=(0, 1)),
          "repaired"),
]


class Recording:
    """One logged run, and what is known of the rows that it had promised when."""

    def __init__(self, bench, scene):
        self.bench, self.scene = bench, scene
        self.root = bench.folder
        self.log = f"{bench.folder}.log"
        if os.path.exists(self.log):
            os.remove(self.log)
        bench.clear(scene.case)
        self.old = self.hashes(f"{bench.folder}/{scene.case.output}") if scene.case.output else {}
        self.start = disk.Disk(self.root)
        run = bench.run(scene.case, more=None, log=self.log)
        if run.status not in scene.case.statuses:
            raise SystemExit(f"faults: {scene.name}: status {run.status}\n{run.errors.decode()}")
        self.operations = disk.operations(self.log)
        self.output = os.path.join(self.root, scene.case.output or scene.case.arguments[1])
        self.last = self.hashes(self.output)
        self.rows = sorted(readers.bag_rows(self.output), key=lambda row: row[1]) if scene.case.is_bag else []
        self.times = [row[1] for row in self.rows]

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "bench"}

    @staticmethod
    def hashes(path):
        if not os.path.exists(path):
            return {}
        names = [path] if os.path.isfile(path) else [os.path.join(path, name) for name in sorted(os.listdir(path))]
        found = {}
        for name in names:
            with open(name, "rb") as file:
                found[os.path.basename(name)] = hashlib.sha256(file.read()).hexdigest()
        return found

    def images(self, count, seed, part):
        """Moments and seeds, in the order of the moments; the same for the same seed."""
        chooser = random.Random(f"{seed} {self.scene.name} {part}")
        wanted = [(chooser.randrange(len(self.operations) + 1), f"{seed}-{part}-{number}") for number in range(count)]
        return sorted(wanted)


def is_allowed(scene, text, has_rows):
    """A chunk that was not finished is no part of a fast bag, and all that there is of a recording at its first moments."""
    if scene.case.name.endswith("-replaced") and not has_rows:
        # --force has listed nothing yet, and not removed the old files.
        return True
    return "a writer was interrupted" in text and (scene.kind == "fast" or not has_rows)


class Judge:
    """Lays images out in a folder and reads them."""

    def __init__(self, recording, folder, checks):
        self.recording, self.folder, self.checks = recording, folder, checks
        self.checked = 0
        self.unordered = 0

    def lay(self, image):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        output = f"{self.recording.root}/out"
        for path, data in image.items():
            if path == output or not path.startswith(output + "/"):
                continue
            place = self.folder + path[len(output) :]
            if data is None:
                os.makedirs(place, exist_ok=True)
            else:
                with open(place, "wb") as file:
                    file.write(data)
        return self.folder + self.recording.output[len(output) :]

    def verdict(self, image, moment, number, in_order):
        scene = self.recording.scene
        path = self.lay(image)
        if scene.kind == "replaced":
            found = self.recording.hashes(path)
            fits = found in (self.recording.old, self.recording.last)
            return None if fits else "neither the old file nor the new one: " + ("none" if not found else "another")
        if scene.kind == "repaired":
            return self.repaired(path)
        if not os.path.exists(path):
            promised = self.promised(moment)
            return f"no bag, with {promised} rows promised" if promised else None
        # A folder that was just made: nothing in it has its name yet.
        is_new = os.path.isdir(path) and all(name.endswith((".tmp", ".part")) for name in os.listdir(path))
        if is_new and not self.promised(moment):
            return None
        if scene.case.name.endswith("-replaced") and self.recording.hashes(path) == self.recording.old:
            return None
        try:
            rows = readers.bag_rows(path)
        except readers.Damaged as error:
            # A recorder counts in the same moment as it shows, as it may be killed in the next one: the order is the journal's.
            is_ahead = str(error).endswith("listed and not there") or str(error).startswith("metadata.yaml counts")
            if not in_order and scene.kind == "resilient" and is_ahead:
                self.unordered += 1
                return None
            return f"damaged: {error}"
        missing = Counter(self.recording.rows[: self.promised(moment)]) - Counter(rows)
        if missing:
            return f"{sum(missing.values())} promised rows are missing"
        if number % self.checks == 0:
            return self.check(path, rows)
        return None

    def promised(self, moment):
        """How many rows must be there: for a recording what came half a second before, else what was shown last."""
        if moment == len(self.recording.operations):
            return len(self.recording.rows)
        if not self.recording.scene.case.feeds:
            return 0
        now = self.recording.operations[moment - 1].nanoseconds if moment else 0
        return bisect_right(self.recording.times, now - TIMED)

    def check(self, path, rows):
        self.checked += 1
        bench = self.recording.bench
        done = subprocess.run([bench.binary, "check", path], capture_output=True, env=bench.environment, timeout=60)
        # A fast bag that was interrupted has a chunk that is no part of it, which a check says.
        text = done.stdout.decode()
        if done.returncode == 0 or is_allowed(self.recording.scene, text, rows):
            return None
        return "check: " + done.stdout.decode()[-300:].replace("\n", "; ")

    def repaired(self, path):
        """The next repair ends what the first one began."""
        self.checked += 1
        bench = self.recording.bench
        arguments = [bench.binary, "repair", path, "--in-place"]
        done = subprocess.run(arguments, capture_output=True, env=bench.environment, timeout=60)
        if done.returncode not in (0, 1):
            return f"repair: status {done.returncode}: {done.stderr.decode()[-300:]}"
        found = self.recording.hashes(path)
        return None if found == self.recording.last else f"repair gives another bag: {sorted(found)}"


def judged(bench, scene, count, seed, folder, only=None, checks=20, part=0, kept=None, keeps=None):
    """The violations in images of one run: (text, moment, number, in order).

    What is fed to a recorder comes at other moments each time: a run that was kept gives the same images again.
    """
    if kept:
        with open(kept, "rb") as file:
            recording = pickle.load(file)
        recording.bench = bench
    else:
        recording = Recording(bench, scene)
    copy = pickle.dumps(recording)
    judge = Judge(recording, folder, checks)
    state, done, wrong = recording.start, 0, []
    for place, (moment, name) in enumerate(recording.images(count, seed, part)):
        while done < moment:
            state.apply(recording.operations[done])
            done += 1
        number = int(name.split("-")[2])
        if only is not None and number != only:
            continue
        in_order = number % 2 == 0
        image = state.image(random.Random(name), in_order)
        verdict = judge.verdict(image, moment, number, in_order)
        if verdict:
            wrong.append((verdict, moment, number, in_order))
            if only is not None:
                last = recording.operations[max(0, moment - 6) : moment]
                for operation in last:
                    print("   ", operation.kind, operation.path, operation.target, operation.offset, len(operation.data))
    if wrong and keeps:
        os.makedirs(os.path.dirname(keeps), exist_ok=True)
        with open(keeps, "wb") as file:
            file.write(copy)
    return wrong, judge.checked, judge.unordered
