"""Judges messages encoded by mapeverything with rosbags, and makes random ones for it to read.

usage: check_messages.py check  < lines of {"type", "definition", "cdr" (hex), "json"}   > lines of {"type", "problems"}
                                  "edition": "humble" judges by that release, "hash" is compared where it is there
       check_messages.py make N < lines of {"type", "definition"}                        > lines of {"type", "cdr" (hex)}
"""

import base64
import json
import math
import random
import sys

import numpy
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

# The newest that is meant, then those that brought more types.
LATEST = [get_typestore(store) for store in (Stores.ROS2_JAZZY, Stores.ROS2_KILTED, Stores.ROS2_LYRICAL)]
EDITIONS = {name: [get_typestore(Stores(f"ros2_{name}"))] for name in ("foxy", "galactic", "humble", "iron")}
EDITIONS |= {"latest": LATEST, "humble-2022": EDITIONS["humble"], "jazzy": LATEST, "jazzy-2024": LATEST}
# Packages of which rosbags knows nothing.
UNKNOWN_PACKAGES = (
    "mapeverything_msgs/", "apriltag_msgs/", "foxglove_msgs/", "rosbridge_msgs/", "std_srvs/", "ackermann_msgs/",
    "control_msgs/", "example_interfaces/", "geographic_msgs/", "moveit_msgs/", "nav2_msgs/",
    "object_recognition_msgs/", "octomap_msgs/", "pandar_msgs/", "plansys2_msgs/", "turtlesim/", "velodyne_msgs/",
    "vision_msgs/",
)
# The integer types by name: their bits, and "u" where they have no sign.
INTEGERS = {f"{sign}int{bits}": (bits, sign) for bits in (8, 16, 32, 64) for sign in ("", "u")}


def store_of(entry):
    """A type store that knows nothing but the definition text."""
    types = get_types_from_msg(entry["definition"], entry["type"])
    store = get_typestore(Stores.EMPTY)
    # rosbags takes every type for a message: the parts of services get their names back.
    names = {name: name.replace("/srv/msg/", "/srv/") for name in types}
    store.register({names[name]: (constants, [(field, renamed(kind, names)) for field, kind in fields])
                    for name, (constants, fields) in types.items()})
    return store


def renamed(kind, names):
    """A field's type; what a part of a service or action names without a package is a part, or a message of its package."""
    node, detail = kind
    if node.name == "NAME":
        return node, names.get(detail, detail.replace("/srv/msg/", "/msg/").replace("/action/", "/msg/"))
    return kind if node.name == "BASE" else (node, (renamed(detail[0], names), detail[1]))


def reference_of(name, edition):
    """The first type store that has a type; what an older release does not have yet is that of the latest."""
    return next((store for store in EDITIONS[edition] + LATEST if name in store.fielddefs), None)


def definition_problems(entry, store):
    """Where the definition's types differ from those of ROS 2."""
    edition = entry.get("edition", "latest")
    for name, (constants, fields) in store.fielddefs.items():
        reference = reference_of(name, edition)
        if reference is None:
            if not name.startswith(UNKNOWN_PACKAGES):
                yield f"{name} is in no distribution"
            continue
        if fields != reference.fielddefs[name][1]:
            yield f"{name}: fields differ"
        if sorted(constants) != sorted(reference.fielddefs[name][0]):
            yield f"{name}: constants differ"
    if entry.get("hash"):
        expected = (reference_of(entry["type"], edition) or store).hash_rihs01(entry["type"])
        if entry["hash"] != expected:
            yield f"hash {entry['hash']}, expected {expected}"


def same_number(left, right):
    return left == right or (math.isnan(left) and math.isnan(right))


def json_problems(path, value, kind, data, store):
    """Where a field of the decoded CDR differs from the JSON."""
    node, detail = kind
    if node.name == "NAME":
        yield from object_problems(path, value, detail, data, store)
    elif node.name == "BASE":
        name = detail[0]
        found = data
        if name.startswith("float"):
            rounded = float(numpy.float32(found)) if name == "float32" else found
            right = isinstance(found, float) and same_number(float(value), rounded)
        elif name == "bool":
            right = found is bool(value)
        elif name == "string":
            right = found == value
        else:
            # rosbags reads `byte` with a sign, which ROS's octet has not.
            expected = int(value) % 256 if name == "byte" else int(value)
            right = type(found) is int and found == expected
        if not right:
            yield f"{path}: {value!r} in CDR, {found!r} in JSON"
    else:
        element = detail[0]
        if element[0].name == "BASE" and element[1][0] in ("uint8", "char"):
            if base64.b64decode(data, validate=True) != bytes(value):
                yield f"{path}: other bytes"
            return
        if len(value) != len(data):
            yield f"{path}: {len(value)} elements in CDR, {len(data)} in JSON"
            return
        for index, (left, right) in enumerate(zip(value, data)):
            yield from json_problems(f"{path}[{index}]", left, element, right, store)


def object_problems(path, value, typename, data, store):
    fields = [field for field in store.fielddefs[typename][1] if field[0] != "structure_needs_at_least_one_member"]
    if list(data) != [name for name, _ in fields]:
        yield f"{path}: keys {list(data)}"
        return
    for name, kind in fields:
        yield from json_problems(f"{path}.{name}", getattr(value, name), kind, data[name], store)


def check(entry):
    store = store_of(entry)
    problems = list(definition_problems(entry, store))
    cdr = bytes.fromhex(entry["cdr"])
    message = store.deserialize_cdr(cdr, entry["type"])
    if bytes(store.serialize_cdr(message, entry["type"])) != cdr:
        problems.append("CDR differs when rosbags writes it again")
    if "json" in entry:
        problems += object_problems("msg", message, entry["type"], json.loads(entry["json"]), store)
    return {"type": entry["type"], "problems": problems}


def random_base(name, generator):
    if name in INTEGERS:
        bits, sign = INTEGERS[name]
        return generator.randrange(0, 1 << bits) - (0 if sign else 1 << (bits - 1))
    if name == "byte":
        return generator.randrange(-128, 128)
    if name == "char":
        return generator.randrange(256)
    if name == "bool":
        return generator.random() < 0.5
    if name == "float32":
        return float(numpy.float32(generator.uniform(-1e6, 1e6)))
    if name == "float64":
        return generator.choice([generator.uniform(-1e9, 1e9), 0.0, -0.0, 5e-324, math.inf])
    return "".join(generator.choice("aä€😀 \"\\\n/") for _ in range(generator.randrange(6)))


def random_field(kind, generator, store):
    node, detail = kind
    if node.name == "BASE":
        return random_base(detail[0], generator)
    if node.name == "NAME":
        return random_message(detail, generator, store)
    element, length = detail
    count = length if node.name == "ARRAY" else min(generator.randrange(4), length or 4)
    values = [random_field(element, generator, store) for _ in range(count)]
    if element[0].name == "BASE" and element[1][0] != "string":
        name = {"byte": "int8", "char": "uint8"}.get(element[1][0], element[1][0])
        return numpy.array(values, dtype=name)
    return values


def random_message(typename, generator, store):
    fields = store.fielddefs[typename][1]
    values = {name: random_field(kind, generator, store) for name, kind in fields}
    if "structure_needs_at_least_one_member" in values:
        values["structure_needs_at_least_one_member"] = 0
    return store.types[typename](**values)


def main():
    entries = [json.loads(line) for line in sys.stdin if line.strip()]
    if sys.argv[1:2] == ["check"]:
        for entry in entries:
            print(json.dumps(check(entry)))
    elif sys.argv[1:2] == ["make"]:
        generator = random.Random(20)
        for entry in entries:
            store = store_of(entry)
            for _ in range(int(sys.argv[2])):
                message = random_message(entry["type"], generator, store)
                cdr = bytes(store.serialize_cdr(message, entry["type"]))
                print(json.dumps({"type": entry["type"], "cdr": cdr.hex()}))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
