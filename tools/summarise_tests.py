#!/usr/bin/env python3
"""Says what became of all tests of one or more runs of `swift test`, and why tests were skipped.

usage: summarise_tests.py EVENTS...

EVENTS are files of --event-stream-output-path, version 0. The last line is `N passed, N failed, N skipped`. The exit
status is 1 if a test failed, or if a run did not come to its end.
"""

import collections
import json
import sys


def read(path):
    """The functions of a run by what became of them, the reasons of skipping, and whether the run came to its end."""
    functions, started, failed, reasons = set(), set(), set(), {}
    is_complete = False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            payload = record["payload"]
            if record["kind"] == "test":
                if payload["kind"] == "function":
                    functions.add(payload["id"])
                continue
            test = payload.get("testID")
            if payload["kind"] == "testStarted":
                started.add(test)
            elif payload["kind"] == "issueRecorded" and not payload["issue"].get("isKnown"):
                failed.add(test or "outside of tests")
            elif payload["kind"] == "testSkipped":
                texts = [message["text"] for message in payload["messages"]]
                comments = payload.get("_comments") or [text.partition('skipped: "')[2].strip('"') for text in texts]
                reasons[test] = comments[0] if comments else "no reason given"
            elif payload["kind"] == "runEnded":
                is_complete = True
    return functions, started, failed, reasons, is_complete


def main(paths):
    passed, skipped, failures = 0, collections.Counter(), []
    for path in paths:
        functions, started, failed, reasons, is_complete = read(path)
        for test in sorted(functions):
            # A suite that is skipped gives its reason to all that is in it.
            reason = next((reasons[name] for name in reasons if test == name or test.startswith(name + "/")), None)
            if test in failed:
                continue
            if reason is not None:
                skipped[reason] += 1
            elif test in started:
                passed += 1
        failures += sorted(failed)
        if not is_complete:
            failures.append(f"{path}: the run did not come to its end")
    for reason, count in sorted(skipped.items(), key=lambda entry: (-entry[1], entry[0])):
        print(f"skipped {count}: {reason}")
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{passed} passed, {len(failures)} failed, {skipped.total()} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
