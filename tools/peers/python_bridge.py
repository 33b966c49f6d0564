"""A rosbridge server as Python makes it, without ROS behind it: websockets and json in, CDR out, which nobody gets.

usage: python_bridge.py PORT

Each message is built by fields and serialised, as rosbridge_suite does it before it publishes. Messages of a type that
rosbags does not know are only parsed. It answers every call in its turn, and serves one client after the other.
"""

import asyncio
import base64
import json
import sys

import numpy
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore
from websockets.asyncio.server import serve

store = get_typestore(Stores.ROS2_JAZZY)


def built(kind, value):
    """The value of a type's field, or a message of a type."""
    node, content = kind
    if node == Nodetype.BASE:
        return value
    if node == Nodetype.NAME:
        return message(content, value)
    element = content[0]
    if element[0] == Nodetype.BASE and element[1][0] != "string":
        dtype = {"octet": "uint8", "byte": "uint8", "char": "uint8"}.get(element[1][0], element[1][0])
        if isinstance(value, str):
            return numpy.frombuffer(base64.b64decode(value), dtype)
        return numpy.array([0 if item is None else item for item in value], dtype)
    return [built(element, item) for item in value]


def message(name, value):
    return store.types[name](**{field: built(kind, value[field]) for field, kind in store.fielddefs[name][1]})


async def main():
    types = {}

    def answer(call):
        if call["service"] == "/rosapi/topics":
            return {"topics": list(types), "types": list(types.values())}
        return {"time": {"sec": 0, "nanosec": 0}}

    async def handler(socket):
        async for text in socket:
            operation = json.loads(text)
            if operation["op"] == "advertise":
                types[operation["topic"]] = operation["type"]
            elif operation["op"] == "publish":
                name = types[operation["topic"]]
                if name in store.types:
                    store.serialize_cdr(message(name, operation["msg"]), name)
            elif operation["op"] == "call_service":
                reply = {"op": "service_response", "id": operation["id"], "service": operation["service"]}
                await socket.send(json.dumps(reply | {"result": True, "values": answer(operation)}))

    async with serve(handler, "127.0.0.1", int(sys.argv[1]), max_size=None):
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
