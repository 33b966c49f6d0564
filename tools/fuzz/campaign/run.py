#!/usr/bin/env python3
"""Runs whole commands on damaged sessions and bags: inspect, check, convert or bag, repair; and on ends of numbers.

usage: run.py --binary PROGRAM [--bags N] [--sessions N] [--ends N] [--seconds S] [--seed S] [--jobs N] [--keep FOLDER]
       run.py --binary PROGRAM --seed S --only bag-123        one case again; its input stays in the folder

`--ends N` is N of the runs in which one number of a sound text of any format (sessions, maps of tags, bags, profiles, plans
of batches) is an end of 32 or 64 bits or of binary64; `--ends all` is all of them.

No command may crash, take ten seconds or half a gibibyte, or end with a status that is not documented. Status 0 says
that nothing was lost, and is held to it by counts of sqlite3 and of a walk over the records. Cases that break something
are kept. The last line is `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

import bases
import ends
from cases import Case, limit


def attempt(binary, scratch, kind, base, seed, number, keep, deadline):
    """The faults of one case; None if there was no time for it."""
    if time.monotonic() > deadline:
        return None
    if kind == "end":
        case = ends.EndCase(binary, scratch, base, seed, number)
    else:
        case = Case(binary, scratch, kind, base, seed, number)
    try:
        faults = case.run()
        if faults and keep:
            save(case, os.path.join(keep, f"{kind}-{number}"), seed)
    finally:
        case.remove()
    return faults


def save(case, target, seed):
    """The input, and what the commands said of it."""
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    if os.path.isdir(case.path):
        shutil.copytree(case.path, os.path.join(target, "input"), copy_function=copy_regular)
    elif os.path.isfile(case.path):
        shutil.copy(case.path, target)
    with open(os.path.join(target, "report.txt"), "w", encoding="utf-8") as text:
        text.write(f"--seed {seed} --only {case.kind}-{case.number}\nbase {case.base}\nchanged {case.changed}\n")
        text.write("\n".join(case.faults) + "\n\n" + "\n".join(case.outcomes))


def copy_regular(source, target):
    if os.path.isfile(source):
        shutil.copy(source, target)


def campaign(options, scratch):
    sessions, bags, runs_of_ends = [], [], []
    kind_of_one = options.only.split("-")[0] if options.only else None
    if (options.bags or options.sessions) and kind_of_one != "end":
        sessions, bags = bases.make(options.binary, os.path.join(scratch, "bases"))
    if options.ends or kind_of_one == "end":
        runs_of_ends = ends.plan(ends.make(options.binary, os.path.join(scratch, "ends")), options.seed)
        print(f"{len(runs_of_ends)} runs with a number at an end", flush=True)
    tasks = [("bag", bags[number % len(bags)], number) for number in range(options.bags)]
    tasks += [("session", sessions[number % len(sessions)], number) for number in range(options.sessions)]
    tasks += [("end", run, number) for number, run in enumerate(runs_of_ends[: options.ends])]
    if options.only:
        kind, number = options.only.split("-")
        pool = {"bag": bags, "session": sessions, "end": runs_of_ends}[kind]
        tasks = [(kind, pool[int(number) % len(pool)], int(number))]
    # All kinds in turns, so that a limit of time cuts each.
    counts = collections.Counter(task[0] for task in tasks)
    tasks.sort(key=lambda task: task[2] / counts[task[0]])
    kinds, first, failed, tried = collections.Counter(), {}, 0, 0
    began = time.monotonic()
    deadline = began + options.seconds
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=limit) as executor:
        runs = {}
        for kind, base, number in tasks:
            future = executor.submit(
                attempt, options.binary, scratch, kind, base, options.seed, number, options.keep, deadline
            )
            runs[future] = f"{kind}-{number}"
        for future in concurrent.futures.as_completed(runs):
            faults = future.result()
            if faults is None:
                continue
            tried += 1
            failed += bool(faults)
            for fault in faults:
                kinds[fault.partition(",")[0]] += 1
                first.setdefault(fault.partition(",")[0], f"{runs[future]}: {fault}")
            if tried % 1000 == 0:
                seconds = time.monotonic() - began
                print(f"{tried} of {len(tasks)} after {seconds:.0f} s, {failed} failed", file=sys.stderr, flush=True)
    for kind, count in kinds.most_common():
        print(f"FAILED {count}: first {first[kind]}")
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--bags", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--ends", type=lambda text: sys.maxsize if text == "all" else int(text), default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no case after that")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", default=".build/fuzz/campaign", help="where cases go that break something")
    parser.add_argument("--only", metavar="KIND-NUMBER")
    options = parser.parse_args()
    print(f"campaign by seed {options.seed}: {options.bags} bags, {options.sessions} sessions, {options.ends} ends", flush=True)
    # In memory where there is such a folder: the campaign is about reading, not about a disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mapeverything-fuzz-", dir=memory) as scratch:
        return campaign(options, scratch)


if __name__ == "__main__":
    sys.exit(main())
