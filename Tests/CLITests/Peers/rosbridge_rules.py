"""The rules of rosbridge for ROS 2 on what a publish may hold, stricter than any one distribution's.

Messages become those of rosbags, so that a stream, a bag of CDR and a bag of rosbridge_json can be compared as bytes.
"""

import base64
import hashlib
import math
from pathlib import Path

import numpy
from rosbags.interfaces import MessageDefinitionFormat
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

MESSAGES = Path(__file__).resolve().parents[3] / "ros2" / "mapeverything_msgs" / "msg"
INTEGER_RANGES = {
    f"{sign}int{bits}": ((0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
} | {"byte": (0, 255), "octet": (0, 255), "char": (0, 255)}
DTYPES = {name: numpy.dtype(name) for name in INTEGER_RANGES if "int" in name} | {
    "byte": numpy.dtype("uint8"), "octet": numpy.dtype("uint8"), "char": numpy.dtype("uint8"),
    "float32": numpy.dtype("float32"), "float64": numpy.dtype("float64"), "bool": numpy.dtype("bool"),
}


class Refused(Exception):
    """What the server would refuse, and why."""


def typestore():
    """The types of Jazzy and our own."""
    store = get_typestore(Stores.ROS2_JAZZY)
    types = {}
    for path in sorted(MESSAGES.glob("*.msg")):
        types |= get_types_from_msg(path.read_text(), f"mapeverything_msgs/msg/{path.stem}")
    store.register({name: fields for name, fields in types.items() if name not in store.fielddefs})
    return store


STORE = typestore()


def register(bag):
    """Adds the types that only the bag defines."""
    with Reader(bag) as reader:
        for connection in reader.connections:
            definition = connection.msgdef
            if definition.format == MessageDefinitionFormat.MSG and "/msg/" in connection.msgtype:
                types = get_types_from_msg(definition.data, connection.msgtype)
                STORE.register({name: fields for name, fields in types.items() if name not in STORE.fielddefs})


def full_name(name):
    """pkg/Name and pkg/msg/Name are the same type; a bare name is none."""
    parts = [part for part in name.split("/") if part]
    full = f"{parts[0]}/msg/{parts[-1]}" if len(parts) in (2, 3) else None
    if full not in STORE.fielddefs:
        raise Refused(f"no type {name}")
    return full


def primitive(kind, value, path):
    if kind == "bool":
        if not isinstance(value, bool):
            raise Refused(f"{path}: expected a bool, found {value!r}")
    elif kind in INTEGER_RANGES:
        low, high = INTEGER_RANGES[kind]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Refused(f"{path}: expected {kind}, found {value!r}")
    elif kind in ("float32", "float64"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Refused(f"{path}: expected a number, found {value!r}")
        value = float(value)
        if kind == "float32" and math.isfinite(value) and abs(value) > numpy.finfo("float32").max:
            raise Refused(f"{path}: {value} is no float32")
    elif kind == "string":
        if not isinstance(value, str):
            raise Refused(f"{path}: expected a string, found {value!r}")
    else:
        raise Refused(f"{path}: {kind} is not supported")
    return value


def array(element, value, count, is_fixed, path):
    node, detail = element
    if node.name == "NAME":
        if not isinstance(value, list):
            raise Refused(f"{path}: expected a list, found {type(value).__name__}")
        result = [message(detail, item, f"{path}[{i}]") for i, item in enumerate(value)]
    else:
        kind = detail[0]
        if kind in ("uint8", "char") and isinstance(value, str):
            try:
                value = base64.b64decode(value, validate=True)
            except ValueError as error:
                raise Refused(f"{path}: {error}") from None
            result = numpy.frombuffer(value, "uint8")
        elif isinstance(value, list):
            result = [primitive(kind, item, f"{path}[{i}]") for i, item in enumerate(value)]
            if kind in DTYPES:
                result = numpy.array(result, DTYPES[kind])
        else:
            raise Refused(f"{path}: expected a list, found {type(value).__name__}")
    if count and (len(result) != count if is_fixed else len(result) > count):
        raise Refused(f"{path}: {len(result)} elements, expected {count}")
    return result


def message(name, value, path="msg"):
    """A rosbags message of a JSON object that has exactly the fields of its type."""
    if not isinstance(value, dict):
        raise Refused(f"{path}: expected an object, found {type(value).__name__}")
    fields = dict(STORE.fielddefs[name][1])
    if set(fields) == {"structure_needs_at_least_one_member"}:
        return STORE.types[name](0)
    if list(value) != list(fields):
        raise Refused(f"{path}: keys {list(value)}, expected {list(fields)}")
    result = {}
    for key, (node, detail) in fields.items():
        place = f"{path}.{key}"
        if node.name == "NAME":
            result[key] = message(detail, value[key], place)
        elif node.name in ("ARRAY", "SEQUENCE"):
            result[key] = array(detail[0], value[key], detail[1], node.name == "ARRAY", place)
        else:
            result[key] = primitive(detail[0], value[key], place)
    return STORE.types[name](**result)


def digest(name, decoded):
    """The hash of a message's CDR: the same for the same values, however they came."""
    return hashlib.sha1(bytes(STORE.serialize_cdr(decoded, name))).hexdigest()


def stamp(decoded):
    """The stamp of a message's header, in nanoseconds, or None."""
    header = getattr(decoded, "header", None)
    if header is None and getattr(decoded, "transforms", None):
        header = decoded.transforms[0].header
    if header is None:
        return None
    return header.stamp.sec * 10**9 + header.stamp.nanosec
