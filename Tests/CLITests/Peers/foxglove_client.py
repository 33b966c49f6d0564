"""A client of Foxglove's WebSocket protocol over the package websockets; prints JSON.

usage: foxglove_client.py play URL SECONDS [SUBPROTOCOL...]   plays from the beginning; messages decoded by rosbags
       foxglove_client.py seek URL                            seeks while paused and while playing
       foxglove_client.py slow URL SECONDS MILLISECONDS       waits after each message
       foxglove_client.py stall URL                           reads nothing
       foxglove_client.py parameters URL
       foxglove_client.py crowd URL CLIENTS SECONDS           many clients, one of which never reads
       foxglove_client.py refusals URL                        sub-protocols and origins
       foxglove_client.py flood URL COUNT SEED                random frames; a good client beside it is served
"""

import asyncio
import collections
import json
import os
import random
import struct
import sys
import time

import websockets
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from websockets.asyncio.client import connect

sys.path.append(os.path.join(os.path.dirname(__file__), "../../../tools/peers"))
import message_content  # noqa: E402

BOTH = ["foxglove.sdk.v1", "foxglove.websocket.v1"]


class Client:
    def __init__(self, socket):
        self.socket, self.channels, self.subscriptions, self.info = socket, {}, {}, None
        self.states, self.statuses, self.times, self.messages, self.parameters = [], [], [], [], []
        self.problems, self.sought, self.removed = [], False, 0

    async def read(self, timeout=0.3):
        """Takes one message; false where none comes in time."""
        try:
            message = await asyncio.wait_for(self.socket.recv(), timeout)
        except asyncio.TimeoutError:
            return False
        if isinstance(message, str):
            value = json.loads(message)
            op = value["op"]
            if self.info is None and op != "serverInfo":
                self.problems.append(f"{op} before serverInfo")
            if op == "serverInfo":
                self.info = value
            elif op == "advertise":
                for channel in value["channels"]:
                    self.note(channel)
            elif op == "status":
                self.statuses.append((value["level"], value["message"]))
            elif op == "parameterValues":
                self.parameters.append(value)
            elif op == "removeStatus":
                self.removed += len(value["statusIds"])
            else:
                self.problems.append(f"op {op}")
        elif message[0] == 1:
            subscription, stamp = struct.unpack_from("<IQ", message, 1)
            channel = self.subscriptions.get(subscription)
            if channel is None:
                self.problems.append(f"message of subscription {subscription}")
            # What was said before this client came does not set the time back.
            if not self.times or self.times[-1] < stamp:
                self.problems.append("message without its time before it")
            self.messages.append((channel, stamp, message[13:], time.monotonic()))
        elif message[0] == 2:
            now = struct.unpack_from("<Q", message, 1)[0]
            # A viewer takes it for a seek.
            if self.times and now <= self.times[-1] and not self.sought:
                self.problems.append("time goes back without a seek")
            self.times.append(now)
            self.sought = False
        elif message[0] == 5:
            status, stamp, speed, sought, length = struct.unpack_from("<BQfBI", message, 1)
            if len(message) != 19 + length:
                self.problems.append("length of a state")
            self.sought = self.sought or bool(sought)
            self.states.append({"status": status, "time": stamp, "speed": round(speed, 3), "sought": bool(sought),
                                "id": message[19:].decode(), "at": time.monotonic(), "messages": len(self.messages)})
        else:
            self.problems.append(f"opcode {message[0]}")
        return True

    def note(self, channel):
        for key, kind in (("id", int), ("topic", str), ("encoding", str), ("schemaName", str), ("schema", str)):
            if not isinstance(channel.get(key), kind):
                self.problems.append(f"channel {channel.get('topic')}: {key}")
        if channel["encoding"] != "cdr" or channel["schemaEncoding"] != "ros2msg":
            self.problems.append(f"{channel['topic']}: encoding")
        if self.channels.setdefault(channel["id"], channel) != channel:
            self.problems.append(f"channel {channel['id']} stands for something else now")

    async def read_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.read(max(0.01, end - time.monotonic()))

    async def until(self, condition, seconds=5):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            await self.read(0.05)
        return condition()

    async def subscribe(self, topics=None):
        await self.until(lambda: self.channels)
        new = []
        for number, channel in self.channels.items():
            if topics is None or channel["topic"] in topics:
                self.subscriptions[100 + number] = channel["topic"]
                new.append({"id": 100 + number, "channelId": number})
        await self.send(op="subscribe", subscriptions=new)

    async def send(self, **value):
        await self.socket.send(json.dumps(value))

    async def control(self, play, seek=None, speed=1.0, request="r"):
        await self.socket.send(struct.pack("<BBfBQI", 3, 0 if play else 1, speed, seek is not None, seek or 0,
                                           len(request)) + request.encode())

    def state(self, request):
        return next((state for state in self.states if state["id"] == request), None)

    @property
    def begin(self):
        return self.info["dataStartTime"]["sec"] * 10**9 + self.info["dataStartTime"]["nsec"]

    @property
    def end(self):
        return self.info["dataEndTime"]["sec"] * 10**9 + self.info["dataEndTime"]["nsec"]


def client(url, protocols=BOTH, **options):
    return connect(url, subprotocols=protocols, max_size=None, proxy=None, **options)


async def play(url, seconds, *protocols):
    async with client(url, protocols or BOTH) as socket:
        one = Client(socket)
        await one.subscribe()
        await one.read_for(0.5)
        paused = collections.Counter(topic for topic, *_ in one.messages)
        await one.control(True, seek=one.begin, request="begin")
        await one.until(lambda: one.state("begin"))
        first = len(one.messages)
        await one.read_for(float(seconds))
        store = get_typestore(Stores.EMPTY)
        types, stamps, bad = {}, collections.defaultdict(list), []
        for channel in one.channels.values():
            types[channel["topic"]] = channel["schemaName"]
            defined = get_types_from_msg(channel["schema"], channel["schemaName"])
            store.register({name: fields for name, fields in defined.items() if name not in store.fielddefs})
        summaries = collections.defaultdict(dict)
        for topic, stamp, data, _ in one.messages[first:]:
            stamps[topic].append(stamp)
            try:
                message = store.deserialize_cdr(data, types[topic])
            except Exception as error:
                bad.append(f"{topic}: {error}")
                continue
            bad += [f"{topic}: {text}" for text in message_content.problems_of(types[topic], message, summaries[topic])]
        # Nothing comes after it is unsubscribed from, and the connection stays.
        await one.send(op="unsubscribe", subscriptionIds=list(one.subscriptions))
        await one.read_for(0.3)
        before = len(one.messages)
        await one.read_for(0.5)
        if len(one.messages) != before:
            one.problems.append("messages after the end of their subscription")
        await asyncio.wait_for(await socket.ping(), 3)
        return {"protocol": socket.subprotocol, "extensions": socket.response.headers.get("Sec-WebSocket-Extensions"),
                "info": one.info, "paused": paused, "counts": {topic: len(all) for topic, all in stamps.items()},
                "types": types, "backwards": [topic for topic, all in stamps.items() if sorted(all) != all],
                "bad": bad[:5], "problems": sorted(set(one.problems)), "statuses": one.statuses,
                "states": [[state["status"], state["id"]] for state in one.states]}


async def slow(url, seconds, milliseconds):
    async with client(url, max_queue=2) as socket:
        one = Client(socket)
        await one.subscribe()
        await one.control(True, speed=10.0)
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            await one.read()
            await asyncio.sleep(float(milliseconds) / 1000)
        await one.until(lambda: one.removed, 10)
        # As fast as it can again: what waited comes, then what is new.
        await one.read_for(1)
        stamps = [stamp for _, stamp, _, _ in one.messages]
        return {"statuses": one.statuses, "removed": one.removed, "sorted": stamps == sorted(stamps),
                "messages": len(stamps), "problems": sorted(set(one.problems)),
                "counts": collections.Counter(topic for topic, *_ in one.messages)}


async def stall(url):
    """Subscribes to everything and reads nothing, until it is killed."""
    async with client(url, max_queue=1, ping_interval=None) as socket:
        one = Client(socket)
        await one.subscribe()
        socket.transport.pause_reading()
        await asyncio.sleep(2)
        print("stalled", flush=True)
        await asyncio.sleep(600)


async def seek(url):
    async with client(url) as socket, client(url) as other:
        one, two = Client(socket), Client(other)
        await one.subscribe()
        await one.read_for(0.5)
        await two.read_for(0.2)
        length = one.end - one.begin
        found = []
        for number, (share, plays) in enumerate([(0.5, False), (0.25, False), (0.75, True), (0.1, False), (2, False)]):
            request, place = f"seek{number}", int(one.begin + share * length)
            before, asked = len(one.messages), time.monotonic()
            await one.control(plays, seek=place, speed=2.0 if plays else 1.0, request=request)
            await one.until(lambda: one.state(request))
            state = one.state(request)
            await one.read_for(0.4)
            shown = [(topic, stamp, at) for topic, stamp, _, at in one.messages[state["messages"]:]]
            await two.until(lambda: two.state(request), 2)
            found.append({"state": state["status"], "time_error_ms": abs(state["time"] - min(place, one.end)) / 1e6,
                          "sought": state["sought"], "speed": state["speed"],
                          "others_told": two.state(request) is not None,
                          "late": state["messages"] - before if number != 3 else 0,
                          "topics": sorted({topic for topic, *_ in shown}),
                          "first_s": [(stamp - min(place, one.end)) / 1e9 for _, stamp, _ in shown[:1]],
                          "answer_ms": (state["at"] - asked) * 1e3,
                          "backfill_ms": [(at - asked) * 1e3 for _, _, at in shown[:1]]})
        # Nothing is left at the end: playing again takes a seek.
        await one.control(True, request="play")
        await one.until(lambda: one.state("play"))
        await one.read_for(0.3)
        await one.control(True, seek=one.begin, request="again")
        await one.until(lambda: one.state("again"))
        one.messages.clear()
        await one.until(lambda: len(one.messages) and one.messages[-1][1] > one.begin + 5 * 10**8)
        return {"seeks": found, "at_end": one.state("play")["status"], "again": one.state("again")["status"],
                "goes_on": one.messages[-1][1] > one.begin + 5 * 10**8, "problems": sorted(set(one.problems)),
                "others": sorted(set(two.problems))}


async def parameters(url):
    async with client(url) as socket:
        one = Client(socket)
        await one.until(lambda: one.channels)
        await one.send(op="getParameters", parameterNames=[], id="all")
        await one.until(lambda: one.parameters)
        first = one.parameters[-1]
        await one.send(op="subscribeParameterUpdates", parameterNames=[])
        prefix = "/mapeverything/player."
        for name, value in (("time", 5.0), ("speed", 4), ("playing", True), ("loop", True)):
            await one.send(op="setParameters", parameters=[{"name": prefix + name, "value": value}], id=name)
            await one.read_for(0.2)
        await one.send(op="setParameters", parameters=[{"name": prefix + "playing", "value": "yes"},
                                                       {"name": "/other", "value": 1}])
        await one.read_for(0.3)
        values = {}
        for message in one.parameters:
            if message.get("id") in ("time", "speed", "playing", "loop"):
                values.update({entry["name"][len(prefix):]: entry["value"] for entry in message["parameters"]})
        return {"first": first, "values": values, "ids": [m.get("id") for m in one.parameters if m.get("id")],
                "statuses": [level for level, _ in one.statuses], "states": len(one.states), "problems": one.problems}


async def crowd(url, count, seconds):
    async with client(url, max_queue=1, open_timeout=30) as stalled:
        still = Client(stalled)
        await still.subscribe()
        stalled.transport.pause_reading()
        async def steady():
            async with client(url, open_timeout=30) as socket:
                one = Client(socket)
                await one.subscribe()
                ready.append(one)
                while len(ready) < int(count) - 1:
                    await one.read(0.05)
                await one.until(lambda: one.state("begin"), 60)
                first = one.state("begin")["messages"] if one.state("begin") else 0
                await one.read_for(float(seconds))
                return collections.Counter(topic for topic, *_ in one.messages[first:]), one.statuses, one.problems
        ready = []
        tasks = [asyncio.create_task(steady()) for _ in range(int(count) - 1)]
        while len(ready) < int(count) - 1:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        await ready[0].control(True, seek=ready[0].begin, request="begin")
        results = await asyncio.gather(*tasks)
        stalled.transport.abort()
        return {"counts": [dict(counts) for counts, _, _ in results],
                "statuses": [status for _, statuses, _ in results for status in statuses][:5],
                "problems": sorted({problem for _, _, problems in results for problem in problems})}


async def refusals(url):
    found = {}
    tries = {"none": (None, None), "nonsense": (["nonsense.v9"], None), "old": (["foxglove.websocket.v1"], None),
             "both": (["foxglove.websocket.v1", "foxglove.sdk.v1"], None),
             "evil page": (BOTH, "https://evil.example"), "foxglove": (BOTH, "https://app.foxglove.dev"),
             "lichtblick": (BOTH, "https://lichtblick-suite.github.io"), "local page": (BOTH, "http://localhost:8080"),
             "looks local": (BOTH, "http://localhost.evil.example"), "allowed": (BOTH, "https://good.example"),
             "sandbox": (BOTH, "null"), "desktop": (BOTH, "file://"),
             # Names that lead here: one that anyone can have, and those of a local network.
             "rebound": (BOTH, "http://evil.example"), "own name": (BOTH, "http://robot"),
             "own local name": (BOTH, "http://robot.local"), "own address": (BOTH, "http://10.1.2.3"),
             "other address": (BOTH, "http://10.1.2.4")}
    hosts = {"rebound": "evil.example", "own name": "robot", "own local name": "robot.local", "own address": "10.1.2.3",
             "other address": "10.1.2.3"}
    port = url.split(":")[2].split("/")[0]
    for name, (protocols, origin) in tries.items():
        place, more = url, {}
        if name in hosts:
            place, more = url.replace("127.0.0.1", hosts[name]), {"host": "127.0.0.1", "port": int(port)}
            origin += ":" + port
        try:
            async with client(place, protocols, origin=origin, **more) as socket:
                found[name] = socket.subprotocol
        except websockets.exceptions.InvalidStatus as error:
            found[name] = str(error.response.status_code)
    return found


async def flood(url, count, seed):
    chance = random.Random(int(seed))
    good = [json.dumps({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]}),
            json.dumps({"op": "unsubscribe", "subscriptionIds": [1]}),
            json.dumps({"op": "subscribe", "subscriptions": [{"id": number, "channelId": number % 7}
                                                             for number in range(300)]}),
            json.dumps({"op": "getParameters", "parameterNames": ["a"], "id": "x"}),
            json.dumps({"op": "setParameters", "parameters": [{"name": "/mapeverything/player.speed", "value": 1}]}),
            struct.pack("<BBfBQI", 3, 1, 1, 1, 1767268800050000000, 2) + b"id"]
    left, rounds, cut = int(count), 0, 0
    async with client(url) as steady:
        one = Client(steady)
        await one.until(lambda: one.channels)

        async def listen():
            while True:
                await one.read(1)

        listening = asyncio.create_task(listen())
        while left > 0:
            rounds += 1
            try:
                async with client(url) as socket:
                    async def drain():
                        async for _ in socket:
                            pass
                    reading = asyncio.create_task(drain())
                    for _ in range(min(left, 2000)):
                        left -= 1
                        frame = chance.choice(good)
                        data = bytearray(frame.encode() if isinstance(frame, str) else frame)
                        for _ in range(chance.randrange(4)):
                            if data and chance.random() < 0.5:
                                data[chance.randrange(len(data))] = chance.randrange(256)
                            elif data and chance.random() < 0.5:
                                del data[chance.randrange(len(data)):]
                            else:
                                data.insert(chance.randrange(len(data) + 1), chance.randrange(256))
                        if isinstance(frame, str):
                            await socket.send(data.decode("utf-8", "replace"))
                        else:
                            await socket.send(bytes(data))
                    reading.cancel()
            except websockets.exceptions.ConnectionClosed:
                cut += 1
        await one.control(False, request="still here")
        for _ in range(300):
            if one.state("still here"):
                break
            await asyncio.sleep(0.1)
        listening.cancel()
        return {"rounds": rounds, "cut": cut, "served": bool(one.state("still here")), "problems": sorted(set(one.problems))}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(globals()[sys.argv[1]](*sys.argv[2:]))))
