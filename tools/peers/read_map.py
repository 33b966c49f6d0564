#!/usr/bin/env python3
"""Reads a map as independent programs do and prints what is in it as JSON: plyfile for .ply, trimesh for .glb, .obj and .stl.

usage: read_map.py FILE
"""

import json
import sys

import numpy


def read_ply(path):
    import plyfile

    data = plyfile.PlyData.read(path)
    vertex = data["vertex"]
    names = vertex.data.dtype.names

    def columns(*wanted):
        return numpy.stack([vertex[name] for name in wanted], axis=1).tolist()

    result = {
        "positions": columns("x", "y", "z"),
        "normals": columns("nx", "ny", "nz"),
        "colours": columns("red", "green", "blue"),
    }
    if "scalar_weight" in names:
        result["weights"] = vertex["scalar_weight"].tolist()
    if "face" in [element.name for element in data.elements]:
        result["faces"] = [[int(corner) for corner in face] for face in data["face"]["vertex_indices"]]
    return result


def read_glb(path):
    import trimesh

    scene = trimesh.load(path, process=False)
    meshes = list(scene.geometry.values())
    if not meshes:
        return {"positions": [], "normals": [], "colours": [], "faces": []}
    mesh = meshes[0]
    # trimesh gives the file's numbers, which are linear light, in eight bits or as they are.
    with open(path, "rb") as file:
        content = file.read()
    length = int.from_bytes(content[12:16], "little")
    document = json.loads(content[20:20 + length])
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]]
    view = document["bufferViews"][accessor["bufferView"]]
    raw = numpy.frombuffer(content, "<u2", 4 * accessor["count"], 28 + length + view["byteOffset"])
    linear = raw.reshape(-1, 4)[:, :3] / 65535
    display = numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return {
        "positions": mesh.vertices.tolist(),
        "normals": mesh.vertex_normals.tolist(),
        "colours": numpy.rint(255 * display).astype(int).tolist(),
        "faces": mesh.faces.tolist(),
    }


def read_obj(path):
    import trimesh

    mesh = trimesh.load(path, process=False, maintain_order=True)
    return {
        "positions": mesh.vertices.tolist(),
        "normals": mesh.vertex_normals.tolist(),
        "colours": numpy.asarray(mesh.visual.vertex_colors)[:, :3].astype(int).tolist(),
        "faces": mesh.faces.tolist(),
    }


def read_stl(path):
    import trimesh

    mesh = trimesh.load(path)
    return {"triangles": len(mesh.faces), "area": float(mesh.area), "bounds": mesh.bounds.tolist()}


def main():
    path = sys.argv[1]
    readers = {".ply": read_ply, ".glb": read_glb, ".obj": read_obj, ".stl": read_stl}
    json.dump(readers[path[-4:]](path), sys.stdout)


if __name__ == "__main__":
    main()
