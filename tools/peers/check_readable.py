#!/usr/bin/env python3
"""Judges a bag of any storage and compression by what metadata.yaml says and by what rosbags reads.

usage: check_readable.py DIRECTORY [--as humble|iron|jazzy]... [--expect TOPIC=COUNT]...

The last line is `N passed, N failed`, messages and problems; the exit status is 1 on any problem.
"""

import collections
import os
import sys

import bag_metadata
from findings import Problems, argument_parser
from rosbags.rosbag2 import Reader


def main(arguments=None):
    parser = argument_parser(__doc__)
    parser.add_argument("directory")
    parser.add_argument("--as", dest="distributions", action="append", choices=bag_metadata.DISTRIBUTIONS)
    options = parser.parse_args(arguments)
    problems = Problems(options.max_problems)
    metadata = bag_metadata.load_metadata(os.path.join(options.directory, "metadata.yaml"))
    bag_metadata.check_rules(metadata, options.distributions, problems)
    counts = collections.Counter()
    with Reader(options.directory) as reader:
        counts.update(connection.topic for connection, _, _ in reader.messages())
        if counts.total() != reader.message_count:
            problems.add(f"{counts.total()} messages, metadata.yaml says {reader.message_count}")
        for connection in reader.connections:
            if connection.msgcount != counts[connection.topic]:
                problems.add(f"{connection.topic}: {counts[connection.topic]} messages, not {connection.msgcount}")
    by_file = sum(file["message_count"] for file in metadata["files"])
    if by_file != metadata["message_count"]:
        problems.add(f"files have {by_file} messages, metadata.yaml says {metadata['message_count']}")
    problems.expect_counts(options.expect, counts)
    return problems.finish(counts.total())


if __name__ == "__main__":
    sys.exit(main())
