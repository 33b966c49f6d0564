"""Sends frames to a rosbridge server one after the other, waits until it has worked them off, and prints its answers.

usage: record_client.py PORT FRAMES

FRAMES is a file with a JSON list of {"text": ...} or {"binary": ...}. Prints a JSON list of what the server sent, up to
its answer to a call of a service after the last frame.
"""

import asyncio
import json
import sys

import websockets


async def run(port, frames):
    answers = []
    async with websockets.connect(f"ws://127.0.0.1:{port}", max_size=None) as socket:
        for frame in frames:
            await socket.send(frame["text"] if "text" in frame else frame["binary"].encode())
        await socket.send(json.dumps(dict(op="call_service", id="end", service="/rosapi/get_time")))
        async for text in socket:
            answers.append(json.loads(text))
            if answers[-1].get("id") == "end":
                break
    print(json.dumps(answers))


asyncio.run(run(sys.argv[1], json.load(open(sys.argv[2]))))
