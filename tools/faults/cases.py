"""What is run: commands on small inputs that the command itself makes, and a client that feeds `record`."""

import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
from dataclasses import dataclass, field

TOPICS = ["/mapping/imu", "/mapping/pose", "/tf", "/tf_static", "/mapping/camera/image/compressed"]


@dataclass
class Case:
    name: str
    arguments: list
    output: str | None = None  # below the folder of the run; None: the input itself is repaired
    force: list = field(default_factory=list)  # what lets the next run replace what is there
    is_bag: bool = False
    statuses: tuple = (0,)  # those of a run without a fault
    feeds: bool = False  # something is published to the command
    tells: bool = False  # what went wrong is on standard output


def bag(name, output, *options, source="in/session"):
    return Case(name, ["bag", source, "-o", output, "-j", "1", *options], output, ["--force"], True)


CASES = [
    bag("bag-db3-fast", "out/b", "--max-bag-duration", "0.3", "--topics", *TOPICS),
    bag("bag-db3-resilient", "out/b", "--durability", "resilient", "--max-bag-duration", "0.3", "--topics", *TOPICS),
    bag("bag-mcap-fast", "out/b.mcap", "--topics", *TOPICS),
    bag("bag-mcap-resilient", "out/b", "-s", "mcap", "--durability", "resilient", "--max-bag-duration", "0.3",
        "--topics", *TOPICS),
    bag("bag-zstd", "out/b", "--compression", "zstd", "--topics", *TOPICS),
    bag("bag-replaced", "out/b", "--force", "--topics", *TOPICS),
    Case("convert-db3-mcap", ["convert", "in/db3", "-o", "out/c.mcap"], "out/c.mcap", ["--force"], True),
    Case("convert-mcap-db3", ["convert", "in/one.mcap", "-o", "out/c"], "out/c", ["--force"], True),
    Case("record", ["record", "-o", "out/r", "--port", "0", "--until-disconnect"], "out/r", ["--force"], True, feeds=True),
    Case("record-mcap", ["record", "-o", "out/r.mcap", "--port", "0", "--until-disconnect"], "out/r.mcap", ["--force"],
         True, feeds=True),
    Case("map", ["map", "in/session", "-o", "out/m.ply", "-j", "1"], "out/m.ply", ["--force"]),
    Case("map-replaced", ["map", "in/session", "-o", "out/m.glb", "-j", "1", "--force"], "out/m.glb", ["--force"]),
    *[Case(f"export-{form}", ["export", "in/session", "--to", form, "-o", f"out/{name}", "-j", "1"], f"out/{name}", force)
      for form, name, force in [("colmap", "e", []), ("tum", "e.txt", ["--force"]), ("parquet", "e", []),
                                ("lerobot", "e", [])]],
    Case("export-bag", ["export", "in/db3", "--to", "parquet", "-o", "out/e"], "out/e"),
    Case("report", ["report", "in/session", "-o", "out/p.html", "-j", "1"], "out/p.html", ["--force"]),
    Case("report-bag", ["report", "in/db3", "-o", "out/p.html"], "out/p.html", ["--force"]),
    Case("trim", ["trim", "in/session", "-o", "out/t", "-j", "1"], "out/t"),
    Case("trim-zip", ["trim", "in/session.zip", "-o", "out/t.zip", "-j", "1"], "out/t.zip"),
    Case("repair-db3", ["repair", "out/cut_db3", "--in-place"], None, statuses=(0, 1)),
    Case("repair-mcap", ["repair", "out/cut_mcap", "--in-place"], None, statuses=(0, 1)),
    Case("repair-session", ["repair", "out/cut_session", "--in-place"], None, statuses=(0, 1)),
    Case("batch", ["batch", "run", "in/plan.jsonl", "-o", "out/batch", "-j", "1"], "out/batch", tells=True),
    Case("check", ["check", "in/db3", "in/one.mcap", "in/session"], "out/none", tells=True),
    Case("inspect", ["inspect", "in/db3", "--json"], "out/none", tells=True),
]


class Inputs:
    """A folder with everything that the cases read: `in`, and `damaged` for what is repaired where it lies."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(f"{folder}/in")
        self.run("sample", "-o", "in/session", "--duration", "0.6", "--fps", "5", "--size", "64x48", "--gps")
        self.run("bag", "in/session", "-o", "in/db3", "--max-bag-duration", "0.3", "--topics", *TOPICS)
        self.run("bag", "in/session", "-o", "in/one.mcap", "--topics", *TOPICS)
        self.run("trim", "in/session", "-o", "in/session.zip")
        self.run("batch", "plan", "in/session", "--to", "mcap", "-o", "in/plan.jsonl")
        self.damage()

    def run(self, *arguments):
        done = subprocess.run([self.binary, *arguments], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"faults: {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")

    def damage(self):
        os.makedirs(f"{self.folder}/damaged")
        shutil.copytree(f"{self.folder}/in/db3", f"{self.folder}/damaged/cut_db3")
        first = sorted(name for name in os.listdir(f"{self.folder}/damaged/cut_db3") if name.endswith(".db3"))[0]
        with open(f"{self.folder}/damaged/cut_db3/{first}", "r+b") as file:
            file.seek(0, 2)
            size = file.tell()
            file.truncate(size * 3 // 5 // 4096 * 4096)
        self.run("bag", "in/session", "-o", "damaged/cut_mcap", "-s", "mcap", "--topics", *TOPICS)
        with open(f"{self.folder}/damaged/cut_mcap/cut_mcap_0.mcap", "r+b") as file:
            file.seek(0, 2)
            file.truncate(file.tell() * 3 // 5)
        shutil.copytree(f"{self.folder}/in/session", f"{self.folder}/damaged/cut_session")
        with open(f"{self.folder}/damaged/cut_session/imu.jsonl", "r+b") as file:
            file.seek(0, 2)
            file.truncate(file.tell() - 40)


def fed(process, stderr, messages=40):
    """Publishes to the recorder that the process is; returns how many messages it has confirmed, or None after an error.

    Without anything but the standard library: the bytes of RFC 6455 that this takes are few.
    """
    port = None
    for line in process.stderr:
        stderr.append(line)
        found = re.search(rb"listening on ws://[^ ]*:(\d+)", line)
        if found:
            port = int(found.group(1))
            break
    rest = threading.Thread(target=lambda: stderr.extend(process.stderr), daemon=True)
    rest.start()
    if port is None:
        rest.join(20)
        return None
    try:
        return publish(port, messages)
    except OSError:
        return None
    finally:
        rest.join(20)


def publish(port, messages):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        key = base64.b64encode(b"0123456789abcdef").decode()
        client.sendall((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = client.recv(4096)
            if not part:
                raise OSError("closed")
            answer += part
        if b" 101 " not in answer.split(b"\r\n")[0]:
            raise OSError("refused")

        def send(opcode, body):
            head = bytes([0x80 | opcode])
            head += bytes([0x80 | len(body)]) if len(body) < 126 else bytes([0xFE]) + struct.pack(">H", len(body))
            client.sendall(head + b"\0\0\0\0" + body)

        send(1, json.dumps({"op": "advertise", "topic": "/chatter", "type": "std_msgs/msg/String"}).encode())
        for number in range(messages):
            message = {"op": "publish", "topic": "/chatter", "msg": {"data": f"{number} " + "x" * 400}}
            send(1, json.dumps(message).encode())
            # Evenly, so that a check finds no gap in any part of it; for longer than a recorder waits to show what came.
            time.sleep(0.015)
        send(8, struct.pack(">H", 1000))
        answer = b""
        while True:
            part = client.recv(4096)
            if not part:
                break
            answer += part
        # A close frame with 1000 says that all before it was taken.
        return messages if struct.pack(">H", 1000) in answer else None
