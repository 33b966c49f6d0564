"""Two programs of other people look at a LeRobot data set.

usage: grade_dataset.py DATASET

Prints as JSON the checks of lerobot-doctor that failed, and deepen-grade's grade.
"""

import json
import os
import re
import subprocess
import sys

programs = os.path.dirname(sys.executable)
environment = {**os.environ, "COLUMNS": "300", "HF_HUB_OFFLINE": "1"}


def run(*words):
    outcome = subprocess.run(
        [os.path.join(programs, words[0]), *words[1:]], capture_output=True, text=True, env=environment
    )
    return outcome.stdout + outcome.stderr


doctor = run("lerobot-doctor", sys.argv[1])
grade = re.search(r"Overall grade:\s*(\w)", run("deepen", "grade", sys.argv[1]))
print(
    json.dumps(
        {
            "passed": len(re.findall(r"\[PASS\]", doctor)),
            "failed": re.findall(r"\[FAIL\] (.*)", doctor),
            "grade": grade.group(1) if grade else "none",
        }
    )
)
