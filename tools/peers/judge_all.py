#!/usr/bin/env python3
"""Runs judges many times in one process, as starting Python takes longer than a judgement.

usage: judge_all.py < RUNS

RUNS is a JSON list of command lines: the name of a judge, such as check_bag, and its arguments.
Prints a JSON list of {"status": ..., "output": ...} in the same order.
"""

import contextlib
import importlib
import io
import json
import sys
import traceback


def judge(name, *arguments):
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            status = importlib.import_module(name).main(list(arguments))
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            status = 2
            traceback.print_exc()
    return {"status": status, "output": " ".join([name, *arguments]) + "\n" + text.getvalue()[-4000:]}


if __name__ == "__main__":
    print(json.dumps([judge(*run) for run in json.load(sys.stdin)]))
