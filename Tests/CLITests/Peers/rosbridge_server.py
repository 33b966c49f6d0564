"""A rosbridge server for tests: one thread of work per connection, as strict as the real one, and it keeps a diary.

usage: rosbridge_server.py DIARY [--delay SECONDS] [--abort-after PUBLISHES [--abort-once]]
           [--max-message-size BYTES] [--clients N] [--types BAG]

With --types it knows the types that a bag defines too. Prints "port N" when it listens, "published N" after every tenth message, and ends after N clients (1) have left.
The diary has a line of JSON for each operation that was carried out. As with the real server, what is queued when a
connection closes is forgotten, a call of a service is answered in its turn, and nothing that is refused is answered.
"""

import argparse
import asyncio
import json
import time

import websockets
from rosbridge_rules import Refused, digest, full_name, message, register, stamp

KEYS = {
    "advertise": {"op", "id", "topic", "type", "latch", "queue_size", "qos"},
    "unadvertise": {"op", "id", "topic"},
    "publish": {"op", "id", "topic", "msg", "latch", "queue_size"},
    "call_service": {"op", "id", "service", "args", "type"},
    "fragment": {"op", "id", "num", "total", "data"},
}


def no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Refused("a key is there twice")
    return result


class Client:
    def __init__(self, server, socket):
        self.server, self.socket = server, socket
        self.queue = asyncio.Queue()
        self.types = {}
        self.parts = {}
        self.published = 0

    async def run(self):
        worker = asyncio.create_task(self.work())
        try:
            async for text in self.socket:
                self.queue.put_nowait(text)
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
            forgotten = [self.queue.get_nowait() for _ in range(self.queue.qsize())]
            lost = sum('"op":"publish"' in str(text) for text in forgotten)
            said = [json.loads(text)["topic"] for text in forgotten if '"op":"unadvertise"' in str(text)]
            # The end of a connection is the end of its advertisements: these two come to the same.
            for topic in said:
                self.server.note(event="unadvertise", topic=topic)
            self.server.note(event="closed", code=self.socket.close_code, forgotten=lost)

    async def work(self):
        while True:
            text = await self.queue.get()
            try:
                await self.operate(text)
            except (Refused, json.JSONDecodeError, UnicodeDecodeError, KeyError) as error:
                self.server.note(event="refused", why=f"{type(error).__name__}: {error}", text=str(text[:200]))
            if self.published >= self.server.options.abort_after:
                if self.server.options.abort_once:
                    self.server.options.abort_after = float("inf")
                self.socket.transport.abort()
                return

    async def operate(self, text, is_joined=False):
        if not isinstance(text, str):
            raise Refused("a binary frame")
        operation = json.loads(text, object_pairs_hook=no_duplicates)
        op = operation["op"]
        unknown = set(operation) - KEYS.get(op, set())
        if unknown:
            raise Refused(f"{op} with {sorted(unknown)}")
        entry = dict(event=op, at=time.monotonic(), length=len(text))
        if op == "advertise":
            self.types[operation["topic"]] = full_name(operation["type"])
            entry |= dict(topic=operation["topic"], type=operation["type"], latch=operation.get("latch", False))
        elif op == "unadvertise":
            self.types.pop(operation["topic"])
            entry |= dict(topic=operation["topic"])
        elif op == "publish":
            kind = self.types[operation["topic"]]
            decoded = message(kind, operation["msg"])
            entry |= dict(topic=operation["topic"], digest=digest(kind, decoded), stamp=stamp(decoded))
            self.published += 1
            if self.published % 10 == 0:
                print("published", self.published, flush=True)
            await asyncio.sleep(self.server.options.delay)
        elif op == "call_service":
            answer = dict(op="service_response", service=operation["service"], values={}, result=True)
            await self.socket.send(json.dumps(answer | dict(id=operation["id"])))
            entry |= dict(service=operation["service"])
        elif op == "fragment" and not is_joined:
            # Joined in the order in which they come, as the real server does.
            parts = self.parts.setdefault(operation["id"], [])
            if operation["num"] != len(parts):
                raise Refused(f"fragment {operation['num']} after {len(parts)}")
            parts.append(operation["data"])
            entry |= dict(num=operation["num"], total=operation["total"])
            self.server.note(**entry)
            if len(parts) == operation["total"]:
                await self.operate("".join(self.parts.pop(operation["id"])), is_joined=True)
            return
        else:
            raise Refused(f"operation {op}")
        self.server.note(**entry)


class Server:
    def __init__(self, options):
        self.options = options
        self.diary = open(options.diary, "w")
        self.left = asyncio.Semaphore(0)

    def note(self, **entry):
        self.diary.write(json.dumps(entry) + "\n")
        self.diary.flush()

    async def serve(self, socket):
        try:
            await Client(self, socket).run()
        except websockets.ConnectionClosed:
            pass
        finally:
            self.left.release()

    async def run(self):
        limit = self.options.max_message_size
        async with websockets.serve(self.serve, "127.0.0.1", 0, max_size=limit, compression=None) as server:
            print("port", server.sockets[0].getsockname()[1], flush=True)
            for _ in range(self.options.clients):
                await self.left.acquire()


parser = argparse.ArgumentParser()
parser.add_argument("diary")
parser.add_argument("--delay", type=float, default=0)
parser.add_argument("--abort-after", type=float, default=float("inf"))
parser.add_argument("--abort-once", action="store_true")
parser.add_argument("--max-message-size", type=int, default=10_000_000)
parser.add_argument("--clients", type=int, default=1)
parser.add_argument("--types", metavar="BAG")
options = parser.parse_args()
if options.types:
    register(options.types)
asyncio.run(Server(options).run())
