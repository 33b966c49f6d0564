"""What Slurm and Kubernetes are told of a manifest: both run one shard for each index of an array."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from .manifest import Manifest

_FOLDER = Path(__file__).resolve().parent.parent
_OVERHEAD = 256 << 20


def mebibytes(manifest: Manifest, jobs: int) -> int:
    """What a machine needs that runs so many units at a time, and what drives them."""
    return -(-(manifest.memory_bytes * jobs + _OVERHEAD) // (1 << 20))


def sbatch(manifest: Manifest, url: str, target: str, jobs: int, at_once: int, extra: list[str]) -> list[str]:
    """The command that submits an array of all shards."""
    limit = f"%{at_once}" if at_once else ""
    return [
        "sbatch",
        f"--array=0-{manifest.shards - 1}{limit}",
        f"--cpus-per-task={jobs}",
        f"--mem={mebibytes(manifest, jobs)}M",
        *extra,
        str(_FOLDER / "slurm" / "array.sh"),
        url,
        target,
    ]


def overlay(manifest: Manifest, url: str, target: str, image: str, jobs: int, at_once: int, folder: Path) -> Path:
    """Writes a Kustomize overlay for kubernetes/base: as many completions as shards, the memory that units ask for."""
    folder.mkdir(parents=True, exist_ok=True)
    memory = f"{mebibytes(manifest, jobs)}Mi"
    name, _, tag = image.rpartition(":") if ":" in image.rsplit("/", 1)[-1] else (image, "", "latest")
    patch = [
        {"op": "replace", "path": "/spec/completions", "value": manifest.shards},
        {"op": "replace", "path": "/spec/parallelism", "value": min(manifest.shards, at_once or manifest.shards)},
        {
            "op": "replace",
            "path": "/spec/template/spec/containers/0/args",
            "value": ["shard", url, target, "-j", str(jobs)],
        },
        {
            "op": "replace",
            "path": "/spec/template/spec/containers/0/resources",
            "value": {"requests": {"cpu": str(jobs), "memory": memory}, "limits": {"memory": memory}},
        },
    ]
    # JSON is YAML.
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [_relative(_FOLDER / "kubernetes" / "base", folder)],
        "images": [{"name": "mapeverything-fleet", "newName": name, "newTag": tag}],
        "patches": [{"target": {"kind": "Job", "name": "mapeverything-batch"}, "patch": json.dumps(patch)}],
    }
    path = folder / "kustomization.yaml"
    path.write_text(json.dumps(kustomization, indent=2) + "\n")
    return path


def _relative(path: Path, start: Path) -> str:
    import os

    return os.path.relpath(path, start.resolve())


def text(command: list[str]) -> str:
    return shlex.join(command)
