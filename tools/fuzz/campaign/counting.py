"""How many messages a bag holds, counted without the program that is judged: by sqlite3 and by a walk over MCAP records.

A count is None where the file cannot be read to its end: then the number is unknown.
"""

import os
import sqlite3
import sys
import tempfile

import zstandard

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "peers"))
import mcap_records as mcap  # noqa: E402

MAXIMUM = 100_000


def storage_files(path):
    """The data files of a bag: a folder, or a file by itself."""
    if os.path.isfile(path):
        return [path]
    endings = (".db3", ".mcap", ".db3.zstd", ".mcap.zstd")
    return sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(endings))


def count_of(path):
    """The messages of all files of a bag, or None."""
    counts = [count_of_file(file) for file in storage_files(path)]
    return None if None in counts else sum(counts)


def count_of_file(path):
    if path.endswith(".zstd"):
        return count_of_packed(path)
    return count_of_sqlite(path)[1] if path.endswith(".db3") else count_of_mcap(path)


def count_of_packed(path):
    with open(path, "rb") as packed, tempfile.TemporaryDirectory() as folder:
        unpacked = os.path.join(folder, os.path.basename(path)[: -len(".zstd")])
        try:
            with open(unpacked, "wb") as output:
                zstandard.ZstdDecompressor().copy_stream(packed, output)
        except zstandard.ZstdError:
            return None
        return count_of_file(unpacked)


def count_of_sqlite(path):
    """Different rows of a topic that can be read before the first error; and all rows, None if there is an error."""
    good = 0
    try:
        # The table itself is walked through: an index may name fewer rows.
        database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        # Text of a damaged file may be no UTF-8.
        database.text_factory = bytes
        try:
            # What makes a topic: a number by itself can also be read of a row whose name is lost.
            names = "SELECT id, name, type, serialization_format FROM topics NOT INDEXED"
            topics = {row[0] for row in database.execute(names) if all(row[1:])}
            # Damaged pages may lead to one row twice.
            rows, total = set(), 0
            columns = "id, topic_id, timestamp, data, typeof(data) = 'blob'"
            for number, topic, time, _, is_blob in database.execute(f"SELECT {columns} FROM messages NOT INDEXED"):
                total += 1
                if topic in topics and isinstance(time, int) and is_blob:
                    rows.add((number, topic, time))
                good = len(rows)
                if total > MAXIMUM:
                    return good, None
            return good, total
        finally:
            database.close()
    except (sqlite3.Error, UnicodeDecodeError, OverflowError):
        return good, None


class Faults:
    count = 0

    def add(self, _):
        self.count += 1


def count_of_mcap(path):
    with open(path, "rb") as stream:
        data = stream.read()
    faults, channels, count = Faults(), set(), 0
    if data[:8] != mcap.MAGIC or data[-8:] != mcap.MAGIC:
        return None
    try:
        footer = mcap.parse(mcap.FOOTER, data, len(data) - 28, len(data) - 8)
        for _, opcode, start, end in mcap.walk(data, 8, len(data) - 8, faults):
            if opcode == mcap.CHUNK:
                chunk = mcap.parse(opcode, data, start, end)
                if chunk.uncompressed_size > 1 << 26:
                    return None
                content = mcap.unpacked(chunk)
                if len(content) != chunk.uncompressed_size or not mcap.crc_fits(chunk.uncompressed_crc, content):
                    return None
                for _, inner, inner_start, inner_end in mcap.walk(content, 0, len(content), faults):
                    count += counted(inner, mcap.parse(inner, content, inner_start, inner_end), channels, faults)
            elif opcode in (mcap.CHANNEL, mcap.MESSAGE):
                count += counted(opcode, mcap.parse(opcode, data, start, end), channels, faults)
            elif opcode == mcap.FOOTER or (opcode == mcap.DATA_END and end == footer.summary_start):
                # What damage makes a message behind it is in the summary section, which has none.
                break
    except Exception:
        return None
    return None if faults.count else count


def counted(opcode, record, channels, faults):
    """1 for a message of a known channel."""
    if opcode == mcap.CHANNEL:
        channels.add(record.id)
    elif opcode == mcap.MESSAGE:
        if record.channel in channels and record.log_time < 1 << 63:
            return 1
        faults.add("a message of no channel, or at no time")
    return 0


def written_count(bag):
    """The rows of a bag that the program has written: metadata.yaml has to say the same."""
    import yaml

    with open(os.path.join(bag, "metadata.yaml"), encoding="utf-8") as text:
        said = yaml.safe_load(text)["rosbag2_bagfile_information"]["message_count"]
    found = count_of(bag)
    # Releases of libzstd differ in which damage of a frame they notice: what one refuses is not counted here.
    if found is None and any(file.endswith(".zstd") for file in storage_files(bag)):
        return said
    if said != found:
        raise ValueError(f"metadata.yaml says {said} messages, the files hold {found}")
    return found
