"""A crowd at a recorder: many clients that publish steadily, one that never reads, and one after the other that attacks.

usage: record_crowd.py PORT CLIENTS

Prints {"confirmed": {topic: count}, "attacks": {name: outcome}, "newcomers": count}: how many messages of each steady
client were confirmed by an answer after them, what each attacker met with, and how many clients that came while the
attacks went on were served.
"""

import asyncio
import json
import socket
import sys
import threading
import time
import zlib

import websockets
from raw_client import Raw

DEFLATE = "permessage-deflate"
GET_TIME = dict(op="call_service", id="x", service="/rosapi/get_time")


def advertise(topic, kind="std_msgs/String", **more):
    return dict(op="advertise", topic=topic, type=kind, **more)


def publish(topic, **message):
    return dict(op="publish", topic=topic, msg=message)


def deflated(data):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (squeeze.compress(data) + squeeze.flush(zlib.Z_SYNC_FLUSH))[:-4]


def refused(client):
    """How many answers are refusals."""
    answers = client.answers()
    assert all(answer["op"] == "status" for answer in answers), answers[:3]
    client.close()
    return len(answers)


# Attacks that break the protocol: what counts is the code of the close frame.


def broken(port, frame, extensions=None):
    client = Raw(port, extensions)
    client.send(frame)
    try:
        return client.code()
    finally:
        client.close()


def bomb_of_one(port):
    return broken(port, Raw.frame(deflated(b" " * (100 << 20)), first=0xC1), DEFLATE)


# Attacks that keep to it.


def bombs_of_many(port):
    client = Raw(port, DEFLATE)
    frame = Raw.frame(deflated(b" " * (1 << 20)), first=0xC1)
    for _ in range(400):
        client.send(frame)
    # Compression was only agreed on for what says so.
    return refused(client)


def wrong_types(port):
    client = Raw(port)
    client.text(advertise("/wrong"), advertise("/wrong", "std_msgs/Bool"), advertise("/other", "no_such/Type"))
    bad = [1, None, True, [], {}, [1], {"a": 1}, 1e999]
    client.text(*[publish("/wrong", data=value) for value in bad])
    client.text(advertise("/pose", "geometry_msgs/PoseStamped"))
    stamps = [dict(sec=-5, nanosec=1), dict(sec=2**31 - 1, nanosec=2**32 - 1), dict(sec=2**40, nanosec=0), 7, None]
    client.text(*[publish("/pose", header=dict(stamp=stamp)) for stamp in stamps])
    return refused(client)


def unknown_operations(port):
    client = Raw(port)
    for name in ["subscribe", "advertise_service", "png", "auth", "x" * 100_000, "\x1b[2J\x07"]:
        client.text(dict(op=name, topic="/x"))
    client.text(*[dict(op=op) for op in (None, 1, [], {})], {}, [], 1, "null", "", b"\x00", b"{")
    return refused(client)


def nested(port):
    client = Raw(port)
    client.text("[" * 100_000, '{"a":' * 100_000, '{"op":"publish","topic":"/wrong","msg":' + "[" * 100_000)
    return refused(client)


def many_topics(port):
    client = Raw(port)
    for number in range(10_000):
        client.text(advertise(f"/many/t{number}"), publish(f"/many/t{number}", data="x"))
    return refused(client)


def many_keys(port):
    client = Raw(port)
    client.text(advertise("/keys"))
    for number in range(2_000):
        client.text(publish("/keys", **{"data": "x", f"key{number}" + "k" * 2_000: 1}))
    return refused(client)


def latched(port):
    client = Raw(port)
    for number in range(40):
        client.text(advertise(f"/latched/t{number}", latch=True), publish(f"/latched/t{number}", data="x" * 1_000_000))
    return refused(client)


def empty_elements(port):
    """Text of which every three bytes stand for many times as much."""
    client = Raw(port)
    client.text(advertise("/poses", "geometry_msgs/PoseArray"), advertise("/transforms", "tf2_msgs/TFMessage"))
    count = 5_000_000
    for topic, field in ("/poses", "poses"), ("/transforms", "transforms"):
        elements = b"{}" + b",{}" * (count - 1)
        client.text(b'{"op":"publish","topic":"%s","msg":{"%s":[%s]}}' % (topic.encode(), field.encode(), elements))
    return refused(client)


def fragments(port):
    client = Raw(port)
    part = dict(op="fragment", total=2, num=0, data="x" * 100_000)
    for number in range(1_000):
        client.text(dict(part, id=f"never-{number}"))
    for number in range(20_000):
        client.text(dict(part, id=f"tiny-{number}", data=""))
    client.text(dict(part, id="y" * 100_000), dict(part, num=3), dict(part, total=10**12), dict(part, num=-1))
    return refused(client)


def million_refusals(port):
    client = Raw(port)
    frame = Raw.frame(b'{"op":"publish","topic":"/nobody","msg":{}}')
    done = []
    reader = threading.Thread(target=lambda: done.append(sum(opcode == 1 for opcode, _ in client.frames())))
    reader.start()
    for _ in range(100):
        client.send(frame * 1_000)
    client.text(GET_TIME)
    client.send(Raw.frame(b"\x03\xe8", first=0x88))
    reader.join()
    client.close()
    return done[0]


def pings(port):
    client = Raw(port)
    frame = Raw.frame(b"p" * 125, first=0x89)
    client.socket.settimeout(2)
    try:
        for _ in range(1_000):
            client.send(frame * 1_000)
    except (TimeoutError, ConnectionError):
        return "stopped"
    finally:
        client.reset()
    return "taken"


def half_closed(port):
    client = Raw(port)
    client.text(advertise("/half"), publish("/half", data="x"))
    client.socket.shutdown(socket.SHUT_WR)
    outcome = client.code()
    client.close()
    return outcome


def resets(port):
    for _ in range(50):
        client = Raw(port)
        client.text(advertise("/reset"))
        client.send(Raw.frame(b"x" * 1_000, length=1_000_000))
        client.reset()
    return "gone"


def strangers(port):
    clients = [Raw(port, handshake=False) for _ in range(300)]
    for client in clients[::2]:
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\n")
    served = Raw(port)
    served.close()
    return len(clients)


def long_head(port):
    client = Raw(port, handshake=False)
    try:
        client.send(b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000_000)
    except ConnectionError:
        pass
    return client.head()[:12].decode()


ATTACKS = dict(
    oversized=lambda port: broken(port, Raw.frame(b"x", length=1 << 62)),
    impossible=lambda port: broken(port, Raw.frame(b"x", length=1 << 63)),
    not_utf8=lambda port: broken(port, Raw.frame(b"\xff\xfe")),
    unmasked=lambda port: broken(port, Raw.frame(b"{}", masked=False)),
    reserved=lambda port: broken(port, Raw.frame(b"{}", first=0xF1)),
    not_deflate=lambda port: broken(port, Raw.frame(b"\xff\xff\xff\xff", first=0xC1), DEFLATE),
    bomb_of_one=bomb_of_one,
    bombs_of_many=bombs_of_many,
    wrong_types=wrong_types,
    unknown_operations=unknown_operations,
    nested=nested,
    many_topics=many_topics,
    many_keys=many_keys,
    latched=latched,
    empty_elements=empty_elements,
    fragments=fragments,
    million_refusals=million_refusals,
    pings=pings,
    half_closed=half_closed,
    resets=resets,
    long_head=long_head,
)


def slow_head(port, outcomes):
    """One byte every 100 ms: the server does not wait for ever."""
    client = Raw(port, handshake=False)
    try:
        for byte in Raw.request(port) * 10:
            client.send(bytes([byte]))
            time.sleep(0.1)
        outcomes["slow_head"] = "taken"
    except ConnectionError:
        outcomes["slow_head"] = "closed"


def stall(port, stop):
    """Calls services and never reads an answer."""
    client = Raw(port)
    client.socket.settimeout(0.2)
    frame = Raw.frame(json.dumps(GET_TIME).encode())
    while not stop.is_set():
        try:
            client.send(frame * 100)
        except TimeoutError:
            pass
        except ConnectionError:
            break
    client.close()


async def steady(port, name, stop, confirmed):
    topic = f"/steady/{name}"
    async with websockets.connect(f"ws://127.0.0.1:{port}", max_size=None, compression=None) as client:
        await client.send(json.dumps(advertise(topic)))
        number = 0
        while not stop.is_set():
            for _ in range(5):
                await client.send(json.dumps(publish(topic, data=f"{number}")))
                number += 1
            await client.send(json.dumps(dict(op="call_service", id=str(number), service="/rosapi/get_time")))
            answer = json.loads(await client.recv())
            assert answer["id"] == str(number), answer
            confirmed[topic] = number
            await asyncio.sleep(0.05)


async def newcomers(port, stop, confirmed):
    """Come while the attacks go on, publish, and leave."""
    count = 0
    while not stop.is_set():
        ended = asyncio.Event()
        task = asyncio.create_task(steady(port, f"newcomer{count}", ended, confirmed))
        await asyncio.sleep(0.2)
        ended.set()
        await task
        count += 1
    return count


async def main(port, count):
    stop, confirmed, outcomes = asyncio.Event(), {}, {}
    end = threading.Event()
    threads = [
        threading.Thread(target=slow_head, args=(port, outcomes)),
        threading.Thread(target=stall, args=(port, end)),
    ]
    for thread in threads:
        thread.start()
    silent = Raw(port, handshake=False)
    clients = [asyncio.create_task(steady(port, f"client{index}", stop, confirmed)) for index in range(count)]
    others = asyncio.create_task(newcomers(port, stop, confirmed))
    for name, attack in ATTACKS.items():
        outcomes[name] = await asyncio.to_thread(attack, port)
    await asyncio.to_thread(threads[0].join)
    # Last, as it sends other strangers away.
    outcomes["strangers"] = await asyncio.to_thread(strangers, port)
    stop.set()
    await asyncio.gather(*clients)
    served = await others
    end.set()
    threads[1].join()
    silent.close()
    print(json.dumps(dict(confirmed=confirmed, attacks=outcomes, newcomers=served)))


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
