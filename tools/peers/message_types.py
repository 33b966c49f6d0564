"""Message types by rosbags: the common ones of a ROS distribution, those of .msg files, those that a bag defines."""

import functools
import json
import os
import types

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore, get_types_from_msg

STORES = {
    "empty": Stores.EMPTY,
    "humble": Stores.ROS2_HUMBLE,
    "iron": Stores.ROS2_IRON,
    "jazzy": Stores.ROS2_JAZZY,
    "rolling": Stores.ROS2_KILTED,
}
HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN_HASHES = os.path.join(HERE, "..", "..", "Tests", "Vectors", "rihs01_jazzy.json")

# The same definitions are in all bags of a run, and parsing them is most of the work.
parse_definition = functools.cache(get_types_from_msg)


def type_store(name, folders=()):
    """The types of a distribution, and those of PACKAGE/msg/NAME.msg below the folders."""
    store = get_typestore(STORES[name])
    for top in folders:
        for folder, _, files in os.walk(top):
            parts = folder.rstrip("/").split("/")
            package = parts[-2] if parts[-1] == "msg" and len(parts) > 1 else parts[-1]
            for file in sorted(file for file in files if file.endswith(".msg")):
                name = f"{package}/msg/{file[:-4]}"
                if name not in store.fielddefs:
                    with open(os.path.join(folder, file), encoding="utf-8") as text:
                        store.register(parse_definition(text.read(), name))
    return store


def register_missing(store, definitions):
    store.register({name: fields for name, fields in definitions.items() if name not in store.fielddefs})


@functools.cache
def known_hashes(path=KNOWN_HASHES):
    """RIHS01 by type as ROS's own generator computes it, which differs from rosbags for fields of type char."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as text:
        return {name: entry["hash"] for name, entry in json.load(text).items()}


def default_value(store, kind, detail):
    """What a field has that a message in JSON leaves out."""
    if kind == Nodetype.NAME:
        fields = store.fielddefs[detail][1]
        return types.SimpleNamespace(**{name: default_value(store, *field) for name, field in fields})
    if kind == Nodetype.SEQUENCE:
        return b"" if is_bytes(detail[0]) else []
    if kind == Nodetype.ARRAY:
        return [default_value(store, *detail[0])] * detail[1]
    return "" if detail[0] in ("string", "wstring") else 0


def is_bytes(element):
    """Whether rosbridge has an array of these elements as base64."""
    kind, detail = element
    return kind == Nodetype.BASE and detail[0] in ("uint8", "char")
