"""A recorder as one writes it in Python: websockets and json in, rosbags out.

usage: record_poses.py PORT BAG

Takes geometry_msgs/PoseStamped from one client after the other, and answers calls in their turn.
"""

import asyncio
import json
import shutil
import sys

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from websockets.asyncio.server import serve

KIND = "geometry_msgs/msg/PoseStamped"
store = get_typestore(Stores.ROS2_HUMBLE)
types = store.types
Time, Header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
Pose, Point = types["geometry_msgs/msg/Pose"], types["geometry_msgs/msg/Point"]
Quaternion, PoseStamped = types["geometry_msgs/msg/Quaternion"], types[KIND]


def message(fields):
    stamp = Time(**fields["header"]["stamp"])
    header = Header(stamp=stamp, frame_id=fields["header"]["frame_id"])
    pose = Pose(position=Point(**fields["pose"]["position"]), orientation=Quaternion(**fields["pose"]["orientation"]))
    return stamp.sec * 10**9 + stamp.nanosec, PoseStamped(header=header, pose=pose)


async def main():
    shutil.rmtree(sys.argv[2], ignore_errors=True)
    with Writer(sys.argv[2], version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connections = {}

        async def handler(socket):
            async for text in socket:
                operation = json.loads(text)
                if operation["op"] == "advertise" and operation["topic"] not in connections:
                    topic = operation["topic"]
                    connections[topic] = writer.add_connection(topic, KIND, typestore=store)
                elif operation["op"] == "publish":
                    time, pose = message(operation["msg"])
                    writer.write(connections[operation["topic"]], time, store.serialize_cdr(pose, KIND))
                elif operation["op"] == "call_service":
                    answer = dict(op="service_response", id=operation["id"], service=operation["service"])
                    await socket.send(json.dumps(answer | dict(result=True, values={})))

        async with serve(handler, "127.0.0.1", int(sys.argv[1]), max_size=None):
            await asyncio.get_running_loop().create_future()


asyncio.run(main())
