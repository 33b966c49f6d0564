#!/usr/bin/env python3
"""Reads OctoMap's binary file (.bt), by the description of the format, and prints its cells as JSON.

read_octomap.py FILE.bt: resolution, the nodes that the head counts and those that there are, whether any eight equal leaves
could have been one, and the occupied and the free cells of the lowest level by their indices x, y, z from the origin.
"""
import json
import sys

DEPTH = 16
FIRST_LINE = b"# Octomap OcTree binary file"
UNKNOWN, FREE, OCCUPIED, INNER = range(4)


def head(data):
    """The fields of the head, and where the nodes begin."""
    if not data.startswith(FIRST_LINE):
        raise SystemExit("no OctoMap binary file")
    fields, place = {}, 0
    while True:
        end = data.index(b"\n", place)
        line, place = data[place:end].decode(), end + 1
        if line == "data":
            return fields, place
        if not line.startswith("#"):
            key, value = line.split(" ", 1)
            fields[key] = value


class Tree:
    def __init__(self, data):
        fields, self.place = head(data)
        if fields.get("id") != "OcTree":
            raise SystemExit(f"id: expected OcTree, found {fields.get('id')}")
        self.data = data
        self.size, self.resolution = int(fields["size"]), float(fields["res"])
        self.nodes, self.is_pruned = 0, True
        self.cells = {FREE: [], OCCUPIED: []}
        if self.size:
            self.nodes = 1
            self.read(0, 0, 0, 0)
        self.rest = len(data) - self.place

    def read(self, depth, x, y, z):
        """Reads a node's children, and theirs; x, y and z are the keys of its lowest cell."""
        if depth == DEPTH:
            raise SystemExit("a node below the lowest level")
        bits = self.data[self.place] | self.data[self.place + 1] << 8
        self.place += 2
        children = [bits >> 2 * child & 3 for child in range(8)]
        if depth > 0 and len(set(children)) == 1 and children[0] in (FREE, OCCUPIED):
            self.is_pruned = False
        self.nodes += sum(1 for child in children if child != UNKNOWN)
        edge = 1 << DEPTH - depth - 1
        for child, state in enumerate(children):
            place = x + edge * (child & 1), y + edge * (child >> 1 & 1), z + edge * (child >> 2)
            if state == INNER:
                self.read(depth + 1, *place)
            elif state != UNKNOWN:
                half = 1 << DEPTH - 1
                self.cells[state] += [
                    [place[0] + i - half, place[1] + j - half, place[2] + k - half]
                    for k in range(edge) for j in range(edge) for i in range(edge)
                ]


def main():
    with open(sys.argv[1], "rb") as file:
        tree = Tree(file.read())
    print(json.dumps({
        "resolution": tree.resolution, "size": tree.size, "nodes": tree.nodes, "rest": tree.rest,
        "pruned": tree.is_pruned, "occupied": sorted(tree.cells[OCCUPIED]), "free": sorted(tree.cells[FREE]),
    }))


main()
