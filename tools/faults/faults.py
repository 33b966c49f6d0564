"""Every failure at every call, and the loss of power at every moment: see README.md."""

import argparse
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time

import cases
import power
import sweep

bench = None


def begin(binary, library, folder, names):
    global bench
    number = multiprocessing.current_process()._identity[0] if multiprocessing.current_process()._identity else 0
    bench = sweep.Bench(binary, library, f"{folder}/{number}")
    bench.chosen = {case.name: case for case in cases.CASES if case.name in names}


def one(fault):
    verdict, run = bench.judged(bench.chosen[fault.case], fault)
    return fault, verdict, run.place, run.fired


def place():
    """Memory where there is some: a flush costs nothing there."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def line(fault):
    return f"tools/faults/run --only {fault.case} --call {fault.call} --n {fault.number} --error {fault.error}"


def swept(arguments, folder):
    chosen = [case for case in cases.CASES if not arguments.only or case.name in arguments.only]
    names = [case.name for case in chosen]
    counter = sweep.Bench(arguments.binary, arguments.library, f"{folder}/counts")
    planned, known = [], []
    for case in chosen:
        try:
            counts = counter.counted(case)
        except SystemExit as error:
            if not case.name.startswith("export-"):
                raise
            print(f"left out, as this command has it not: {case.name}" if "invalid for" in str(error) else f"left out: {error}")
            continue
        known.append(case.name)
        if arguments.calls:
            print(f"{case.name}: " + ", ".join(f"{call} {count}" for call, count in counts.items() if count))
        if arguments.call:
            counts = {arguments.call: counts[arguments.call]}
        planned += list(sweep.faults(case, counts, [arguments.error] if arguments.error else None))
    if arguments.n:
        planned = [fault for fault in planned if fault.number == arguments.n]
    print(f"{len(planned)} faults in {len(known)} commands")
    if arguments.sample is not None:
        random.Random(arguments.seed).shuffle(planned)
        planned = planned[: arguments.sample]
    results, missed, began = [], 0, time.monotonic()
    arguments_of_bench = (arguments.binary, arguments.library, folder, names)
    with multiprocessing.Pool(arguments.jobs, begin, arguments_of_bench) as pool:
        for fault, verdict, where, fired in pool.imap_unordered(one, planned, chunksize=4):
            missed += not fired
            if verdict:
                results.append((fault, verdict, where))
                if arguments.verbose:
                    print(f"{line(fault)}: {verdict[0]}: {verdict[1]}: {where}", flush=True)
    for (kind, _, _, _), count, fault, found, where in sweep.grouped(results):
        print(f"{kind} ({count}): {found}\n    {fault.call} of {where}\n    {line(fault)}")
    seconds = time.monotonic() - began
    print(f"{len(planned)} runs, {missed} that never came to the call, {len(results)} wrong, {seconds:.0f} s")
    return not results


def scene(task):
    number, name, count, seed, only, checks, kept, keeps = task
    folder = f"{bench.folder}.image"
    chosen = next(one for one in power.SCENES if one.name == name)
    try:
        return name, power.judged(bench, chosen, count, f"{seed}", folder, only, checks, part=number, kept=kept, keeps=keeps)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def imaged(arguments, folder):
    """Images of disks: each scene has its share, in pieces that each have a run of their own."""
    scenes = [one for one in power.SCENES if not arguments.scene or one.name == arguments.scene]
    shares = sum(one.share for one in scenes)
    tasks = []
    for one in scenes:
        count = -(-arguments.images * one.share // shares)
        parts = max(1, count // 500)
        for number in range(parts):
            if arguments.image is None or number == arguments.part:
                tasks.append((number, one.name, -(-count // parts), arguments.seed, arguments.image, arguments.checks,
                              arguments.run, os.path.join(arguments.kept, f"{one.name}-{number}.run")))
    began, groups, checked, unordered, wrong = time.monotonic(), {}, 0, 0, 0
    with multiprocessing.Pool(arguments.jobs, begin, (arguments.binary, arguments.library, folder, [])) as pool:
        for task, (name, (found, checks, alone)) in zip(tasks, pool.imap(scene, tasks)):
            checked += checks
            unordered += alone
            wrong += len(found)
            for text, moment, number, in_order in found:
                key = (name, re.sub(r"\d+", "N", text)[:100], in_order)
                groups.setdefault(key, []).append((text, moment, number, task))
    for (name, _, in_order), found in sorted(groups.items()):
        text, moment, number, task = found[0]
        print(f"{name} ({len(found)}, names {'in order' if in_order else 'in any order'}): {text}\n    after operation {moment}\n"
              f"    tools/faults/run --images {arguments.images} --seed {arguments.seed} --scene {name} --part {task[0]}"
              f" --image {number} --run {task[7]}")
    count = sum(task[2] for task in tasks)
    print(f"{count} images, {checked} of them by the command itself, {wrong} wrong, {unordered} whose metadata.yaml is ahead where names"
          f" have no order, {time.monotonic() - began:.0f} s")
    return not wrong


def main():
    parser = argparse.ArgumentParser(prog="tools/faults/run", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every call and every error, and 10,000 images")
    parser.add_argument("--sample", type=int, help="so many of the faults, by the seed")
    parser.add_argument("--images", type=int, help="so many images of disks after the loss of power")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", choices=[one.name for one in power.SCENES], help="images of this run alone")
    parser.add_argument("--image", type=int, help="this one of the images of a part, with --scene and --part")
    parser.add_argument("--part", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--run", metavar="FILE", help="images of a run that was kept, as it had wrong ones")
    parser.add_argument("--kept", help=argparse.SUPPRESS)
    parser.add_argument("--checks", type=int, default=20, help="have the command itself check each N-th image")
    parser.add_argument("--only", nargs="+", metavar="COMMAND", help="these of: " + " ".join(case.name for case in cases.CASES))
    parser.add_argument("--call", choices=sweep.CALLS)
    parser.add_argument("--n", type=int, help="the N-th of these calls")
    parser.add_argument("--error", help="EIO, ENOSPC, EINTR, EDQUOT, EMFILE or short")
    parser.add_argument("--calls", action="store_true", help="say how many calls each command makes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", metavar="FOLDER", help="work there, and leave it")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--library", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.keep) if arguments.keep else tempfile.mkdtemp(prefix="faults-", dir=place())
    os.makedirs(folder, exist_ok=True)
    try:
        is_right = True
        images_alone = arguments.images is not None and arguments.sample is None and not arguments.only
        if arguments.all and arguments.images is None:
            arguments.images = 10_000
        if arguments.all or not images_alone:
            is_right = swept(arguments, folder)
        if arguments.images and not arguments.only:
            is_right = imaged(arguments, folder) and is_right
        return 0 if is_right else 1
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
