"""What Slurm and Kubernetes are given: by shellcheck, by the published schemas, and by running it as they do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from fleet import engines, manifest

FLEET = Path(__file__).resolve().parent.parent
ARRAY = FLEET / "slurm" / "array.sh"


def test_the_slurm_script_is_sound():
    shellcheck = Path(sys.executable).parent / "shellcheck"
    assert subprocess.run([shellcheck, ARRAY], check=False).returncode == 0


@pytest.fixture
def slurm(tmp_path):
    """An sbatch that runs every index of the array, and an scontrol that notes what is queued again."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    (folder / "sbatch").write_text(
        f"""#!/bin/bash
printf '%s\\n' "$@" >{folder}/arguments
for argument; do case $argument in
    --array=*) array=${{argument#--array=0-}} ;;
    --cpus-per-task=*) export SLURM_CPUS_PER_TASK=${{argument#*=}} ;;
    --*) ;;
    *) break ;;
esac; shift; done
worst=0
for index in $(seq 0 "${{array%\\%*}}"); do
    SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$index bash "$@" || worst=$?
done
exit $worst
"""
    )
    (folder / "scontrol").write_text(f'#!/bin/bash\necho "$@" >>{folder}/requeued\n')
    (folder / "sleep").write_text("#!/bin/bash\n")
    for name in ("sbatch", "scontrol", "sleep"):
        (folder / name).chmod(0o755)
    return folder


def test_slurm_runs_every_shard(slurm, plan, recordings, fleet, binary, tmp_path):
    path = plan(str(recordings), "--shards", "3")
    environment = {"PATH": f"{slurm}:{os.environ['PATH']}", "MAPEVERYTHING": binary}
    out = tmp_path / "out"
    done = fleet("slurm", path, out, "-j", "2", "--sbatch=--partition=cpu", **environment)
    assert done.returncode == 0, done.stderr
    arguments = (slurm / "arguments").read_text().splitlines()
    assert "--array=0-2" in arguments and "--partition=cpu" in arguments and "--mem=768M" in arguments
    assert subprocess.run([binary, "batch", "status", str(path), str(out)], check=False).returncode == 0
    assert not (slurm / "requeued").exists()
    # A target that cannot be written is queued again; a manifest that is none is not.
    assert fleet("slurm", path, "/proc/nowhere", **environment).returncode == 74
    assert (slurm / "requeued").read_text().splitlines() == [f"requeue 7_{index}" for index in range(3)]
    (slurm / "requeued").unlink()
    (tmp_path / "cut").write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    run = subprocess.run(
        ["bash", ARRAY, tmp_path / "cut", out],
        env={**os.environ, **environment, "SLURM_ARRAY_TASK_ID": "0"},
        check=False,
    )
    assert run.returncode == 65 and not (slurm / "requeued").exists()


def test_slurm_takes_a_manifest_in_a_store(plan, recordings, fleet):
    path = plan(str(recordings))
    there = fleet("slurm", path, "/out", "--dry-run").stdout
    assert there.split()[-2] == str(path)
    done = fleet("slurm", f"file://{path}", "s3://b/out", "--dry-run")
    assert done.returncode == 0 and done.stdout.split()[-2:] == [str(path), "s3://b/out"], done.stderr
    listed = engines.sbatch(manifest.read(str(path)), "s3://b/plan.jsonl", "s3://b/out", 1, 0, [])
    assert listed[-2:] == ["s3://b/plan.jsonl", "s3://b/out"]


def test_the_job_is_one_that_kubernetes_takes(plan, recordings, tmp_path):
    base = FLEET / "kubernetes" / "base"
    assert yaml.safe_load((base / "kustomization.yaml").read_text())["resources"] == ["job.yaml"]
    job = yaml.safe_load((base / "job.yaml").read_text())
    kubernetes_validate.validate(job, "1.33", strict=True)
    path = plan(str(recordings), "--shards", "3")
    whole = manifest.read(str(path))
    overlay = engines.overlay(whole, "s3://b/plan.jsonl", "s3://b/out", "registry/fleet:2", 2, 0, tmp_path / "overlay")
    kustomization = yaml.safe_load(overlay.read_text())
    assert (overlay.parent / kustomization["resources"][0] / "job.yaml").resolve() == base / "job.yaml"
    assert kustomization["images"] == [{"name": "mapeverything-fleet", "newName": "registry/fleet", "newTag": "2"}]
    # As kustomize applies a JSON patch: every path has to be there.
    for change in json.loads(kustomization["patches"][0]["patch"]):
        *parents, last = change["path"].strip("/").split("/")
        place = job
        for part in parents:
            place = place[int(part) if part.isdigit() else part]
        assert change["op"] == "replace" and last in place
        place[last] = change["value"]
    kubernetes_validate.validate(job, "1.33", strict=True)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert job["spec"]["completions"] == 3 and container["resources"]["limits"]["memory"] == "768Mi"
    assert container["args"] == ["shard", "s3://b/plan.jsonl", "s3://b/out", "-j", "2"]
    # It is this container whose status the policy asks for.
    rules = job["spec"]["podFailurePolicy"]["rules"]
    assert [rule["onExitCodes"]["containerName"] for rule in rules if "onExitCodes" in rule] == [container["name"]]
