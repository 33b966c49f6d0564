#!/usr/bin/env python3
"""Writes the messages of `bench sqlite` by the MCAP writer in Rust inside of foxglove-sdk: uncompressed chunks of 1 MiB, all CRCs.

usage: write_mcap.py FOLDER [ROUNDS]

Prints for each set a name, and the median, the minimum, the maximum and the number of the milliseconds that it took.
"""

import os
import sys
import time
from pathlib import Path

import foxglove
from foxglove.mcap import MCAPWriteOptions

folder = Path(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
folder.mkdir(parents=True, exist_ok=True)
noise = os.urandom(600_000)
options = MCAPWriteOptions(
    compression=None, profile="ros2", chunk_size=1 << 20, calculate_chunk_crcs=True, calculate_data_section_crc=True
)
text = b"std_msgs/Header header\nstring format\nuint8[] data\n"


def write(count: int, size: int) -> float:
    path = folder / "rust.mcap"
    path.unlink(missing_ok=True)
    messages = [noise[place : place + size] for place in range(0, 4096, 64)]
    context = foxglove.Context()
    schema = foxglove.Schema(name="sensor_msgs/msg/CompressedImage", encoding="ros2msg", data=text)
    channel = foxglove.Channel("/camera/image/compressed", schema=schema, message_encoding="cdr", context=context)
    start = time.perf_counter()
    writer = foxglove.open_mcap(path, context=context, writer_options=options)
    for index in range(count):
        channel.log(messages[index % 64], log_time=1_700_000_000_000_000_000 + index * 10_000_000)
    writer.close()
    milliseconds = (time.perf_counter() - start) * 1e3
    found = path.stat().st_size
    if found < count * size:
        sys.exit(f"{path}: expected at least {count * size} bytes, found {found}")
    path.unlink()
    return milliseconds


for name, count, size in (("500KBx100", 100, 500_000), ("200Bx20k", 20_000, 200)):
    times = sorted(write(count, size) for _ in range(rounds))
    print(f"mcap_rust_{name} {times[len(times) // 2]:.4f} {times[0]:.4f} {times[-1]:.4f} {rounds}")
