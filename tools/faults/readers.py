"""Small readers of what is in an image of a disk: quick, strict, and no code of the product."""

import os
import re
import sqlite3
import struct
import zlib


class Damaged(Exception):
    pass


def db3_rows(path):
    """The rows of a file, as (topic, nanoseconds, hash of the bytes)."""
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    try:
        found = database.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise Damaged(found)
        names = dict(database.execute("SELECT id, name FROM topics"))
        return [(names[topic], time, zlib.crc32(data))
                for topic, time, data in database.execute("SELECT topic_id, timestamp, data FROM messages")]
    except (sqlite3.Error, KeyError) as error:
        raise Damaged(f"{error}") from error
    finally:
        database.close()


MAGIC = b"\x89MCAP0\r\n"


def records(data, place=0):
    while place < len(data):
        if place + 9 > len(data):
            raise Damaged("a record is cut")
        kind, length = data[place], struct.unpack_from("<Q", data, place + 1)[0]
        if place + 9 + length > len(data):
            raise Damaged("a record is cut")
        yield kind, place, data[place + 9 : place + 9 + length]
        place += 9 + length


def text(body, place):
    length = struct.unpack_from("<I", body, place)[0]
    return body[place + 4 : place + 4 + length].decode(), place + 4 + length


def mcap_rows(path):
    """The same of an .mcap file without compression, whose magics, checksums and counts all have to fit."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 2 * len(MAGIC) or not data.startswith(MAGIC) or not data.endswith(MAGIC):
        raise Damaged("no magic at both ends")
    rows, channels, counted, has_footer = [], {}, None, False
    end = len(data) - len(MAGIC)
    for kind, place, body in records(data[:end], len(MAGIC)):
        if kind == 6:
            rows += chunk_rows(body, channels)
        elif kind == 4:
            number, _ = struct.unpack_from("<HH", body)
            channels[number] = text(body, 4)[0]
        elif kind == 5:
            rows.append(message(body, channels))
        elif kind == 11:
            counted = struct.unpack_from("<Q", body)[0]
        elif kind == 2:
            has_footer = True
            summary, _, checksum = struct.unpack("<QQI", body)
            if checksum and zlib.crc32(data[summary : place + 9 + 16]) != checksum:
                raise Damaged("the summary's checksum")
    if not has_footer:
        raise Damaged("no footer")
    if counted != len(rows):
        raise Damaged(f"{len(rows)} messages, {counted} in the statistics")
    return rows


def chunk_rows(body, channels):
    _, _, size, checksum = struct.unpack_from("<QQQI", body)
    compression, place = text(body, 28)
    content = body[place + 8 :]
    if compression or len(content) != size or (checksum and zlib.crc32(content) != checksum):
        raise Damaged("a chunk's checksum")
    rows = []
    for kind, _, inner in records(content):
        if kind == 4:
            number, _ = struct.unpack_from("<HH", inner)
            channels[number] = text(inner, 4)[0]
        elif kind == 5:
            rows.append(message(inner, channels))
    return rows


def message(body, channels):
    channel, _, time = struct.unpack_from("<HIQ", body)
    if channel not in channels:
        raise Damaged("a message of no channel")
    return channels[channel], time, zlib.crc32(body[22:])


def file_rows(path):
    return db3_rows(path) if path.endswith(".db3") else mcap_rows(path)


def bag_rows(path):
    """The rows of a bag: of one file, or of those that metadata.yaml lists, with their numbers in it."""
    if os.path.isfile(path):
        return file_rows(path)
    try:
        with open(os.path.join(path, "metadata.yaml")) as file:
            metadata = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(f"metadata.yaml: {error}") from error
    counts = [int(number) for number in re.findall(r"^  message_count: (\d+)$", metadata, re.MULTILINE)]
    listed = re.search(r"^  relative_file_paths:(.*(?:\n    ?- .*)*)", metadata, re.MULTILINE)
    if len(counts) != 1 or not listed:
        raise Damaged("metadata.yaml: it is cut")
    rows = []
    for name in re.findall(r"- \"?([^\"\n]+)", listed.group(1)):
        if not os.path.exists(os.path.join(path, name)):
            raise Damaged(f"{name}: it is listed and not there")
        rows += file_rows(os.path.join(path, name))
    if len(rows) < counts[0]:
        raise Damaged(f"metadata.yaml counts {counts[0]} messages, there are {len(rows)}")
    return rows
