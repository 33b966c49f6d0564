"""Damage to bytes, lines and archives: each function takes a random generator and bytes, and returns other bytes."""

import zstandard

INTERESTING = [0, 1, 2, 7, 8, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
INTERESTING += [1 << 40, (1 << 62) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
NUMBERS = ["0", "-1", "1e999", "-1e308", "NaN", "null", "true", '"x"', "[]", "{}", "9223372036854775807", "1e-320"]
NUMBERS += ["-9223372036854775808", "18446744073709551616", "0.1", "4294967296", '""', "[[[[]]]]", "1.7e9", "-8e18"]


def flip_bits(random, data):
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 4, 16])):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def change_bytes(random, data):
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 8])):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def set_integer(random, data):
    """An integer of any size and byte order at any place."""
    size = random.choice([1, 2, 4, 8])
    if len(data) < size:
        return data
    value = random.choice(INTERESTING + [random.getrandbits(8 * size), len(data)]) & ((1 << 8 * size) - 1)
    start = random.randrange(len(data) - size + 1)
    return data[:start] + value.to_bytes(size, random.choice(["little", "big"])) + data[start + size :]


def cut(random, data):
    """A writer that was killed, or a download that ended."""
    return data[: random.randrange(len(data))] if data else data


def append(random, data):
    return data + random.choice([bytes(random.randrange(1, 5000)), random.randbytes(random.randrange(1, 500)), data])


def blocks(random, data):
    """Blocks of a disk or pages of a database that are lost, swapped or there twice."""
    size = random.choice([16, 512, 1024, 4096])
    count = max(1, len(data) // size)
    first, second = random.randrange(count) * size, random.randrange(count) * size
    block, other = data[first : first + size], data[second : second + size]
    kind = random.randrange(5)
    if kind == 0:
        return data[:first] + bytes(len(block)) + data[first + len(block) :]
    if kind == 1:
        return data[:first] + other + data[first + len(other) :]
    if kind == 2:
        return data[:first] + data[first + size :]
    if kind == 3:
        return data[:first] + other + data[first:]
    return data[:first] + random.randbytes(len(block)) + data[first + len(block) :]


def sqlite_page(random, data):
    """The header, the cell pointers or a cell of one b-tree page."""
    if len(data) < 100 or not data.startswith(b"SQLite format 3\0"):
        return set_integer(random, data)
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    if size < 512 or size > len(data):
        return set_integer(random, data)
    page = random.randrange(len(data) // size)
    start = page * size + (100 if page == 0 else 0)
    place = random.choice([0, 1, 3, 5, 7, 8, 10, 12, 14, 16, 18, random.randrange(8, 60)])
    if random.randrange(4) == 0:
        pointer = int.from_bytes(data[start + 8 : start + 10], "big")
        place = min(max(0, pointer - (100 if page == 0 else 0)), size - 16) + random.randrange(12)
    at = min(start + place, len(data) - 4)
    width = random.choice([1, 2, 4])
    pages = len(data) // size
    values = INTERESTING + [random.randrange(pages + 1), random.randrange(size), data[at] + 1]
    value = random.choice(values) & ((1 << 8 * width) - 1)
    return data[:at] + value.to_bytes(width, "big") + data[at + width :]


def mcap_record(random, data):
    """The opcode, the length or a field of one record."""
    offsets, offset = [], 8
    while offset + 9 <= len(data) and len(offsets) < 2000:
        offsets.append(offset)
        offset += 9 + int.from_bytes(data[offset + 1 : offset + 9], "little")
    if not offsets:
        return set_integer(random, data)
    at = random.choice(offsets)
    kind = random.randrange(4)
    if kind == 0:
        return data[:at] + bytes([random.randrange(18)]) + data[at + 1 :]
    length = int.from_bytes(data[at + 1 : at + 9], "little")
    if kind == 1:
        length = random.choice([0, length + 1, max(0, length - 1), 1 << 63, 1 << 40, len(data), (1 << 64) - 1])
        return data[: at + 1] + length.to_bytes(8, "little") + data[at + 9 :]
    if kind == 2:
        end = at + 9 + length
        return data[:at] + data[end:] if random.randrange(2) else data[:end] + data[at:end] + data[end:]
    place = at + 9 + random.randrange(min(48, length) or 1)
    value = random.choice(INTERESTING)
    width = random.choice([2, 4, 8])
    return data[:place] + (value & ((1 << 8 * width) - 1)).to_bytes(width, "little") + data[place + width :]


def zstd_content(change):
    """Damage to what is packed, not to the packing; for files that are one zstd frame."""

    def changed(random, data):
        try:
            content = zstandard.ZstdDecompressor().stream_reader(data).read()
        except zstandard.ZstdError:
            return change(random, data)
        return zstandard.ZstdCompressor().compress(change(random, content))

    return changed


def lines(random, data):
    """Lines that are lost, swapped, there twice or cut."""
    items = data.split(b"\n")
    index, other = random.randrange(len(items)), random.randrange(len(items))
    kind = random.randrange(6)
    if kind == 0:
        del items[index]
    elif kind == 1:
        items.insert(other, items[index])
    elif kind == 2:
        items[index], items[other] = items[other], items[index]
    elif kind == 3:
        items[index] = items[index][: random.randrange(len(items[index]) + 1)]
    elif kind == 4:
        items[index] = items[index].replace(b"  ", b" ", 1) if random.randrange(2) else b" " + items[index]
    else:
        items[index] = b"\xef\xbb\xbf" + items[index] if random.randrange(2) else items[index] + b"\r"
    return b"\n".join(items)


def value(random, data):
    """One number or word of a text becomes another value."""
    starts = [index for index in range(len(data)) if data[index : index + 1] in (b":", b",", b"[")]
    if not starts:
        return change_bytes(random, data)
    start = random.choice(starts) + 1
    end = start
    while end < len(data) and data[end : end + 1] not in (b",", b"]", b"}", b"\n", b":"):
        end += 1
    text = random.choice(NUMBERS)
    if random.randrange(3) == 0:
        try:
            number = float(data[start:end])
            text = repr(random.choice([-number, number * 1000, number + 1e6, number / 1000, number + 0.01]))
        except ValueError:
            pass
    return data[:start] + b" " + text.encode() + data[end:]


BYTES = [flip_bits, change_bytes, set_integer, cut, append, blocks]
TEXT = [lines, value, value, flip_bits, cut, change_bytes]


def kinds_of(name):
    """The ways in which a file of this name is damaged."""
    if name.endswith(".db3"):
        return BYTES + [sqlite_page] * 6
    if name.endswith(".mcap"):
        return BYTES + [mcap_record] * 6
    if name.endswith(".zstd"):
        return BYTES + [zstd_content(change) for change in [flip_bits, sqlite_page, mcap_record, cut]]
    if name.endswith((".yaml", ".json", ".jsonl", ".csv")):
        return TEXT
    return BYTES


def damaged(random, name, data):
    """The bytes of the file after one kind of damage; seldom two."""
    for _ in range(1 if random.randrange(5) else 2):
        data = random.choice(kinds_of(name))(random, data)
    return data
