#!/usr/bin/env python3
"""Do the tables of `export BAG --to csv` or parquet hold what rosbags reads of the bag?

usage: check_tables.py BAG FOLDER

Every leaf that is a number, a text or an element of an array of fixed length must be the same; sequences are their
lengths. Prints the number of cells that were compared; the exit status is 1 where one differs.
"""
import csv
import math
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore


def leaves(message, names, prefix=""):
    """The leaves of a message that a table has columns for, by name."""
    result = {}
    for name in message.__dataclass_fields__:
        # Constants are attributes too.
        if name.startswith("__") or name.isupper():
            continue
        value, path = getattr(message, name), prefix + name
        if hasattr(value, "__dataclass_fields__"):
            result.update(leaves(value, names, path + "."))
        elif isinstance(value, (list, tuple, np.ndarray)):
            if path + ".0" in names:
                result.update({f"{path}.{k}": element for k, element in enumerate(value)})
            else:
                result[path + "_count"] = len(value)
        else:
            result[path] = value
    return result


def tables_of(folder):
    """The rows of each table by its name: texts of csv, values of parquet with the types that their columns have."""
    tables = {path.stem: list(csv.DictReader(open(path, newline=""))) for path in folder.glob("*.csv")}
    for path in folder.glob("*.parquet"):
        tables[path.stem] = pyarrow.parquet.read_table(path).to_pylist()
    return tables


def same(cell, value):
    if not isinstance(cell, str) or isinstance(value, str):
        # A float of 32 bits is the same number as a double.
        return cell == value or cell != cell and value != value
    if isinstance(value, (bool, np.bool_)):
        return cell == ("true" if value else "false")
    if isinstance(value, (int, np.integer)):
        return int(cell) == int(value)
    if isinstance(value, (float, np.floating)):
        number = type(value)(cell)
        # rosbags gives a field of 32 bits as a double; its text is the shortest that reads back as the same 32 bits.
        return number == value or float(np.float32(number)) == value or math.isnan(number) and math.isnan(value)
    return cell == str(value)


def rows_of(message):
    """A message that is a list has a line for each of its elements."""
    fields = [name for name in message.__dataclass_fields__ if not (name.startswith("__") or name.isupper())]
    only = getattr(message, fields[0]) if len(fields) == 1 else None
    if isinstance(only, list) and all(hasattr(element, "__dataclass_fields__") for element in only):
        return only
    return [message]


def main():
    bag, folder = map(Path, sys.argv[1:3])
    tables = tables_of(folder)
    places = dict.fromkeys(tables, 0)
    cells = 0
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        for connection, time, raw in reader.messages():
            name = connection.topic.strip("/").replace("/", "_")
            for message in rows_of(reader.deserialize(raw, connection.msgtype)):
                row = tables[name][places[name]]
                places[name] += 1
                values = leaves(message, row)
                for field in ("frame_id", "stamp_ns", "log_time_ns"):
                    # A field with the name of one of the first columns.
                    if "message." + field in row:
                        values["message." + field] = values.pop(field)
                values["log_time_ns"] = time
                if "header.frame_id" in values:
                    values["frame_id"] = values.pop("header.frame_id")
                    values["stamp_ns"] = values.pop("header.stamp.sec") * 10**9 + values.pop("header.stamp.nanosec")
                if set(values) != set(row):
                    print(f"{name}: columns differ: {sorted(set(values) ^ set(row))[:5]}")
                    return 1
                for column, value in values.items():
                    cells += 1
                    if not same(row[column], value):
                        print(f"{name}: row {places[name]}: {column}: {row[column]} in the table, {value} in the bag")
                        return 1
    for name, rows in tables.items():
        if places[name] != len(rows):
            print(f"{name}: {len(rows)} rows of {places[name]} messages")
            return 1
    print(f"{len(tables)} tables, {cells} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
