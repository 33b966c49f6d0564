"""A thousand connections to a server of this machine that say nothing, and one client among them that does.

usage: silent_crowd.py PORT PROTOCOL KINDS PROCESS

PROTOCOL is what the client speaks: rosbridge, foxglove, receiver (of Arvos), sender (of Arvos) or post (Arvos by HTTP).
KINDS is what the members of the crowd do in turn, separated by commas:
  silent    connects, and that is all
  slow      sends the head of a request, a byte now and then
  open      completes the handshake, or has one request answered, and says nothing more, not even to pings
  body      sends a request with a body, of which a byte comes now and then (post only)

Prints, once the client was served: {"seconds": until then, "tries": how often it came, "held": connections of the crowd
that are open, "descriptors": most that PROCESS had beyond those of before, "kilobytes": the most memory it had beyond
that of before}, and holds what is left of the crowd until it is killed.
"""

import json
import os
import socket
import struct
import sys
import threading
import time

from raw_client import Raw

CROWD = 1000
TELEMETRY = json.dumps(dict(sensorType="imu", timestampNs=10**9, angularVelocity=[0, 0, 0],
                            linearAcceleration=[0, 0, 1]))  # fmt: skip


class Watched:
    """Descriptors and memory of a process, from now on."""

    def __init__(self, process):
        self.folder = f"/proc/{process}"
        self.before = self.now()
        self.most = self.before
        threading.Thread(target=self.look, daemon=True).start()

    def now(self):
        with open(f"{self.folder}/status") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
        return len(os.listdir(f"{self.folder}/fd")), peak

    def look(self):
        while True:
            try:
                self.most = tuple(max(pair) for pair in zip(self.most, self.now()))
            except OSError:
                return
            time.sleep(0.01)

    @property
    def growth(self):
        return [most - before for most, before in zip(self.most, self.before)]


def head(port, protocol, kind):
    """What a member of the crowd would send."""
    if protocol == "post":
        length = 10**6 if kind == "body" else len(TELEMETRY)
        text = f"POST /api/telemetry HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n"
        return text.encode() + (TELEMETRY.encode() if kind == "open" else b"")
    return Raw.request(port, protocols="foxglove.sdk.v1" if protocol == "foxglove" else None)


def attack(port, protocol, kinds):
    """The crowd; those to whom nothing is said are connected all the same."""
    crowd = []
    slow = []
    for number in range(CROWD):
        kind = kinds[number % len(kinds)]
        client = socket.create_connection(("127.0.0.1", port), timeout=60)
        crowd.append(client)
        if kind in ("open", "body"):
            try:
                client.sendall(head(port, protocol, kind))
            except ConnectionError:
                pass
        if kind in ("slow", "body"):
            slow.append((client, b"x" * 10**6 if kind == "body" else head(port, protocol, kind)))
        client.setblocking(False)
    threading.Thread(target=trickle, args=(slow,), daemon=True).start()
    return crowd


def trickle(slow):
    """A byte of each in a tenth of a second."""
    for place in range(10**6):
        for client, request in slow:
            try:
                client.send(request[place : place + 1])
            except OSError:
                pass
        time.sleep(0.1)


def is_open(client):
    """True unless the server has ended the connection."""
    try:
        while data := client.recv(1 << 16):
            if data.startswith(b"HTTP/1.1 503"):
                return False
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def serve(port, protocol):
    """Comes as a client does that means well, and returns once it has what it came for."""
    if protocol == "post":
        client = Raw(port, handshake=False)
        client.send(head(port, protocol, "open"))
        assert client.head().startswith(b"HTTP/1.1 200 "), client.input
        return client
    client = Raw(port, protocols="foxglove.sdk.v1" if protocol == "foxglove" else None)
    if protocol == "rosbridge":
        client.text(dict(op="advertise", topic="/well", type="std_msgs/String"))
        client.text(dict(op="publish", topic="/well", msg=dict(data="behaved")))
        assert client.answers() == []
    elif protocol == "sender":
        client.text(TELEMETRY)
        client.send(Raw.frame(b"well", first=0x89))
        assert next(payload for opcode, payload in client.frames() if opcode == 0xA) == b"well"
    elif protocol == "receiver":
        assert next(json.loads(payload) for opcode, payload in client.frames() if opcode == 1)["type"] == "handshake"
    else:
        subscribe(client)
    return client


def subscribe(client):
    for opcode, payload in client.frames():
        if opcode == 2 and payload[0] == 1:
            assert struct.unpack("<I", payload[1:5]) == (7,)
            return
        if opcode == 1 and (text := json.loads(payload))["op"] == "advertise":
            client.text(dict(op="subscribe", subscriptions=[dict(id=7, channelId=text["channels"][0]["id"])]))
    raise EOFError


def main(port, protocol, kinds, process):
    watched = Watched(process)
    crowd = attack(port, protocol, kinds)
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        try:
            client = serve(port, protocol)
            break
        except (AssertionError, ConnectionError, EOFError, StopIteration) as problem:
            if time.monotonic() - began > 60:
                raise TimeoutError from problem
            time.sleep(0.2)
    seconds = time.monotonic() - began
    held = sum(map(is_open, crowd))
    descriptors, kilobytes = watched.growth
    print(json.dumps(dict(seconds=round(seconds, 2), tries=tries, held=held, descriptors=descriptors,
                          kilobytes=kilobytes)), flush=True)  # fmt: skip
    time.sleep(600)
    client.close()


main(int(sys.argv[1]), sys.argv[2], sys.argv[3].split(","), int(sys.argv[4]))
