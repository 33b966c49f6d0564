"""The other end of Arvos, for tests.

usage: arvos_peer.py stall URL             connects, reads nothing, until it is killed
       arvos_peer.py commands URL COMMAND  sends commands (a word, or change_mode:MODE), prints what is said to them
       arvos_peer.py post PORT             posts telemetry, a frame and what is neither, prints the answers
       arvos_peer.py send URL FILE         sends the messages of a JSON list: texts, or {"hex": ...} as binary ones
       arvos_peer.py rosbridge PORT        a server that answers as rosbridge does to what it cannot read
"""
import asyncio
import http.client
import json
import struct
import sys

import websockets


async def stall(url):
    # No more is read than the first frames: flow control stops the sender.
    async with websockets.connect(url, max_queue=1):
        print("connected", flush=True)
        await asyncio.Future()


async def commands(url, names):
    said = []
    async with websockets.connect(url, max_size=None) as socket:
        for name in names:
            command, _, mode = name.partition(":")
            await socket.send(json.dumps({"type": "command", "command": command, **({"mode": mode} if mode else {})}))
            while True:
                message = await asyncio.wait_for(socket.recv(), 20)
                value = json.loads(message) if isinstance(message, str) else {}
                if value.get("type") == "status" and value["message"]:
                    said.append([value["status"], value["message"]])
                    break
        types = {}
        try:
            async for message in socket:
                if isinstance(message, str):
                    kind = json.loads(message)["type"]
                else:
                    (length,) = struct.unpack("<I", message[:4])
                    kind = json.loads(message[4 : 4 + length])["type"]
                types[kind] = types.get(kind, 0) + 1
        except websockets.ConnectionClosed:
            pass
    print(json.dumps({"said": said, "types": types}))


def post(port):
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    header = json.dumps({"type": "camera", "timestampNs": 2000, "format": "jpeg", "dataSize": 4}).encode()
    frame = struct.pack("<I", len(header)) + header + b"\xff\xd8\xff\xd9"
    fix = {"type": "gps", "timestampNs": 1000, "latitude": 47, "longitude": 8, "altitude": 400}
    requests = [
        ("GET", "/api/health", b""), ("POST", "/api/telemetry", json.dumps(fix).encode()),
        ("POST", "/api/binary", frame), ("POST", "/api/mcap/telemetry?x=1", json.dumps(fix).encode()),
        ("POST", "/api/mcap/binary", frame), ("POST", "/api/telemetry", b"{"), ("POST", "/api/binary", b"abc"),
        ("GET", "/api/telemetry", b""), ("GET", "/", b""), ("POST", "/api/binary", frame),
        ("POST", "/api/binary", bytes(3_000_000)),
    ]
    answers = []
    for method, path, body in requests:
        connection.request(method, path, body)
        answer = connection.getresponse()
        answers.append([answer.status, json.loads(answer.read())["status"]])
    print(json.dumps(answers))


async def send(url, path):
    async with websockets.connect(url) as socket:
        for message in json.load(open(path)):
            await socket.send(message if isinstance(message, str) else bytes.fromhex(message["hex"]))


async def rosbridge(port):
    async def answer(socket):
        async for _ in socket:
            await socket.send('{"op":"status","level":"error","msg":"unknown operation"}')

    async with websockets.serve(answer, "127.0.0.1", int(port)) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


def main():
    role, arguments = sys.argv[1], sys.argv[2:]
    if role == "post":
        return post(*arguments)
    if role == "commands":
        return asyncio.run(commands(arguments[0], arguments[1:]))
    asyncio.run({"stall": stall, "send": send, "rosbridge": rosbridge}[role](*arguments))


main()
