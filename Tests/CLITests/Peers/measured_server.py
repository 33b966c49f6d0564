"""A rosbridge server that costs what it is told, as the real one does: one thread works, and the socket is another.

usage: measured_server.py DIARY [--per-megabyte S] [--per-message S] [--barrier S] [--silent] [--answers-until PUBLISHES]
           [--status] [--babble]

A publish costs the worker the given seconds for a message and for 1,000,000 bytes of data, whether base64 or text; a
call costs the seconds of --barrier and is answered in its turn, or never (--silent, --answers-until). Pings are answered
at once. The worker serves one client after the other, in the order in which messages came; what is queued when a
connection ends is forgotten. A frame above the limit (10,000,000 bytes) ends the connection with 1009.
With --babble each answer comes twice, behind answers to questions that were not asked.

Prints "port N" when it listens, and "published N" after every tenth message. On SIGTERM it ends, and the
diary has a line of JSON for each operation in their order, with the time at which it was worked off.
"""

import argparse
import asyncio
import concurrent.futures
import json
import signal
import time

import websockets
from rosbridge_rules import Refused, full_name, message, stamp


def data_length(msg):
    """Bytes of data in a message, before they became text."""
    data = [msg.get("data", ""), msg.get("vertex_data", ""), msg.get("index_data", "")]
    return sum(len(text) * 3 // 4 for text in data if isinstance(text, str))


class Server:
    def __init__(self, options):
        self.options = options
        self.worker = concurrent.futures.ThreadPoolExecutor(1)
        self.notes = []
        self.published = 0

    def note(self, **entry):
        self.notes.append(dict(at=time.monotonic(), **entry))

    def work(self, client, text):
        """In the worker's thread: returns what is to be sent, if anything."""
        options = self.options
        if client["gone"]:
            self.note(event="forgotten")
            return None
        begun = time.monotonic()
        operation = json.loads(text)
        op = operation["op"]
        if op == "fragment":
            parts = client["parts"].setdefault(operation["id"], [])
            parts.append(operation["data"])
            self.note(event="fragment", length=len(text))
            if len(parts) == operation["total"]:
                return self.work(client, "".join(client["parts"].pop(operation["id"])))
            return None
        if op == "advertise":
            client["types"][operation["topic"]] = full_name(operation["type"])
            self.note(event=op, topic=operation["topic"], type=operation["type"])
        elif op == "unadvertise":
            client["types"].pop(operation["topic"])
            self.note(event=op, topic=operation["topic"])
        elif op == "publish":
            decoded = message(client["types"][operation["topic"]], operation["msg"])
            length = data_length(operation["msg"])
            due = begun + options.per_message + options.per_megabyte * length / 1e6
            nanoseconds = stamp(decoded)
            while (rest := due - time.monotonic()) > 0:
                time.sleep(rest)
            self.published += 1
            if self.published % 10 == 0:
                print("published", self.published, flush=True)
            self.note(event=op, topic=operation["topic"], length=len(text), data=length, stamp=nanoseconds)
            if options.status and self.published == 1:
                return json.dumps(dict(op="status", level="warning", msg="odd"))
        elif op == "call_service":
            time.sleep(options.barrier)
            self.note(event=op, service=operation["service"], length=len(text))
            if options.silent or self.published >= options.answers_until:
                return None
            return json.dumps(dict(op="service_response", id=operation["id"], service=operation["service"],
                                   values="Service /rosapi/get_time does not exist", result=False))
        else:
            raise Refused(f"operation {op}")
        return None

    async def serve(self, socket):
        loop = asyncio.get_running_loop()
        client = dict(gone=False, types={}, parts={})
        queue = asyncio.Queue()

        async def carry():
            while True:
                text = await queue.get()
                try:
                    answer = await loop.run_in_executor(self.worker, self.work, client, text)
                except (Refused, KeyError, ValueError) as error:
                    self.note(event="refused", why=f"{type(error).__name__}: {error}")
                    continue
                if answer and self.options.babble:
                    for other in ("nobody", "load-1"):
                        await socket.send(json.dumps(dict(op="service_response", id=other, result=True)))
                    await socket.pong(b"1")
                    await socket.send(answer)
                if answer:
                    await socket.send(answer)

        carrier = asyncio.create_task(carry())
        try:
            async for text in socket:
                if not isinstance(text, str):
                    self.note(event="refused", why="a binary frame")
                queue.put_nowait(text)
        except websockets.ConnectionClosed:
            pass
        finally:
            client["gone"] = True
            # What unadvertised at the end had no more time than to be queued, as with the real server.
            while not queue.empty():
                operation = json.loads(queue.get_nowait())
                self.note(event="unworked", op=operation["op"])
            carrier.cancel()
            self.note(event="closed", code=socket.close_code)

    async def run(self):
        options = self.options
        stop = asyncio.Event()
        # The parent process may have blocked it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)

        async with websockets.serve(self.serve, options.address, 0, max_size=10_000_000, compression=None,
                                    max_queue=None) as server:
            print("port", server.sockets[0].getsockname()[1], flush=True)
            await stop.wait()
        self.worker.shutdown(wait=True)
        with open(options.diary, "w") as diary:
            for entry in self.notes:
                diary.write(json.dumps(entry) + "\n")


parser = argparse.ArgumentParser()
parser.add_argument("diary")
parser.add_argument("--address", default="127.0.0.1")
parser.add_argument("--per-megabyte", type=float, default=0)
parser.add_argument("--per-message", type=float, default=0)
parser.add_argument("--barrier", type=float, default=0)
parser.add_argument("--silent", action="store_true")
parser.add_argument("--status", action="store_true")
parser.add_argument("--babble", action="store_true")
parser.add_argument("--answers-until", type=float, default=float("inf"))
asyncio.run(Server(parser.parse_args()).run())
