"""A pytest plugin: what becomes of each test is written as `swift test` writes it, for tools/summarise_tests.py.

pytest -p event_stream, with this folder in PYTHONPATH, the file (version 0 of the event stream) in EVENT_STREAM, and the name under
which the tests are counted in EVENT_STREAM_NAME.
"""

from __future__ import annotations

import json
import os
import time

import pytest


def _note(kind: str, payload: dict) -> None:
    if kind == "event":
        payload["instant"] = {"absolute": time.monotonic()}
    with open(os.environ["EVENT_STREAM"], "a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": kind, "payload": payload}) + "\n")


def _name(nodeid: str) -> str:
    return f"{os.environ['EVENT_STREAM_NAME']}.{nodeid}/"


def pytest_collection_finish(session: pytest.Session) -> None:
    for item in session.items:
        _note("test", {"kind": "function", "id": _name(item.nodeid)})


def pytest_runtest_logstart(nodeid: str) -> None:
    _note("event", {"kind": "testStarted", "testID": _name(nodeid)})


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    test = _name(report.nodeid)
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else report.longreprtext
        _note("event", {"kind": "issueRecorded", "testID": test, "issue": {}, "messages": [{"text": text}]})
    elif report.skipped:
        _note(
            "event",
            {"kind": "testSkipped", "testID": test, "_comments": [report.longrepr[2].removeprefix("Skipped: ")]},
        )


def pytest_runtest_logfinish(nodeid: str) -> None:
    _note("event", {"kind": "testEnded", "testID": _name(nodeid)})


def pytest_sessionfinish(exitstatus: int) -> None:
    # With any other status it was interrupted, or could not collect.
    if exitstatus in (0, 1):
        _note("event", {"kind": "runEnded"})
