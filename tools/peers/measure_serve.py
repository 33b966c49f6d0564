"""Measures `mapeverything serve`: what it costs, how soon a seek is answered, its memory; and how soon `record --view`
shows what comes. Prints lines of text.

usage: measure_serve.py cost BINARY [--clients N] [--seconds N] [--folder DIR]    beside the server of Foxglove's SDK
       measure_serve.py seek BINARY PATH [--seeks N]                              a session or a bag
       measure_serve.py memory BINARY [PATH] [--seconds N] [--rate N] [--folder DIR]
                                                                                  four clients, one of which never reads
       measure_serve.py relay BINARY [--seconds N] [--size BYTES] [--folder DIR]  20 MB/s of clouds by rosbridge, through
                                                                                  `record --view`, and through Python

`relay` sends PointCloud2 of --size bytes (100 kB) as a phone does, by rosbridge, and takes the time from before a message is
given to the socket until a viewer on Foxglove's protocol has its first and its last byte. Beside it, in turns: the server of
Foxglove's SDK, fed by a rosbridge server in Python (websockets, json, base64), which writes no bag. Then it looks which stamps
are missing in the bag.

`cost` and `memory` make a bag of 20 clouds of 1 MB a second in DIR, /dev/shm by default. Clients are a process of their own
that reads and counts; processor time is that of the server's process alone.
"""

import argparse
import json
import os
import random
import re
import selectors
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

POINTS, HERTZ, BEGIN = 65536, 20, 10**18


def cloud(number, points=POINTS, data=None, stamp=None):
    """PointCloud2 with 16 bytes a point, as CDR: 1 MB."""
    stamp = BEGIN + number * 10**9 // HERTZ if stamp is None else stamp
    out = bytearray(b"\0\1\0\0")

    def align(size):
        out.extend(b"\0" * (-(len(out) - 4) % size))

    def u32(*values):
        align(4)
        out.extend(struct.pack(f"<{len(values)}I", *values))

    def text(value):
        u32(len(value) + 1)
        out.extend(value.encode() + b"\0")

    u32(stamp // 10**9, stamp % 10**9)
    text("map")
    u32(1, points, 4)
    for name, offset in (("x", 0), ("y", 4), ("z", 8), ("rgb", 12)):
        text(name)
        u32(offset)
        out.append(7)
        u32(1)
    out.append(0)
    u32(16, 16 * points, 16 * points)
    out.extend(random.Random(number).randbytes(16 * points) if data is None else data)
    out.append(1)
    return bytes(out)


SCHEMA = """std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: sensor_msgs/PointField
string name
uint32 offset
uint8 datatype
uint32 count
"""


def make_bag(path, seconds):
    from mcap.writer import CompressionType, Writer

    with open(path, "wb") as file:
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start("ros2")
        schema = writer.register_schema("sensor_msgs/msg/PointCloud2", "ros2msg", SCHEMA.encode())
        channel = writer.register_channel("/cloud", "cdr", schema)
        for number in range(seconds * HERTZ):
            stamp = BEGIN + number * 10**9 // HERTZ
            writer.add_message(channel, log_time=stamp, publish_time=stamp, data=cloud(number))
        writer.finish()


def frame(payload, text=True):
    """A client's frame, masked with zeros."""
    length = len(payload)
    size = bytes([0x80 | length]) if length < 126 else bytes([0xFE]) + struct.pack(">H", length)
    return bytes([0x81 if text else 0x82]) + size + b"\0\0\0\0" + payload


class Client:
    """Counts messages of subscriptions; reads what is there, as little as possible in Python."""

    buffer = bytearray(1 << 20)

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
            "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n"
            .encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        self.head, self.left, self.messages, self.bytes, self.kinds = bytearray(), 0, 0, 0, []

    def send(self, value):
        self.socket.sendall(frame(value if isinstance(value, bytes) else json.dumps(value).encode(),
                                  not isinstance(value, bytes)))

    def payload(self):
        """The next frame, whole: opcode and bytes."""
        def take(count):
            data = bytearray()
            while len(data) < count:
                piece = self.socket.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return bytes(data)

        opcode, length = take(2)
        if length == 126:
            length = struct.unpack(">H", take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", take(8))[0]
        return opcode & 15, take(length)

    def subscribe(self, wanted=None):
        while True:
            kind, data = self.payload()
            value = json.loads(data) if kind == 1 else {}
            if value.get("op") == "serverInfo":
                self.info = value
            if value.get("op") == "advertise":
                break
        chosen = [channel["id"] for channel in value["channels"] if wanted is None or channel["topic"] in wanted]
        self.send({"op": "subscribe", "subscriptions": [{"id": number, "channelId": number} for number in chosen]})
        return self

    def read(self):
        """Reads once; a message is what begins with the opcode 1."""
        view = memoryview(self.buffer)
        if self.left:
            count = self.socket.recv_into(view, min(self.left, len(view)))
            self.left -= count
            self.bytes += count
            return count
        count = self.socket.recv_into(view[:14], (2 if len(self.head) < 2 else self.needed) - len(self.head))
        self.head += view[:count]
        if len(self.head) >= 2 and len(self.head) >= self.needed:
            length = self.head[1]
            if length == 126:
                length = struct.unpack_from(">H", self.head, 2)[0]
            elif length == 127:
                length = struct.unpack_from(">Q", self.head, 2)[0]
            self.messages += self.head[0] & 15 == 2 and length > 13
            self.left = length
            self.head.clear()
        return count

    @property
    def needed(self):
        return 2 + {126: 2, 127: 8}.get(self.head[1], 0)


def read_all(clients, seconds):
    chooser = selectors.DefaultSelector()
    for client in clients:
        chooser.register(client.socket, selectors.EVENT_READ, client)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, _ in chooser.select(0.05):
            if not key.data.read():
                raise EOFError("the server has closed the connection")


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def start(command):
    """Starts a server, and returns it with the port that it names."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for line in process.stderr:
        match = re.search(r"127\.0\.0\.1:(\d+)", line)
        if match:
            threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
            return process, int(match[1])
    sys.exit(f"{command}: did not start")


PEER = """
import sys, time
import foxglove
sys.path.insert(0, sys.argv[1])
from measure_serve import cloud, HERTZ, SCHEMA
schema = foxglove.Schema(name="sensor_msgs/msg/PointCloud2", encoding="ros2msg", data=SCHEMA.encode())
channel = foxglove.Channel("/cloud", message_encoding="cdr", schema=schema)
server = foxglove.start_server(port=0)
clouds = [cloud(number) for number in range(20)]
print(f"127.0.0.1:{server.port}", file=sys.stderr, flush=True)
begin, number = time.monotonic(), 0
while True:
    server.broadcast_time(time.time_ns())
    channel.log(clouds[number % len(clouds)], log_time=time.time_ns())
    number += 1
    time.sleep(max(0, begin + number / HERTZ - time.monotonic()))
"""


def cost_of(command, options):
    process, port = start(command)
    try:
        clients = [Client(port).subscribe() for _ in range(options.clients)]
        read_all(clients, 2)
        before, sums = processor_seconds(process.pid), (sum(c.messages for c in clients), sum(c.bytes for c in clients))
        begin = time.monotonic()
        read_all(clients, options.seconds)
        elapsed = time.monotonic() - begin
        used = processor_seconds(process.pid) - before
        rate = (sum(c.messages for c in clients) - sums[0]) / elapsed / len(clients)
        volume = (sum(c.bytes for c in clients) - sums[1]) / elapsed / 1e6
        return used / elapsed * 100, rate, volume, resident_megabytes(process.pid)
    finally:
        process.terminate()
        process.wait()


def cost(options):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bag = os.path.join(folder, "clouds.mcap")
        make_bag(bag, 5)
        here = os.path.dirname(os.path.abspath(__file__))
        servers = {"serve": [options.binary, "serve", bag, "--port", "0", "--play", "--loop", "--control", "off"],
                   "SDK": [sys.executable, "-c", PEER, here]}
        shares = {name: [] for name in servers}
        for _ in range(3):
            for name, command in servers.items():
                share, rate, volume, memory = cost_of(command, options)
                shares[name].append(share)
                print(f"{name:6} {share:5.1f} % of a core, {rate:.1f} clouds/s to each of {options.clients} clients, "
                      f"{volume:.0f} MB/s, {memory:.0f} MB resident", flush=True)
        ours, peer = (statistics.median(shares[name]) for name in servers)
        print(f"median {ours:.1f} % against {peer:.1f} %: {ours / peer:.2f} x")


def seek(options):
    process, port = start([options.binary, "serve", options.path, "--port", "0", "--control", "off"])
    try:
        client = Client(port).subscribe()
        client.socket.settimeout(10)
        first, last = (client.info[key]["sec"] * 10**9 + client.info[key]["nsec"] for key in ("dataStartTime", "dataEndTime"))
        chance = random.Random(1)
        for plays in (False, True):
            answers, backfills = [], []
            for number in range(options.seeks):
                place, name = chance.randrange(first, last), f"{plays}{number}".encode()
                asked = time.monotonic()
                client.send(struct.pack("<BBfBQI", 3, 0 if plays else 1, 1.0, 1, place, len(name)) + name)
                answered = None
                while True:
                    kind, data = client.payload()
                    if kind == 2 and data[0] == 5 and data[19:] == name:
                        answered = time.monotonic()
                    elif kind == 2 and data[0] == 1 and answered:
                        break
                answers.append((answered - asked) * 1e3)
                backfills.append((time.monotonic() - asked) * 1e3)
                time.sleep(0.05)
            for what, values in (("answer", answers), ("first message", backfills)):
                print(f"{'playing' if plays else 'paused':8} {what:14} median {statistics.median(values):6.1f} ms, "
                      f"worst {max(values):6.1f} ms of {len(values)} seeks", flush=True)
    finally:
        process.terminate()
        process.wait()


def memory(options):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = options.path or os.path.join(folder, "clouds.mcap")
        if not options.path:
            make_bag(path, 5)
        # Clients that do not answer pings are not to be sent away.
        more = ["--port", "0", "--play", "--loop", "--control", "off", "--ping", "0", "--rate", str(options.rate)]
        process, port = start([options.binary, "serve", path] + more)
        try:
            clients = [Client(port).subscribe() for _ in range(4)]
            begin, used, stages = time.monotonic(), processor_seconds(process.pid), 20
            for stage in range(stages):
                # The last one stalls: it has subscribed, and never reads.
                read_all(clients[:3], options.seconds / stages)
                print(f"{time.monotonic() - begin:6.0f} s {resident_megabytes(process.pid):7.1f} MB resident, "
                      f"{[client.messages for client in clients[:3]]} messages, "
                      f"{(processor_seconds(process.pid) - used) / (time.monotonic() - begin) * 100:.1f} % of a core", flush=True)
        finally:
            process.terminate()
            process.wait()


# A rosbridge server as one would write it in an hour, before the SDK's server.
RELAY = """
import asyncio, base64, json, sys, time
import foxglove, websockets
sys.path.insert(0, sys.argv[1])
from measure_serve import cloud, SCHEMA
schema = foxglove.Schema(name="sensor_msgs/msg/PointCloud2", encoding="ros2msg", data=SCHEMA.encode())
channel = foxglove.Channel("/cloud", message_encoding="cdr", schema=schema)
server = foxglove.start_server(port=0)

async def serve(client):
    async for text in client:
        value = json.loads(text)
        if value["op"] == "publish":
            message = value["msg"]
            stamp = message["header"]["stamp"]["sec"] * 10**9 + message["header"]["stamp"]["nanosec"]
            data = base64.b64decode(message["data"])
            channel.log(cloud(0, message["width"], data, stamp), log_time=stamp)
        elif value["op"] == "call_service":
            await client.send(json.dumps({"op": "service_response", "service": value["service"], "result": True, "values": {}}))

async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, max_size=None, compression=None) as bridge:
        for port in (server.port, bridge.sockets[0].getsockname()[1]):
            print(f"127.0.0.1:{port}", file=sys.stderr, flush=True)
        await asyncio.Future()
asyncio.run(main())
"""


def send_clouds(port, size, rate, seconds):
    """Publishes clouds by rosbridge at an even pace; prints when each was given to the socket, once all are confirmed."""
    import base64

    points = size // 16
    data = base64.b64encode(random.Random(1).randbytes(16 * points)).decode()
    fields = [{"name": name, "offset": 4 * index, "datatype": 7, "count": 1} for index, name in enumerate(("x", "y", "z", "rgb"))]
    message = {"header": {"stamp": {"sec": 1700000000, "nanosec": 123456789}, "frame_id": "map"}, "height": 1, "width": points,
               "fields": fields, "is_bigendian": False, "point_step": 16, "row_step": 16 * points, "data": data, "is_dense": True}
    text = json.dumps({"op": "publish", "topic": "/cloud", "msg": message}).encode()
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    while b"\r\n\r\n" not in connection.recv(4096):
        pass
    connection.sendall(frame(json.dumps({"op": "advertise", "topic": "/cloud", "type": "sensor_msgs/PointCloud2"}).encode()))
    # The whole frame is made before, and only its stamp changes; the length needs the long form.
    whole = bytearray(b"\x81\xff" + struct.pack(">Q", len(text)) + b"\0\0\0\0" + text)
    place = whole.index(b"123456789")
    # A viewer subscribes once it has heard of the topic.
    time.sleep(1)
    begin, sent = time.monotonic(), []
    for number in range(int(rate * seconds)):
        time.sleep(max(0, begin + number / rate - time.monotonic()))
        whole[place:place + 9] = b"%09d" % (100000000 + number)
        sent.append(time.monotonic())
        connection.sendall(whole)
    connection.sendall(frame(json.dumps({"op": "call_service", "service": "/rosapi/get_time", "id": "end"}).encode()))
    while b"service_response" not in connection.recv(4096):
        pass
    print(json.dumps(sent))


def view_clouds(port):
    """Prints when the first and the last byte of each cloud came, by number, until the connection ends or it is told to stop."""
    client = Client(port)
    client.socket.settimeout(3)
    seen = {}
    try:
        while True:
            client.socket.recv(1, socket.MSG_PEEK)
            first = time.monotonic()
            kind, data = client.payload()
            if kind == 1:
                for channel in json.loads(data).get("channels", []):
                    client.send({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": channel["id"]}]})
                    client.socket.settimeout(60)
            elif kind == 2 and data[0] == 1:
                number = struct.unpack_from("<I", data, 13 + 8)[0] - 100000000
                if not seen:
                    client.socket.settimeout(2)
                seen[number] = (first, time.monotonic())
    except (EOFError, OSError):
        print(json.dumps(seen))


def stamps_in_bag(folder):
    import sqlite3

    found = set()
    for name in os.listdir(folder):
        if name.endswith(".db3"):
            with sqlite3.connect(os.path.join(folder, name)) as bag:
                for (data,) in bag.execute("SELECT substr(data, 1, 12) FROM messages"):
                    found.add(struct.unpack_from("<I", data, 8)[0] - 100000000)
    return found


def relay_through(command, options, bag=None):
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    ports = []
    for line in process.stderr:
        ports += re.findall(r"(?:ws://|^)127\.0\.0\.1:(\d+)", line)[:1]
        if len(ports) == 2:
            break
    threading.Thread(target=lambda: [None for _ in process.stderr], daemon=True).start()
    here, rate = os.path.abspath(__file__), options.bytes_per_second / options.size
    viewer = subprocess.Popen([sys.executable, here, "view", ports[0]], stdout=subprocess.PIPE, text=True)
    sender = subprocess.Popen([sys.executable, here, "send", ports[1], "--size", str(options.size), "--seconds",
                               str(options.seconds), "--rate", str(rate)], stdout=subprocess.PIPE, text=True)
    sent = json.loads(sender.communicate()[0])
    used = processor_seconds(process.pid)
    seen = {int(number): times for number, times in json.loads(viewer.communicate()[0]).items()}
    process.send_signal(2)
    process.wait(20)
    missing = len(set(range(len(sent))) - stamps_in_bag(bag)) if bag else None
    # The first second is for caches and buffers.
    counted = [number for number in sorted(seen) if number >= rate]
    return ([(seen[number][0] - sent[number]) * 1e3 for number in counted],
            [(seen[number][1] - sent[number]) * 1e3 for number in counted], len(sent) - len(seen), missing, len(sent), used)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def relay(options):
    here = os.path.dirname(os.path.abspath(__file__))
    ends = {"record": [], "SDK": []}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for turn in range(3):
            bag = os.path.join(folder, f"bag{turn}")
            servers = {"record": ([options.binary, "record", "-o", bag, "--port", "0", "--view", "0"], bag),
                       "SDK": ([sys.executable, "-c", RELAY, here], None)}
            for name, (command, where) in servers.items():
                firsts, lasts, unseen, missing, count, used = relay_through(command, options, where)
                ends[name] += lasts
                print(f"{name:6} {count} clouds of {options.size / 1000:.0f} kB: first byte p50 {quantile(firsts, .5):6.2f} ms, p99 "
                      f"{quantile(firsts, .99):6.2f} ms; last byte p50 {quantile(lasts, .5):6.2f} ms, p99 "
                      f"{quantile(lasts, .99):6.2f} ms; {unseen} not shown"
                      + ("" if missing is None else f", {missing} missing in the bag") + f"; {used:.1f} s of a core", flush=True)
    for name, lasts in ends.items():
        print(f"{name:6} all turns, last byte: p50 {quantile(lasts, .5):.2f} ms, p99 {quantile(lasts, .99):.2f} ms, "
              f"worst {max(lasts):.2f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["cost", "seek", "memory", "relay", "send", "view"])
    parser.add_argument("binary")
    parser.add_argument("path", nargs="?")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--seeks", type=int, default=50)
    parser.add_argument("--rate", type=float, default=1)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--bytes-per-second", type=float, default=20e6)
    parser.add_argument("--folder", default="/dev/shm")
    chosen = parser.parse_args()
    {"cost": cost, "seek": seek, "memory": memory, "relay": relay, "view": lambda options: view_clouds(int(options.binary)),
     "send": lambda options: send_clouds(int(options.binary), options.size, options.rate, options.seconds)}[chosen.mode](chosen)
