#!/usr/bin/env python3
"""Announces a participant of DDS that is heard and cannot be reached, over the loopback.

usage: dds_deaf.py --domain N --index I --kind no-address|silent [--name TEXT] [--seconds S]

It looks like one of Fast DDS (vendor 1.15). Every second it sends its announcement (SPDP) to 127.0.0.1, to the port on
which the participant with index I (0) of domain N hears such things, as one process of a machine does for another.

no-address: the only addresses in it are 10.255.255.1, as of a network that the other side has no interface to. Cyclone
            DDS on the loopback ignores it, and says `no unicast address` in its trace of discovery. One that is
            bound to another interface takes the address for real, and sends packets there.
silent:     the address in it is 127.0.0.1 with a port that is bound and never read. Others take it for a participant,
            whose readers and writers they never come to know.

It needs the standard library only. It ends after S seconds (60) without a goodbye: others forget a silent one when
its lease of 10 s is over. Its GUID is printed first: 32 hexadecimal digits.
"""
import argparse
import os
import socket
import struct
import time

VENDOR = b"\x01\x0f"  # Fast DDS
VERSION = b"\x02\x03"
PARTICIPANT = bytes.fromhex("000001c1")  # entities, as ids at the end of a GUID
ANNOUNCER = bytes.fromhex("000100c2")
LISTENER = bytes.fromhex("000100c7")
# Announces and detects participants, writers and readers, and says by messages that it lives.
ENDPOINTS = 0x3F | 0xC00

INFO_TIMESTAMP, DATA = 0x09, 0x15
LITTLE_ENDIAN, HAS_PAYLOAD = 0x01, 0x04


def parameter(number, content):
    """One parameter of a list, filled up to a multiple of 4 bytes."""
    content += bytes(-len(content) % 4)
    return struct.pack("<HH", number, len(content)) + content


def text(value):
    """A string: length with the zero at the end, the bytes, up to a multiple of 4."""
    value = value.encode() + b"\0"
    return struct.pack("<I", len(value)) + value + bytes(-len(value) % 4)


def locator(address, port):
    """An address of UDP over IPv4: kind 1, port, 12 zeros and the 4 bytes."""
    return struct.pack("<iI12x4s", 1, port, socket.inet_aton(address))


def submessage(kind, flags, content):
    return struct.pack("<BBH", kind, flags | LITTLE_ENDIAN, len(content)) + content


def announcement(prefix, name, address, port):
    """The parameters that say who a participant is and where it is to be found."""
    properties = {
        "PARTICIPANT_TYPE": "SIMPLE",
        "fastdds.physical_data.host": socket.gethostname(),
        "fastdds.physical_data.user": "deaf",
        "fastdds.physical_data.process": str(os.getpid()),
    }
    listed = b"".join(text(key) + text(value) for key, value in properties.items())
    user_data = b"enclave=/;"
    return b"\x00\x03\x00\x00" + b"".join([  # parameters, little endian
        parameter(0x15, VERSION),
        parameter(0x16, VENDOR),
        parameter(0x50, prefix + PARTICIPANT),
        parameter(0x32, locator(address, port)),  # for discovery
        parameter(0x31, locator(address, port + 1)),  # for data
        parameter(0x02, struct.pack("<iI", 10, 0)),  # lease in seconds
        parameter(0x58, struct.pack("<I", ENDPOINTS)),
        parameter(0x62, text(name)),
        parameter(0x59, struct.pack("<I", len(properties)) + listed),
        parameter(0x2C, struct.pack("<I", len(user_data)) + user_data),
        parameter(0x01, b""),  # the end
    ])


def packet(prefix, payload, moment):
    """A message of RTPS: header, time, and the announcement as sample 1, as it is repeated."""
    seconds = int(moment)
    time_stamp = struct.pack("<iI", seconds, int((moment - seconds) * 2**32))
    data = struct.pack("<HH4s4siI", 0, 16, LISTENER, ANNOUNCER, 0, 1) + payload
    header = b"RTPS" + VERSION + VENDOR + prefix
    return header + submessage(INFO_TIMESTAMP, 0, time_stamp) + submessage(DATA, HAS_PAYLOAD, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--domain", type=int, default=0)
    parser.add_argument("--index", type=int, default=0, help="of the participant that hears it")
    parser.add_argument("--kind", choices=["no-address", "silent"], required=True)
    parser.add_argument("--name", default="deaf")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    there = ("127.0.0.1", 7410 + 250 * options.domain + 2 * options.index)
    if options.domain < 0 or options.index < 0 or there[1] > 65535:
        parser.error(f"no port is there for domain {options.domain} and index {options.index}")

    # The vendor first, as Fast DDS makes its prefixes.
    prefix = VENDOR + os.urandom(2) + struct.pack("<I", os.getpid()) + bytes(4)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        address, port = own.getsockname()
        if options.kind == "no-address":
            address, port = "10.255.255.1", 7410 + 250 * options.domain
        payload = announcement(prefix, options.name, address, port)
        print((prefix + PARTICIPANT).hex(), flush=True)
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            own.sendto(packet(prefix, payload, time.time()), there)
            time.sleep(1)


if __name__ == "__main__":
    main()
