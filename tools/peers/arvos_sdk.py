#!/usr/bin/env python3
"""Does Arvos's own SDK receive what the phone recorded?

usage: arvos_sdk.py client URL SESSION [--command NAME]   an ArvosClient, which connects
       arvos_sdk.py server PORT SESSION                   an ArvosServer, until its first client leaves

Every callback is used as the SDK's documentation says. What they got is compared with the lines of the session: poses,
motion and fixes by value, images byte by byte, clouds by their points' number and extent. Each message is also read by
a second reader with the stricter rules that the SDK in Arvos's repository has (all keys required, `dataSize`, the end
of the PLY header within 1024 bytes). The exit status is 1 where anything differs or nothing came.
"""
import asyncio
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
from arvos import ArvosClient, ArvosServer
from findings import Problems

GRAVITY = 9.80665
LARGEST_MESSAGE = 1 << 20


class Received:
    """What the callbacks got, and what the strict reader says of the raw messages."""

    def __init__(self):
        self.handshakes, self.statuses, self.errors = [], [], []
        self.poses, self.samples, self.fixes, self.images, self.clouds = [], [], [], [], []
        self.strict = Problems(20)
        self.raw_count = 0

    def attach(self, receiver):
        """P's telemetry callbacks have to be coroutines, the others plain functions."""

        def later(kept):
            async def keep(value):
                kept.append(value)

            return keep

        receiver.on_handshake = self.handshakes.append
        receiver.on_status = self.statuses.append
        receiver.on_error = lambda error, details: self.errors.append((error, details))
        receiver.on_pose, receiver.on_imu, receiver.on_gps = map(later, (self.poses, self.samples, self.fixes))
        receiver.on_camera, receiver.on_depth = map(later, (self.images, self.clouds))

    def strictly(self, message):
        self.raw_count += 1
        data = message.encode() if isinstance(message, str) else message
        if len(data) > LARGEST_MESSAGE:
            self.strict.add(f"a message of {len(data)} bytes")
        if isinstance(message, str):
            return self.strict_text(json.loads(message))
        (length,) = struct.unpack("<I", data[:4])
        header, payload = json.loads(data[4 : 4 + length]), data[4 + length :]
        if header["dataSize"] != len(payload):
            self.strict.add(f"dataSize {header['dataSize']} of {len(payload)} bytes")
        if header["type"] != header["sensorType"] or not isinstance(header["timestampNs"], int):
            self.strict.add(f"header {header}")
        if header["type"] == "camera":
            for key in ("width", "height", "format", "compressedSize"):
                header[key]
            if not payload.startswith(b"\xff\xd8"):
                self.strict.add("an image that is no JPEG")
        elif b"end_header\n" not in payload[:1024] or b"property uchar red" not in payload[:1024]:
            self.strict.add("a cloud whose header is not within 1024 bytes")

    def strict_text(self, value):
        if any(member is None for member in value.values()):
            self.strict.add(f"null in {value}")
        needed = {
            "imu": ["timestampNs", "angularVelocity", "linearAcceleration"],
            "gps": "timestampNs latitude longitude altitude horizontalAccuracy verticalAccuracy speed course".split(),
            "pose": ["timestampNs", "position", "orientation", "trackingState"],
            "handshake": "deviceName deviceModel osVersion appVersion timestampNs capabilities".split(),
        }
        for key in needed.get(value["type"], []):
            if key not in value:
                self.strict.add(f"{value['type']} without {key}")
        if value["sensorType"] != value["type"]:
            self.strict.add(f"sensorType {value['sensorType']}")


def points_of(ply):
    """The coloured points of a binary PLY file; P's own reader cannot parse one."""
    end = ply.index(b"end_header\n") + 11
    count = int(ply[:end].split(b"element vertex ")[1].split(b"\n")[0])
    kind = np.dtype([("place", "<f4", 3), ("colour", "u1", 3)])
    assert len(ply) - end == count * kind.itemsize, f"{len(ply) - end} bytes of {count} points"
    return np.frombuffer(ply, kind, count, end)


def lines(session, name):
    path = Path(session) / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def nanoseconds(line):
    return round(line["timestamp"] * 1e9)


def nearest(times, stamp):
    """The index of a time that is the same but for rounding of decimal seconds."""
    place = int(np.argmin(np.abs(times - stamp)))
    assert abs(int(times[place]) - stamp) <= 1000, f"no record at {stamp}"
    return place


def compare(received, session):
    problems = received.strict
    frames, motion, places = (lines(session, name) for name in ("frames.jsonl", "imu.jsonl", "gps.jsonl"))
    frame_times = np.array([nanoseconds(line) for line in frames])

    def expect(condition, text):
        if not condition:
            problems.add(text)

    expect(len(received.handshakes) == 1, f"{len(received.handshakes)} handshakes")
    for handshake in received.handshakes:
        abilities = handshake.capabilities
        expect(abilities.has_imu and abilities.has_lidar and abilities.has_arkit, f"capabilities {abilities}")
        expect(abilities.has_gps == bool(places), f"capabilities {abilities}")
        expect(handshake.device_model, "no device")
    expect([status["status"] for status in received.statuses][:1] == ["streaming"], f"statuses {received.statuses}")
    expect(not received.errors, f"errors {received.errors}")
    for pose in received.poses:
        line = frames[nearest(frame_times, pose.timestamp_ns)]
        matrix = np.array(line["camera_transform"]).reshape(4, 4).T
        expect(np.allclose(pose.position, matrix[:3, 3], atol=1e-6), f"position {pose.position} of {matrix[:3, 3]}")
        x, y, z, w = pose.orientation
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        expect(np.allclose(rotation, matrix[:3, :3], atol=1e-6), f"orientation of {pose.timestamp_ns}")
    expect(len(received.poses) == len(frames), f"{len(received.poses)} poses of {len(frames)}")
    times = np.array([nanoseconds(line) for line in motion])
    for sample in received.samples:
        line = motion[nearest(times, sample.timestamp_ns)]
        expect(np.allclose(sample.angular_velocity, line["rotation_rate"], atol=1e-6), "angular velocity")
        apple = GRAVITY * np.array(line["user_acceleration"])
        expect(np.allclose(sample.linear_acceleration, apple, atol=2e-3), f"{sample.linear_acceleration} of {apple}")
    expect(len(received.samples) == len(motion), f"{len(received.samples)} samples of {len(motion)}")
    times = np.array([nanoseconds(line) for line in places])
    for fix in received.fixes:
        line = places[nearest(times, fix.timestamp_ns)]
        for found, key in (
            (fix.latitude, "latitude"), (fix.longitude, "longitude"), (fix.altitude, "altitude"),
            (fix.horizontal_accuracy, "horizontal_accuracy"), (fix.vertical_accuracy, "vertical_accuracy"),
            (fix.speed, "speed"), (fix.course, "course"),
        ):
            expect(math.isclose(found, line[key], rel_tol=1e-12), f"{key}: {found} of {line[key]}")
    expect(len(received.fixes) == len(places), f"{len(received.fixes)} fixes of {len(places)}")
    for image in received.images:
        line = frames[nearest(frame_times, image.timestamp_ns)]
        files = sorted((Path(session) / "rgb").iterdir())
        expect(image.data == files[line["frame_index"]].read_bytes(), f"image of {image.timestamp_ns}")
        expect([image.width, image.height] == line["camera_resolution"], f"{image.width} x {image.height}")
        focal = line["camera_intrinsics"][0]
        expect(image.intrinsics and abs(image.intrinsics.fx - focal) < 1e-6, f"intrinsics {image.intrinsics}")
    expect(len(received.images) == len(frames), f"{len(received.images)} images of {len(frames)}")
    for cloud in received.clouds:
        points = points_of(cloud.data)
        expect(len(points) == cloud.point_count > 500, f"{len(points)} points of {cloud.point_count}")
        # A room of known size, with y up as ARKit has it: floor and ceiling are farther apart in no other axis' way.
        span = points["place"].max(axis=0) - points["place"].min(axis=0)
        expect(np.isfinite(points["place"]).all() and span.max() < 20, f"extent {span}")
        far = np.linalg.norm(points["place"], axis=1).max()
        expect(abs(far - cloud.max_depth) < 1e-3, f"maxDepth {cloud.max_depth} of {far}")
    expect(len(received.clouds) >= len(frames) / 4, f"{len(received.clouds)} clouds")
    return problems


async def as_client(received, url, command):
    client = ArvosClient()
    received.attach(client)
    handle = client._handle_message

    async def noted(message):
        received.strictly(message)
        await handle(message)

    client._handle_message = noted
    await client.connect(url)
    if command:
        await client.send_command(command)
    await client.run()


async def as_server(received, port):
    server = ArvosServer(host="127.0.0.1", port=port)
    received.attach(server)
    ended = asyncio.Event()

    async def left(_):
        ended.set()

    async def message(_, content):
        received.strictly(content)

    server.on_disconnect, server.on_message = left, message
    serving = asyncio.create_task(server.start())
    await ended.wait()
    serving.cancel()


def main():
    role, place, session = sys.argv[1:4]
    received = Received()
    if role == "client":
        asyncio.run(as_client(received, place, sys.argv[5] if len(sys.argv) > 5 else None))
    else:
        try:
            asyncio.run(as_server(received, int(place)))
        except asyncio.CancelledError:
            pass
    if len(sys.argv) > 5:
        print(json.dumps([status.get("message", "") for status in received.statuses]))
    sys.exit(compare(received, session).finish(received.raw_count))


main()
