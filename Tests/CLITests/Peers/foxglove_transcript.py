"""Asks a server and the SDK's own server the same, step by step, and prints what each answers: JSON.

usage: foxglove_transcript.py URL

The server must stand paused at its beginning, with at least two topics. Numbers that are a server's own (times, ids,
session) are left out; kinds, order, keys, levels, request ids and values are not. The SDK leaves the player and its
parameters to the application: here to a model of what its examples do.
"""

import asyncio
import json
import math
import struct
import sys

import foxglove

from foxglove_client import Client, client

BEGIN, END = 10**18, 10**18 + 6 * 10**9
NAMES = {name: "/mapeverything/player." + name for name in ("playing", "speed", "time", "loop")}
TYPES = {"playing": bool, "speed": float, "time": float, "loop": bool}


class Player:
    """The SDK's examples: seek, speed, command, in this order; speed within bounds; an answer to every request."""

    def __init__(self):
        self.server, self.place, self.values = None, BEGIN, {"playing": False, "speed": 1.0, "time": 0.0, "loop": False}

    def state(self, did_seek=False, request_id=""):
        status = foxglove.websocket.PlaybackStatus
        return foxglove.websocket.PlaybackState(
            status.Playing if self.values["playing"] else status.Paused, self.place, self.values["speed"], did_seek,
            request_id)

    def seek(self, place):
        self.place = min(max(place, BEGIN), END)
        self.values["time"] = (self.place - BEGIN) / 1e9

    def speed(self, speed):
        self.values["speed"] = 0.01 if math.isnan(speed) else min(max(speed, 0.01), 100)

    def on_playback_control_request(self, request):
        if request.seek_time is not None:
            self.seek(request.seek_time)
        self.speed(request.playback_speed)
        self.values["playing"] = request.playback_command == foxglove.websocket.PlaybackCommand.Play
        return self.state(request.seek_time is not None, request.request_id)

    def parameters(self, names=None):
        return [foxglove.websocket.Parameter(NAMES[key], value=value) for key, value in self.values.items()
                if not names or NAMES[key] in names]

    def on_get_parameters(self, client, param_names, request_id=None):
        return self.parameters(param_names)

    def on_set_parameters(self, client, parameters, request_id=None):
        for parameter in parameters:
            key, value = parameter.name.rsplit(".", 1)[-1], parameter.get_value()
            if key == "time":
                self.seek(BEGIN + int(value * 1e9))
            elif key == "speed":
                self.speed(value)
            elif key in self.values:
                self.values[key] = value
        return self.parameters([parameter.name for parameter in parameters])

    def on_subscribe(self, client, channel):
        pass

    def on_unsubscribe(self, client, channel):
        pass

    def on_parameters_subscribe(self, param_names):
        pass

    def on_parameters_unsubscribe(self, param_names):
        pass


def shape(value):
    """Texts as they compare: keys, and what does not differ between servers."""
    op = value["op"]
    if op == "serverInfo":
        return [op, sorted(value), sorted(value["capabilities"])]
    if op == "advertise":
        return [op, sorted({key for channel in value["channels"] for key in channel}),
                sorted({channel["schemaEncoding"] for channel in value["channels"]})]
    if op == "status":
        return [op, value["level"]]
    if op == "parameterValues":
        return [op, value.get("id"), sorted([each["name"], each["value"], each.get("type")]
                                            for each in value["parameters"])]
    return value


class Recorder(Client):
    def __init__(self, socket):
        super().__init__(socket)
        self.heard = []

    async def read(self, timeout=0.3):
        try:
            message = await asyncio.wait_for(self.socket.recv(), timeout)
        except asyncio.TimeoutError:
            return False
        if isinstance(message, str):
            value = json.loads(message)
            self.heard.append(shape(value))
            if value["op"] == "serverInfo":
                self.info = value
            elif value["op"] == "advertise":
                self.channels.update({channel["id"]: channel for channel in value["channels"]})
        elif message[0] == 5:
            status, place, speed, sought, length = struct.unpack_from("<BQfBI", message, 1)
            name = message[19:].decode("utf-8", "replace")
            # What was not asked for, such as the end, is the application's own.
            if name or status != 3:
                share = round((place - self.begin) / (self.end - self.begin), 3) if sought else None
                self.heard.append(["state", status, share, round(speed, 3), sought, name, len(message) - 19 - length])
        elif message[0] not in (1, 2):
            self.heard.append(["opcode", message[0]])
        return True

    async def after(self, step, seconds=0.15):
        self.heard.clear()
        await self.socket.send(step if isinstance(step, (str, bytes)) else json.dumps(step))
        await self.read_for(seconds)
        return list(self.heard)


def request(command, speed=1.0, seek=None, name=b"r", tail=b""):
    return struct.pack("<BBfBQI", 3, command, speed, seek is not None, seek or 0, len(name)) + name + tail


def steps(one):
    first, second = sorted(one.channels)[:2]
    half = one.begin + (one.end - one.begin) // 2
    get = lambda names, **more: {"op": "getParameters", "parameterNames": names, **more}
    put = lambda key, value, **more: {"op": "setParameters", "parameters": [{"name": NAMES[key], "value": value}], **more}
    watch = lambda op, names: {"op": op + "ParameterUpdates", "parameterNames": names}
    return {
        "not JSON": "{", "unknown op": '{"op":"nonsense"}', "no op": "{}", "a list": "[]", "a number": "7",
        "unknown channel": {"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 999999}]},
        "first subscription": {"op": "subscribe", "subscriptions": [{"id": 2, "channelId": first}]},
        "the same channel": {"op": "subscribe", "subscriptions": [{"id": 3, "channelId": first}]},
        "the same id": {"op": "subscribe", "subscriptions": [{"id": 2, "channelId": second}]},
        "good and bad": {"op": "subscribe", "subscriptions": [{"id": 4, "channelId": second}, {"id": 5, "channelId": 10**6}]},
        "nothing to subscribe": {"op": "subscribe", "subscriptions": []},
        "unsubscribe": {"op": "unsubscribe", "subscriptionIds": [2, 4]},
        "unknown subscription": {"op": "unsubscribe", "subscriptionIds": [77]},
        "unknown opcode": b"\xff", "empty frame": b"", "wrong command": request(9), "short request": b"\x03\x00",
        "id longer than the frame": struct.pack("<BBfBQI", 3, 1, 1, 0, 0, 9) + b"id",
        "an asset": {"op": "fetchAsset", "uri": "package://a", "requestId": 1},
        "pause": request(1, name=b"pause"), "play": request(0, name=b"play"),
        "no id": request(1, name=b""), "fast": request(1, speed=1e9), "slow": request(1, speed=0.0),
        "backwards": request(1, speed=-3.0), "not a number": request(1, speed=float("nan")),
        "seek": request(1, seek=half, name=b"seek"), "seek before": request(1, seek=1, name=b"before"),
        "seek behind": request(1, seek=2**64 - 1, name=b"behind"), "back": request(1, seek=one.begin, name=b"back"),
        "an id that is no text": request(1, name=b"\xff\xfe"), "more than a request": request(1, tail=b"tail"),
        "all parameters": get([], id="all"), "one": get([NAMES["speed"]], id="one"), "without id": get([NAMES["loop"]]),
        "unknown parameter": get(["/none"], id="none"),
        "set with id": put("loop", True, id="set"), "set without id": put("loop", False),
        "watch": watch("subscribe", [NAMES["loop"]]), "set what is watched": put("loop", True),
        "no longer": watch("unsubscribe", [NAMES["loop"]]), "set what is not": put("loop", False),
    }


async def transcript(url):
    async with client(url, ["foxglove.sdk.v1"]) as socket, client(url, ["foxglove.sdk.v1"]) as second:
        one, two = Recorder(socket), Recorder(second)
        await one.until(lambda: one.channels)
        await one.read_for(0.2)
        await two.read_for(0.2)
        found = {"greeting": list(one.heard)}
        for name, step in steps(one).items():
            two.heard.clear()
            found[name] = await one.after(step)
            await two.read_for(0.05)
            found[name + ", as others hear it"] = list(two.heard)
        await asyncio.wait_for(await socket.ping(), 3)
        return found


async def main(url):
    context = foxglove.Context()
    schema = foxglove.Schema(name="std_msgs/msg/String", encoding="ros2msg", data=b"string data\n")
    channels = [foxglove.Channel(f"/{name}", message_encoding="cdr", schema=schema, context=context) for name in "ab"]
    player = Player()
    capability = foxglove.Capability
    server = foxglove.start_server(name="reference", port=0, context=context, server_listener=player,
                                   capabilities=[capability.Time, capability.Parameters],
                                   playback_time_range=(BEGIN, END))
    player.server = server
    try:
        found = {"here": await transcript(url), "sdk": await transcript(f"ws://127.0.0.1:{server.port}")}
    finally:
        server.stop()
    names = sorted(found["here"])
    return {"compared": len(channels) and len(names),
            "different": [f"{name}: here {found['here'][name]}, the SDK {found['sdk'].get(name)}" for name in names
                          if found["here"][name] != found["sdk"].get(name)]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
