"""Runs the judges of shared/peers many times in one process, as starting Python takes longer than a judgement.

usage: judge_bags.py FOLDER RUNS

FOLDER has the judges. RUNS is a file with a JSON list of command lines: the name of a judge, then its arguments.
Prints a JSON list of {"status": ..., "output": ...}.
"""

import contextlib
import functools
import io
import json
import runpy
import sys
import traceback

import numpy  # noqa: F401  What the judges import is loaded once.
import rosbags.typesys
import yaml

# The same definitions are in all bags, and parsing them is most of the work.
rosbags.typesys.get_types_from_msg = functools.cache(rosbags.typesys.get_types_from_msg)
yaml.safe_load = functools.partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def judged(folder, judge, *arguments):
    text, status = io.StringIO(), 0
    sys.argv = [f"{folder}/{judge}", *arguments]
    with contextlib.redirect_stdout(text):
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            status = 2
            text.write(traceback.format_exc())
    return dict(status=status, output=" ".join(sys.argv) + "\n" + text.getvalue()[-3000:])


folder, runs = sys.argv[1:]
print(json.dumps([judged(folder, *run) for run in json.load(open(runs))]))
