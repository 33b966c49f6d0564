"""A rosbridge server that goes wrong at random, and notes what it published and what it had confirmed by then.

usage: faulty_server.py NOTES --seed N --faults N [--kinds KIND,...] [--message-limit BYTES]
           [--port PORT] [--recorder [--recorder-after QUESTIONS] [--recorded TOPIC,...]]
           [--delivery SECONDS] [--rosapi [--rosapi-after QUESTIONS]] [--without PACKAGE]

As the real one: one queue and one worker for each connection; the queue is cleared when the connection closes; calls are
answered in their turn; nothing refused is answered; a frame above the limit closes with 1009; fragments are joined in
the order in which they come, by a table that all connections share. Each connection, until the faults are used up, has
one of these faults, of which some wait for a number of messages or of bytes:

  kill       resets the connection                          1001, 1011  closes with this code
  end        ends TCP without a close frame                 cut         resets in the middle of a frame
  accept     accepts and says nothing                       handshake   answers the handshake, and nothing after it
  hang       goes on reading and does no more work          deaf        reads nothing more
  refuse     resets, and accepts nothing for a moment       slow        works slowly, and then resets
  before     resets before it answers a barrier             after       resets after it has answered a barrier
  die        resets after up to 0.4 s, only where it is asked for

With --delivery a message counts as published up to so many seconds after it was handled, and never if the connection
had a fault by then: as where a bridge dies before DDS has sent what it was given. With --without it takes no topics of
a package's types, and throws away what is published there, without a word; --rosapi lists the topics that it took.

Prints "port N" when it listens, "asked" when somebody first asks who subscribes; ends when a client has closed a connection in order, and then writes NOTES:
{"published": [{"connection", "topic", "key", "confirmed"}], "faults": {kind: count}, "refused": [], ...}.
"confirmed" says whether a barrier after the message was answered over the same connection, and the answer arrived: where
the end is a reset, which may overtake the answer, that is known from a ping sent after it and its pong.
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import json
import random
import re
import socket
import struct

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KINDS = "kill,end,1001,1011,cut,accept,handshake,hang,deaf,refuse,slow,before,after"


RESETTING = {"kill", "cut", "refuse", "slow", "before"}


class Ended(Exception):
    """The connection is over."""


class Connection:
    def __init__(self, server, number, reader, writer, fault):
        self.server, self.number, self.reader, self.writer = server, number, reader, writer
        self.fault, self.random = fault, server.random
        # Some faults come before anything was done, some after a while.
        self.messages_left = self.random.choice([1, *(self.random.randrange(limit) for limit in (12, 60, 60))])
        self.barriers_left = self.random.randrange(1, 5)
        self.bytes_left = self.random.choice([200, 2_000, 50_000, 400_000]) + self.random.randrange(1000)
        self.queue = asyncio.Queue()
        self.types = {}
        self.unconfirmed = []
        self.answered = {}
        self.pending = []
        self.is_hung = self.is_closing = False

    def lose(self):
        """Loses what was handled and not passed on; a loop that was late has had the time for what was due."""
        self.deliver()
        self.server.lost += len(self.pending)
        self.pending = []

    def deliver(self, is_over=False):
        now = asyncio.get_running_loop().time()
        while self.pending and (is_over or self.pending[0][0] <= now):
            self.server.published.append(self.pending.pop(0)[1])

    def die(self):
        self.is_hung = True
        with contextlib.suppress(Ended):
            self.reset()

    def reset(self):
        self.lose()
        sock = self.writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        raise Ended

    async def run(self):
        worker = None
        try:
            if self.fault == "accept":
                return await self.stay()
            await self.handshake()
            if self.fault == "handshake":
                return await self.stay()
            worker = asyncio.create_task(self.work())
            if self.fault == "die":
                asyncio.get_running_loop().call_later(self.random.uniform(0.02, 0.4), self.die)
            await self.read()
        except (Ended, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            if worker:
                worker.cancel()
                await asyncio.gather(worker, return_exceptions=True)
            self.writer.close()

    async def stay(self):
        """Takes everything, and never says a word."""
        while await self.reader.read(65536):
            pass

    async def handshake(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        key = re.search(r"Sec-WebSocket-Key: *(\S+)", head, re.I)[1]
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        self.writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )
        await self.writer.drain()

    async def send(self, opcode, payload):
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([length])
        elif length < 65536:
            head += b"\x7e" + struct.pack(">H", length)
        else:
            head += b"\x7f" + struct.pack(">Q", length)
        self.writer.write(head + payload)
        await self.writer.drain()

    async def close(self, code, reason=""):
        await self.send(8, struct.pack(">H", code) + reason.encode())
        # What the other end still sends must not become a reset that overtakes the close frame.
        with contextlib.suppress(asyncio.TimeoutError, ConnectionError):
            async with asyncio.timeout(1):
                while await self.reader.read(65536):
                    pass
        raise Ended

    async def read(self):
        while True:
            first, second = await self.reader.readexactly(2)
            length = second & 127
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
            key = await self.reader.readexactly(4)
            if not first & 0x80 or not second & 0x80:
                self.server.refuse("a frame in parts, or without a mask")
            if length > self.server.options.message_limit:
                self.server.too_big += 1
                await self.close(1009, "message too big")
            if self.fault == "cut" and self.bytes_left < length:
                await self.reader.readexactly(length // 2)
                self.reset()
            payload = await self.reader.readexactly(length)
            self.bytes_left -= length
            mask = (key * (length // 4 + 1))[:length]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(mask, "big")).to_bytes(length, "big")
            opcode = first & 15
            if opcode == 8:
                if self.is_closing:
                    return
                self.deliver(is_over=True)
                self.server.closed.append(struct.unpack(">H", payload[:2])[0] if payload else None)
                await self.send(8, payload)
                self.server.note_end()
                return
            if opcode == 9:
                await self.send(10, payload)
            elif opcode == 10:
                for entry in self.answered.pop(payload, []):
                    entry["confirmed"] = True
            elif opcode == 1:
                self.server.largest = max(self.server.largest, length)
                self.queue.put_nowait(payload.decode())
            if self.fault == "deaf" and self.messages_left <= 0:
                await asyncio.sleep(3600)

    async def work(self):
        try:
            while True:
                text = await self.queue.get()
                if self.is_hung:
                    continue
                await self.operate(text)
        except Ended:
            self.reader.feed_eof()
        except ConnectionError:
            pass

    async def operate(self, text, is_joined=False):
        operation = json.loads(text)
        op = operation["op"]
        without = self.server.options.without
        if op == "advertise" and without and operation["type"].split("/")[0] == without:
            self.server.not_taken.add(operation["topic"])
        elif op == "advertise":
            self.types[operation["topic"]] = operation["type"]
            self.server.topics[operation["topic"]] = operation["type"]
        elif op == "publish" and operation["topic"] in self.server.not_taken:
            self.server.ignored += 1
        elif op == "unadvertise":
            self.types.pop(operation["topic"], None)
        elif op == "call_service":
            await self.answer(operation)
        elif op == "fragment" and not is_joined:
            await self.join(operation)
        elif op == "publish":
            if operation["topic"] not in self.types:
                self.server.refuse("a publish without an advertise")
            self.publish(operation)
            await self.go_wrong()
        else:
            self.server.refuse(op)

    async def join(self, operation):
        parts = self.server.parts.setdefault(operation["id"], {})
        data = operation["data"]
        if self.server.holds_operation(data):
            self.server.refuse("a fragment that holds an operation")
        if operation["num"] in parts:
            self.server.refuse("a fragment that has come before")
        parts[operation["num"]] = data
        if len(parts) == operation["total"]:
            del self.server.parts[operation["id"]]
            await self.operate("".join(parts.values()), is_joined=True)

    def publish(self, operation):
        text = json.dumps(operation["msg"], sort_keys=True)
        entry = dict(
            connection=self.number,
            topic=operation["topic"],
            key=hashlib.sha1(text.encode()).hexdigest(),
            confirmed=False,
        )
        if "width" in operation["msg"]:
            entry["width"] = operation["msg"]["width"]
        self.unconfirmed.append(entry)
        if not self.server.options.delivery:
            self.server.published.append(entry)
            return
        loop = asyncio.get_running_loop()
        due = loop.time() + self.random.uniform(0, self.server.options.delivery)
        # In their order, as a publisher sends them.
        self.pending.append((max([due, *(self.pending[-1:] and [self.pending[-1][0]])]), entry))
        loop.call_at(self.pending[-1][0], self.deliver)

    async def go_wrong(self):
        self.messages_left -= 1
        if self.fault == "slow":
            await asyncio.sleep(0.01)
        if self.messages_left > 0:
            return
        if self.fault in ("kill", "slow"):
            self.reset()
        elif self.fault == "refuse":
            self.server.rest()
            self.reset()
        elif self.fault == "end":
            self.end()
        elif self.fault in ("1001", "1011"):
            self.is_hung = self.is_closing = True
            await self.send(8, struct.pack(">H", int(self.fault)))
        elif self.fault == "hang":
            self.is_hung = True

    async def answer(self, call):
        is_barrier = call["service"] == "/rosapi/get_time"
        self.barriers_left -= is_barrier
        if is_barrier and self.fault == "before" and self.barriers_left <= 0:
            self.reset()
        values, result = {}, True
        if call["service"] == "/rosapi/subscribers":
            values, result = self.server.subscribers(call["args"]["topic"])
        elif call["service"] == "/rosapi/topics":
            values, result = self.server.listed_topics()
        response = dict(op="service_response", id=call["id"], service=call["service"], values=values, result=result)
        await self.send(1, json.dumps(response).encode())
        if is_barrier:
            if self.fault in RESETTING:
                token = struct.pack(">Q", len(self.server.published)) + bytes(self.random.randbytes(4))
                self.answered[token] = self.unconfirmed
                await self.send(9, token)
            else:
                for entry in self.unconfirmed:
                    entry["confirmed"] = True
            self.unconfirmed = []
            if self.fault == "after" and self.barriers_left <= 0:
                self.end()

    def end(self):
        """Ends our direction of TCP in order, and does no more work; what the client still sends is read and forgotten."""
        self.is_hung = True
        self.writer.write_eof()


class Server:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.faults_left = options.faults
        self.fault_counts = {}
        self.published, self.refused, self.closed = [], [], []
        self.parts = {}
        self.largest = self.too_big = self.connections = 0
        self.port = options.port
        self.questions = self.topic_questions = 0
        self.lost = self.ignored = 0
        self.topics, self.not_taken = {}, set()
        self.listener = None
        self.tasks = set()
        self.over = asyncio.Event()

    def refuse(self, why):
        self.refused.append(why)

    def holds_operation(self, data):
        """Whether a part of the text is a whole object with an "op" of its own."""
        decoder = json.JSONDecoder()
        for start in (match.start() for match in re.finditer(r'\{\s*"op"', data)):
            with contextlib.suppress(ValueError):
                if "op" in decoder.raw_decode(data, start)[0]:
                    return True
        return False

    def subscribers(self, topic):
        if not self.options.recorder:
            return "Service /rosapi/subscribers does not exist", False
        self.questions += 1
        if self.questions == 1:
            print("asked", flush=True)
        is_there = self.questions > self.options.recorder_after
        is_recorded = not self.options.recorded or topic in self.options.recorded.split(",")
        return {"subscribers": ["/recorder"] if is_there and is_recorded else []}, True

    def listed_topics(self):
        if not self.options.rosapi:
            return "Service /rosapi/topics does not exist", False
        self.topic_questions += 1
        listed = self.topics if self.topic_questions > self.options.rosapi_after else {}
        return dict(topics=list(listed), types=list(listed.values()), typedefs_full_text=[]), True

    def note_end(self):
        self.over.set()

    def rest(self):
        """Accepts no connections for a moment."""
        self.listener.close()
        asyncio.get_running_loop().call_later(self.random.choice([0.005, 0.02, 0.1]), self.wake)

    def wake(self):
        task = asyncio.create_task(self.listen())
        self.tasks.add(task)

    async def listen(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", self.port, reuse_address=True)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        fault = None
        if self.faults_left > 0:
            self.faults_left -= 1
            fault = self.random.choice(self.options.kinds.split(","))
            self.fault_counts[fault] = self.fault_counts.get(fault, 0) + 1
        self.connections += 1
        # At the end of all, those that hang are cancelled.
        with contextlib.suppress(asyncio.CancelledError):
            await Connection(self, self.connections - 1, reader, writer, fault).run()

    async def run(self):
        await self.listen()
        print("port", self.port, flush=True)
        await self.over.wait()
        with open(self.options.notes, "w") as file:
            json.dump(
                dict(
                    published=self.published,
                    refused=self.refused,
                    closed=self.closed,
                    faults=self.fault_counts,
                    connections=self.connections,
                    largest_frame=self.largest,
                    too_big=self.too_big,
                    questions=self.questions,
                    lost=self.lost,
                    ignored=self.ignored,
                ),
                file,
            )


parser = argparse.ArgumentParser()
parser.add_argument("notes")
parser.add_argument("--seed", type=int, required=True)
parser.add_argument("--faults", type=int, default=0)
parser.add_argument("--kinds", default=KINDS)
parser.add_argument("--message-limit", type=int, default=10_000_000)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--recorder", action="store_true")
parser.add_argument("--recorder-after", type=int, default=0)
parser.add_argument("--recorded", default="")
parser.add_argument("--delivery", type=float, default=0)
parser.add_argument("--rosapi", action="store_true")
parser.add_argument("--rosapi-after", type=int, default=0)
parser.add_argument("--without", default="")
asyncio.run(Server(parser.parse_args()).run())
