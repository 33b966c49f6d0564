"""Publishes messages of types that `record` has descriptions of, and judges by rosbags what became of them.

usage: record_described.py send PORT
       record_described.py judge BAG        prints a JSON list of differences
"""

import json
import math
import sys
from pathlib import Path

import numpy


def header(seconds):
    return {"stamp": {"sec": 1_700_000_000 + seconds, "nanosec": 7}, "frame_id": "map"}


def pose(x):
    return {"position": {"x": x, "y": -0.5, "z": 2.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}


def point(second):
    return {
        "positions": [0.5 * second, -1.0], "velocities": [], "accelerations": [1e-3], "effort": [],
        "time_from_start": {"sec": second, "nanosec": 500},
    }


# The topic, its type, and its messages as a client sends them: every field is named.
MESSAGES = {
    "/joints": ("sensor_msgs/JointState", [
        {"header": header(i), "name": ["a", "ö"], "position": [0.1 * i, math.pi], "velocity": [], "effort": [-1.5]}
        for i in range(5)
    ]),
    "/map": ("nav_msgs/msg/OccupancyGrid", [{
        "header": header(1),
        "info": {
            "map_load_time": {"sec": 3, "nanosec": 4}, "resolution": 0.25, "width": 64, "height": 3, "origin": pose(1.5),
        },
        "data": [(i * 7) % 102 - 1 for i in range(192)],
    }]),
    "/trajectory": ("trajectory_msgs/msg/JointTrajectory", [
        {"header": header(2), "joint_names": ["left", ""], "points": [point(i) for i in range(9)]},
    ]),
    "/tags": ("apriltag_msgs/AprilTagDetectionArray", [{
        "header": header(3),
        "detections": [{
            "family": "tag36h11", "id": i, "hamming": 0, "goodness": 0.5, "decision_margin": 80.25,
            "centre": {"x": 1.5 * i, "y": 2.0}, "corners": [{"x": float(c), "y": float(i)} for c in range(4)],
            "homography": [0.125 * c for c in range(9)],
        } for i in range(3)],
    }]),
    "/parameters": ("rcl_interfaces/msg/ParameterEvent", [{
        "stamp": {"sec": 1_700_000_009, "nanosec": 1}, "node": "/node",
        "new_parameters": [{"name": "p", "value": {
            "type": 9, "bool_value": True, "integer_value": -(2 ** 62), "double_value": 0.5, "string_value": "s",
            "byte_array_value": [1, 255], "bool_array_value": [True, False], "integer_array_value": [-1, 2],
            "double_array_value": [0.25], "string_array_value": ["a", "b"],
        }}],
        "changed_parameters": [], "deleted_parameters": [],
    }]),
}


def send(port):
    import roslibpy
    from websockets.sync.client import connect

    client = roslibpy.Ros("127.0.0.1", port)
    client.run()
    for topic, (kind, messages) in list(MESSAGES.items())[:2]:
        publisher = roslibpy.Topic(client, topic, kind)
        publisher.advertise()
        for message in messages:
            publisher.publish(roslibpy.Message(message))
    roslibpy.Service(client, "/rosapi/get_time", "rosapi_msgs/srv/GetTime").call(roslibpy.ServiceRequest())
    client.terminate()
    with connect(f"ws://127.0.0.1:{port}", max_size=None) as socket:
        for topic, (kind, messages) in list(MESSAGES.items())[2:]:
            socket.send(json.dumps({"op": "advertise", "topic": topic, "type": kind}))
            for message in messages:
                socket.send(json.dumps({"op": "publish", "topic": topic, "msg": message}).encode())
        socket.send(json.dumps({"op": "call_service", "service": "/rosapi/get_time", "id": "end"}))
        answer = json.loads(socket.recv(timeout=30))
        assert answer["op"] == "service_response", answer


def compare(path, sent, found, differences):
    if isinstance(sent, dict):
        for name, value in sent.items():
            compare(f"{path}.{name}", value, getattr(found, name), differences)
    elif isinstance(sent, list):
        if len(sent) != len(found):
            differences.append(f"{path}: {len(sent)} elements, found {len(found)}")
        for index, (one, other) in enumerate(zip(sent, found)):
            compare(f"{path}[{index}]", one, other, differences)
    elif isinstance(found, (float, numpy.floating)):
        if type(found)(sent) != found:
            differences.append(f"{path}: {sent!r}, found {found!r}")
    # rosbags reads `byte` with a sign, which ROS's octet has not.
    elif found != sent and not (path.split("[")[-2:-1] and "byte_array" in path and int(found) % 256 == sent):
        differences.append(f"{path}: {sent!r}, found {found!r}")


def judge(bag):
    from rosbags.highlevel import AnyReader

    differences = []
    found = {topic: [] for topic in MESSAGES}
    with AnyReader([bag]) as reader:
        for connection, _, data in reader.messages():
            found[connection.topic].append((connection.msgtype, reader.deserialize(data, connection.msgtype)))
    for topic, (kind, messages) in MESSAGES.items():
        full = kind if "/msg/" in kind else kind.replace("/", "/msg/")
        if [name for name, _ in found[topic]] != [full] * len(messages):
            differences.append(f"{topic}: {len(messages)} x {full}, found {[name for name, _ in found[topic]]}")
        for sent, (_, message) in zip(messages, found[topic]):
            compare(topic, sent, message, differences)
    return differences


if sys.argv[1] == "send":
    send(int(sys.argv[2]))
else:
    print(json.dumps(judge(Path(sys.argv[2]))))
