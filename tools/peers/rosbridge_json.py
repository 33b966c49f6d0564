"""Strict reading of a message in rosbridge JSON: what rosbridge_library accepts on every distribution."""

import base64
import binascii
import math
import types

from message_types import default_value, is_bytes
from rosbags.interfaces import Nodetype

INTEGERS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
INTEGERS |= {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
INTEGERS |= {name: (0, 255) for name in ("byte", "octet", "char")}
LARGEST_FLOAT32 = 3.4028234663852886e38


def message_from_json(store, type_name, value, path="msg"):
    """The message as an object with attributes; ValueError names the field."""
    if not isinstance(value, dict):
        raise ValueError(f"{path}: expected an object for {type_name}")
    fields = dict(store.fielddefs[type_name][1])
    for key in value:
        if key not in fields:
            raise ValueError(f"{path}: unknown field {key}")
    message = {}
    for name, (kind, detail) in fields.items():
        if name in value:
            message[name] = field_from_json(store, kind, detail, value[name], f"{path}.{name}")
        else:
            message[name] = default_value(store, kind, detail)
    return types.SimpleNamespace(**message)


def field_from_json(store, kind, detail, value, path):
    if kind == Nodetype.NAME:
        return message_from_json(store, detail, value, path)
    if kind not in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return primitive(detail[0], value, path)
    element, limit = detail
    elements = elements_from_json(store, element, value, path)
    if kind == Nodetype.ARRAY and len(elements) != limit:
        raise ValueError(f"{path}: length {len(elements)} instead of {limit}")
    if kind == Nodetype.SEQUENCE and limit and len(elements) > limit:
        raise ValueError(f"{path}: longer than {limit}")
    return elements


def elements_from_json(store, element, value, path):
    if is_bytes(element) and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise ValueError(f"{path}: base64 {error}") from error
    if not isinstance(value, list):
        raise ValueError(f"{path}: expected a list, got {type(value).__name__}")
    elements = [field_from_json(store, *element, item, f"{path}[{index}]") for index, item in enumerate(value)]
    return bytes(elements) if is_bytes(element) else elements


def primitive(name, value, path):
    if name == "bool":
        if not isinstance(value, bool):
            raise ValueError(f"{path}: bool expected, got {value!r}")
    elif name in INTEGERS:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{path}: {name} expected, got {value!r}")
        low, high = INTEGERS[name]
        if not low <= value <= high:
            raise ValueError(f"{path}: {value} out of range of {name}")
    elif name in ("float32", "float64"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{path}: number expected, got {value!r}")
        if name == "float32" and math.isfinite(value) and abs(value) > LARGEST_FLOAT32:
            raise ValueError(f"{path}: {value} out of range of float32")
    elif not isinstance(value, str):
        raise ValueError(f"{path}: string expected, got {value!r}")
    return value
