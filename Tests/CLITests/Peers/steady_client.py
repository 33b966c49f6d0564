"""Publishes to several rosbridge servers, steadily, until they are gone, and prints what they had confirmed by when.

usage: steady_client.py PORT...

Prints "publishing" when it is connected to all. At the end prints {"late": nanoseconds, "had": [[[when, what], ...],
...]} by port: "topic time" of each message, and the time (CLOCK_MONOTONIC, ns) at which the server answered a call that
came after it. "late" is how late a timer of this process was at worst, on a machine that is busy.
"""

import asyncio
import json
import sys
import time

import websockets

START = 1_700_000_000_000_000_000
STEP = 5_000_000
late = 0


def publish(index):
    seconds, nanoseconds = divmod(START + index * STEP, 1_000_000_000)
    header = dict(stamp=dict(sec=seconds, nanosec=nanoseconds), frame_id=f"{index:06d}" * 300)
    zero = dict(x=0.0, y=0.0, z=0.0)
    pose = dict(position=zero | dict(x=float(index)), orientation=zero | dict(w=1.0))
    return json.dumps(dict(op="publish", topic="/pose", msg=dict(header=header, pose=pose)))


async def answers(socket, had):
    confirmed = 0
    async for text in socket:
        answer = json.loads(text)
        now, until = time.monotonic_ns(), int(answer["id"])
        had += [[now, f"/pose {START + index * STEP}"] for index in range(confirmed, until)]
        confirmed = until


async def client(port, ready, go):
    global late
    had = []
    socket = await websockets.connect(f"ws://127.0.0.1:{port}", max_size=None)
    await socket.send(json.dumps(dict(op="advertise", topic="/pose", type="geometry_msgs/PoseStamped")))
    reading = asyncio.create_task(answers(socket, had))
    ready.release()
    await go.wait()
    begun = time.monotonic()
    try:
        for index in range(1_000_000):
            await socket.send(publish(index))
            if index % 5 == 4:
                await socket.send(json.dumps(dict(op="call_service", id=str(index + 1), service="/rosapi/get_time")))
            wait = begun + (index + 1) * STEP / 1e9 - time.monotonic()
            late = max(late, -wait)
            await asyncio.sleep(max(0, wait))
    except (websockets.ConnectionClosed, ConnectionError):
        pass
    await asyncio.gather(reading, return_exceptions=True)
    return had


async def main(ports):
    ready, go = asyncio.Semaphore(0), asyncio.Event()
    clients = [asyncio.create_task(client(port, ready, go)) for port in ports]
    for _ in ports:
        await ready.acquire()
    print("publishing", flush=True)
    go.set()
    had = await asyncio.gather(*clients)
    print(json.dumps(dict(late=int(late * 1e9), had=had)))


asyncio.run(main(sys.argv[1:]))
