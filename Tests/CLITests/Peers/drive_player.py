"""Plays a recording to a server of its own, and steers it meanwhile as a person or a program does.

usage: drive_player.py keys|lines STEPS COMMAND [ARGUMENT ...]

`{url}` in an argument becomes the server's address. STEPS is a JSON list of what is done in turn:
  {"wait": N}         until N messages of /mapping/pose have come in all
  {"send": TEXT}      writes to the command's standard input: a terminal (keys) or a pipe (lines)
  {"quiet": SECONDS}  lets this time pass, and notes how many messages came meanwhile
  {"close": true}     ends its standard input
Prints {"status", "came": [[topic, stamp, seconds], ...], "quiet": [counts], "errors": text, "restored": bool}.
"""

import asyncio
import fcntl
import json
import os
import pty
import sys
import termios
import time

import websockets


def stamp(message):
    header = message["transforms"][0]["header"] if "transforms" in message else message.get("header")
    return header and header["stamp"]["sec"] * 1_000_000_000 + header["stamp"]["nanosec"]


class Player:
    def __init__(self):
        self.came = []
        self.poses = 0
        self.news = asyncio.Event()

    async def serve(self, socket):
        async for text in socket:
            operation = json.loads(text)
            if operation["op"] == "call_service":
                answer = dict(op="service_response", id=operation["id"], service=operation["service"], result=False)
                await socket.send(json.dumps(answer | {"values": ""}))
            elif operation["op"] == "publish":
                self.came.append([operation["topic"], stamp(operation["msg"]), time.monotonic()])
                self.poses += operation["topic"] == "/mapping/pose"
                self.news.set()

    async def steer(self, steps, descriptor):
        quiet = []
        for step in steps:
            if "wait" in step:
                while self.poses < step["wait"]:
                    self.news.clear()
                    await asyncio.wait_for(self.news.wait(), 30)
            elif "send" in step:
                os.write(descriptor, step["send"].encode())
            elif "quiet" in step:
                # What was on its way when the command was given may still come.
                await asyncio.sleep(0.3)
                before = len(self.came)
                await asyncio.sleep(step["quiet"])
                quiet.append(len(self.came) - before)
            elif "close" in step:
                os.close(descriptor)
        return quiet


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


async def main(form, steps, command):
    player = Player()
    async with websockets.serve(player.serve, "127.0.0.1", 0, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        command = [word.replace("{url}", f"127.0.0.1:{port}") for word in command]
        if form == "keys":
            ours, theirs = pty.openpty()
            before = termios.tcgetattr(theirs)
            process = await asyncio.create_subprocess_exec(
                *command, stdin=theirs, stdout=asyncio.subprocess.DEVNULL, stderr=theirs, preexec_fn=own_terminal
            )
            shown = bytearray()
            asyncio.get_running_loop().add_reader(ours, lambda: shown.extend(os.read(ours, 65536)))
        else:
            theirs, ours = os.pipe()
            process = await asyncio.create_subprocess_exec(
                *command, stdin=theirs, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
            )
            os.close(theirs)
        steering = asyncio.create_task(player.steer(steps, ours))
        if form == "keys":
            quiet = await steering
            status = await asyncio.wait_for(process.wait(), 60)
            restored = termios.tcgetattr(theirs) == before
            errors = shown.decode(errors="replace")
        else:
            errors = (await asyncio.wait_for(process.stderr.read(), 60)).decode()
            status = await process.wait()
            quiet = await steering
            restored = True
    print(json.dumps(dict(status=status, came=player.came, quiet=quiet, errors=errors, restored=restored)))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]))
