"""A file as the servers in Arvos's SDK write it: JSON channels with uptime, frames with Unix time.

usage: arvos_recording.py FILE [--no-frames] [--bad]     prints the uptime of the first message
"""
import json
import struct
import sys

from mcap.writer import CompressionType, Writer

START, UNIX = 186_832_704_657_666, 1_700_000_000_123_456_789
KINDS = {"imu": "IMUData", "gps": "GPSData", "pose": "PoseData", "binary": "BinaryData"}


def main():
    with open(sys.argv[1], "wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD, chunk_size=2000)
        writer.start()
        channels = {}
        for kind, name in KINDS.items():
            if kind == "binary" and "--no-frames" in sys.argv:
                continue
            schema = writer.register_schema(name=name, encoding="json", data=b'{"type":"object"}')
            encoding = "application/octet-stream" if kind == "binary" else "json"
            channels[kind] = writer.register_channel(f"/arvos/{kind}", encoding, schema)

        def write(kind, time, **fields):
            text = json.dumps({"sensorType": kind, "timestampNs": time, **fields})
            writer.add_message(channels[kind], time, text.encode(), time)

        for number in range(100):
            time = START + number * 10_000_000
            write("imu", time, angularVelocity=[0.1, 0, 0], linearAcceleration=[0, 0, 0.1], gravity=[0, 0, -9.81])
            if number % 2 == 0:
                write("pose", time, position=[number, 0, 0], orientation=[0, 0, 0, 1], trackingState="normal")
            if number % 50 == 0:
                places = {"latitude": 47.5, "longitude": 8.25, "altitude": 400, "speed": 1, "course": 90}
                write("gps", time, horizontalAccuracy=5, verticalAccuracy=6, **places)
            if number % 10 == 5 and "binary" in channels:
                image = b"\0\0\0\1" + bytes(20)
                header = {"type": "camera", "timestampNs": time, "format": "h264", "dataSize": len(image)}
                head = json.dumps(header).encode()
                frame = struct.pack("<I", len(head)) + head + image
                writer.add_message(channels["binary"], UNIX + time - START, frame, UNIX + time - START)
        if "--bad" in sys.argv:
            write("imu", START, angularVelocity=[0.1])
        writer.finish()
    print(START)


main()
