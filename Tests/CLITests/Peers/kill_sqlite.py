"""Dies by SIGKILL in the middle of a change to an SQLite bag.

usage: kill_sqlite.py FILE log|journal

log: the last ten messages are in the write-ahead log alone. journal: a large transaction is half written over the file.
"""

import os
import signal
import sqlite3
import sys

file, kind = sys.argv[1:]
child = os.fork()
if child == 0:
    connection = sqlite3.connect(file, isolation_level=None)
    if kind == "log":
        rows = connection.execute("SELECT * FROM messages ORDER BY id DESC LIMIT 10").fetchall()
        connection.execute("DELETE FROM messages WHERE id >= ?", (rows[-1][0],))
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.executemany("INSERT INTO messages VALUES (?, ?, ?, ?)", rows[::-1])
    else:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("UPDATE messages SET timestamp = timestamp + 1000")
        rows = "SELECT 1, timestamp, zeroblob(90000) FROM messages"
        connection.execute(f"INSERT INTO messages(topic_id, timestamp, data) {rows}")
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
assert os.path.getsize(file + ("-wal" if kind == "log" else "-journal")) > 0
