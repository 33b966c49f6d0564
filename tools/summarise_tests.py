#!/usr/bin/env python3
"""Says what became of all tests of one or more runs of `swift test`, why tests were skipped, and how long they took.

usage: summarise_tests.py EVENTS...
       summarise_tests.py --skipped REASON EVENTS...

EVENTS are files of --event-stream-output-path, version 0. A test that was skipped in one run and passed in another has
passed. Of each run it says how long it took, and which ten tests took longest: of a run in parallel those with
arguments, as others do not say when they begin. The last line is `N passed, N failed, N skipped`. The exit status is 1
if a test failed, or if a run did not come to its end. With --skipped it prints a --filter for the tests that were skipped for a reason that begins so.
"""

import collections
import json
import pathlib
import re
import sys


def texts_of(payload):
    return [message["text"] for message in payload.get("messages", []) if message["text"]]


class Run:
    """The functions of a run by what became of them, by their identifiers."""

    def __init__(self, path):
        self.path = path
        self.functions, self.started, self.ended = set(), set(), set()
        # When each case of a function began, how long all of its cases took, when the run began and ended; in seconds.
        self.begins, self.durations, self.span = {}, collections.Counter(), []
        # The functions that run, and those that ran alone from their beginning to their end.
        self.running, self.alone = {}, set()
        # What was recorded first of each that failed; why others were skipped.
        self.failed, self.reasons = {}, {}
        self.is_complete = False
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                try:
                    record = json.loads(line)
                except ValueError:
                    # The last line of a process that was killed.
                    break
                self.take(record["kind"], record["payload"])

    def take(self, kind, payload):
        if kind == "test":
            if payload["kind"] == "function":
                self.functions.add(payload["id"])
            return
        test = payload.get("testID")
        now = payload.get("instant", {}).get("absolute")
        if now is not None:
            self.span = [self.span[0] if self.span else now, now]
        # The cases of a function wait for one another and for those of others: only they say how long it took.
        case = (test, payload.get("_testCase", {}).get("id"))
        if payload["kind"] == "testStarted":
            self.started.add(test)
            self.begin(test, now)
        elif payload["kind"] == "testCaseStarted":
            self.begins[case] = now
        elif payload["kind"] == "testCaseEnded":
            self.durations[test] += (now or 0) - (self.begins.get(case) or 0)
        elif payload["kind"] == "testEnded":
            self.ended.add(test)
            begun = self.running.pop(test, None)
            if test in self.alone and begun is not None and test not in self.durations:
                self.durations[test] = now - begun
        elif payload["kind"] == "issueRecorded" and not payload["issue"].get("isKnown"):
            self.failed.setdefault(test or "outside of tests", " / ".join(texts_of(payload))[:600])
        elif payload["kind"] == "testSkipped":
            comments = payload.get("_comments") or [text.partition('skipped: "')[2].strip('"') for text in texts_of(payload)]
            self.reasons[test] = next(filter(None, comments), "no reason given")
        elif payload["kind"] == "runEnded":
            self.is_complete = True

    def begin(self, test, now):
        """A function without arguments has no cases; that it ran alone tells how long it took, in parallel nothing does."""
        if test not in self.functions or now is None:
            return
        self.alone = set() if self.running else {test}
        self.running[test] = now

    def reason(self, test):
        """A suite that is skipped gives its reason to all that is in it."""
        return next((self.reasons[name] for name in self.reasons if test == name or test.startswith(name + "/")), None)


def outcomes(runs):
    """The tests that passed, the reasons why others were skipped in every run, and what failed."""
    passed, skipped, failures = set(), {}, []
    for run in runs:
        for test in sorted(run.functions - set(run.failed)):
            if reason := run.reason(test):
                skipped[test] = reason
            elif test in run.ended:
                passed.add(test)
            elif test in run.started:
                failures.append(f"{test}: it did not come to its end")
        failures += [f"{test}: {text}" for test, text in sorted(run.failed.items())]
        if not run.is_complete:
            failures.append(f"{run.path}: the run did not come to its end")
    failed = {test for run in runs for test in run.failed}
    return passed - failed, {test: skipped[test] for test in skipped.keys() - passed - failed}, failures


def pattern(tests):
    """A regular expression for tests, whose identifiers end in a place in the source; without tests it matches none."""
    return "|".join("^" + re.escape(test.rpartition("/")[0]) + "/" for test in sorted(tests)) or "^$"


def print_durations(runs):
    """How long the runs took, and the slowest functions of them all."""
    spans = [f"{pathlib.Path(run.path).stem} {run.span[1] - run.span[0]:.0f} s" for run in runs if run.span]
    if not spans:
        return
    print("took: " + ", ".join(spans))
    slowest = [(seconds, test) for run in runs for test, seconds in run.durations.items()]
    for seconds, test in sorted(slowest, reverse=True)[:10]:
        print(f"slow: {seconds:6.1f} s  {test.rpartition('/')[0] or test}")


def main(arguments):
    beginning = arguments[1] if arguments[:1] == ["--skipped"] else None
    runs = [Run(path) for path in arguments[0 if beginning is None else 2:]]
    passed, skipped, failures = outcomes(runs)
    if beginning is not None:
        print(pattern(test for test, reason in skipped.items() if reason.startswith(beginning)))
        return 0
    print_durations(runs)
    counts = collections.Counter(skipped.values())
    for reason, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        print(f"skipped {count}: {reason}")
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{len(passed)} passed, {len(failures)} failed, {len(skipped)} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
