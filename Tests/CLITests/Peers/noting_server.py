"""Takes what rosbridge clients publish and notes when each message came, until a number of clients has left.

usage: noting_server.py CLIENTS

Clients are told apart by the path of their URL, a number from 0. Prints "port N" when it listens, and at the end
{"late": nanoseconds, "had": [[[when, what], ...], ...]} by client, as steady_client.py does.
"""

import asyncio
import json
import sys
import time

import websockets

late = 0


def stamp(message):
    header = message["transforms"][0]["header"] if "transforms" in message else message.get("header")
    return header and header["stamp"]["sec"] * 1_000_000_000 + header["stamp"]["nanosec"]


async def timer():
    global late
    while True:
        before = time.monotonic()
        await asyncio.sleep(0.02)
        late = max(late, time.monotonic() - before - 0.02)


async def main(count):
    had = [[] for _ in range(count)]
    left = asyncio.Semaphore(0)

    async def serve(socket):
        notes = had[int(socket.request.path.strip("/"))]
        try:
            async for text in socket:
                now = time.monotonic_ns()
                operation = json.loads(text)
                if operation["op"] == "publish":
                    notes.append([now, f"{operation['topic']} {stamp(operation['msg'])}"])
        except websockets.ConnectionClosed:
            pass
        left.release()

    watch = asyncio.create_task(timer())
    async with websockets.serve(serve, "127.0.0.1", 0, max_size=None) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        for _ in range(count):
            await left.acquire()
    watch.cancel()
    print(json.dumps(dict(late=int(late * 1e9), had=had)))


asyncio.run(main(int(sys.argv[1])))
