#!/usr/bin/env python3
"""What a ROS graph sees of a DDS domain, as JSON: participants, writers, readers, and who names which nodes.

usage: dds_graph.py [--domain N] [--seconds S] [--writers N]

Looks for S seconds (5), or until it has seen N writers of others and a ros_discovery_info of each of their participants. Only
the loopback is used. Ids are 32 hexadecimal digits, as on the wire; user data is text; what has left has `gone`. Each sample of
ros_discovery_info is given with its bytes, and with the nodes that it names: its gids have 16 bytes or 24 (`gid_bytes`), by
which all of its bytes are used up, or `gid_bytes` is null.
"""

import argparse
import dataclasses
import json
import struct
import time

from cyclonedds._clayer import ddspy_take
from cyclonedds.builtin import (
    BuiltinDataReader,
    BuiltinTopicDcpsParticipant,
    BuiltinTopicDcpsPublication,
    BuiltinTopicDcpsSubscription,
)
from cyclonedds.core import InstanceState, Policy, Qos, SampleState, ViewState
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import uint8
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

CONFIGURATION = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>'
    "</Domain></CycloneDDS>"
)


@dataclasses.dataclass
class Information(IdlStruct, typename="rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"):
    """Its samples are not decoded by this, but taken as bytes."""

    unused: uint8


class Body:
    """The body of a CDR message: numbers are aligned to their size from behind its header."""

    def __init__(self, data):
        self.little, self.data, self.offset = data[1] & 1, data[4:], 0

    def bytes(self, count):
        if self.offset + count > len(self.data):
            raise ValueError("the message ends too early")
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def number(self):
        self.bytes(-self.offset % 4)
        return struct.unpack("<I" if self.little else ">I", self.bytes(4))[0]

    def text(self):
        text = self.bytes(self.number())
        if text[-1:] != b"\0":
            raise ValueError("a string without an end")
        return text[:-1].decode()


def nodes_of(data, size):
    """The nodes that a sample names, if its gids have so many bytes; else nothing."""
    try:
        body = Body(data)
        participant, nodes = body.bytes(size), []
        for _ in range(body.number()):
            node = {"namespace": body.text(), "name": body.text()}
            for kind in ("readers", "writers"):
                node[kind] = [gid(body.bytes(size)) for _ in range(body.number())]
            nodes.append(node)
        rest = body.data[body.offset :]
        return None if len(rest) > 3 or any(rest) else {"participant": gid(participant), "nodes": nodes}
    except (ValueError, struct.error):
        return None


def gid(data):
    if any(data[16:]):
        raise ValueError("a gid of 24 bytes whose last 8 are not zero")
    return data[:16].hex()


def information(data):
    for size in (16, 24):
        if found := nodes_of(data, size):
            return {"gid_bytes": size, **found, "hex": data.hex()}
    return {"gid_bytes": None, "hex": data.hex()}


def policies(qos):
    """QoS as text by its name, without user data, which stands beside it."""
    found = {policy.__scope__: str(policy).removeprefix("Policy.") for policy in qos or ()}
    return dict(sorted((name, text.removeprefix(f"{name}.")) for name, text in found.items() if name != "Userdata"))


def user_data(qos):
    data = next((bytes(policy.data) for policy in qos or () if isinstance(policy, Policy.Userdata)), b"")
    return data.decode("utf-8", "backslashreplace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--writers", type=int, default=0)
    options = parser.parse_args()

    domain = Domain(options.domain, CONFIGURATION)  # ends with its last reference
    own = DomainParticipant(options.domain)
    topic = Topic(own, "ros_discovery_info", Information)
    latched = Qos(Policy.Reliability.Reliable(10**9), Policy.Durability.TransientLocal, Policy.History.KeepAll)
    informed = DataReader(own, topic, latched)
    kinds = {
        "participants": BuiltinTopicDcpsParticipant,
        "writers": BuiltinTopicDcpsPublication,
        "readers": BuiltinTopicDcpsSubscription,
    }
    builtin = {name: BuiltinDataReader(own, kind) for name, kind in kinds.items()}
    graph, samples = {name: {} for name in kinds}, []

    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for name, reader in builtin.items():
            for sample in reader.take(N=256):
                if not sample.sample_info.valid_data:
                    graph[name].get(sample.key.hex, {})["gone"] = True
                    continue
                participant = sample.key if name == "participants" else sample.participant_key
                if participant == own.guid:
                    continue
                entry = {"key": sample.key.hex, "user_data": user_data(sample.qos), "qos": policies(sample.qos)}
                if name != "participants":
                    entry |= {"participant": participant.hex, "topic": sample.topic_name, "type": sample.type_name}
                graph[name][entry["key"]] = entry
        for data, info in ddspy_take(informed._ref, SampleState.Any | ViewState.Any | InstanceState.Any, 256):
            if info.valid_data:
                samples.append(information(data))
        writing = [writer["participant"] for writer in graph["writers"].values()]
        named = {sample.get("participant") for sample in samples}
        if options.writers and len(writing) >= options.writers and named.issuperset(writing):
            break
        time.sleep(0.02)
    result = {
        name: sorted(entries.values(), key=lambda entry: (entry.get("topic", ""), entry["key"]))
        for name, entries in graph.items()
    }
    print(json.dumps({**result, "ros_discovery_info": samples}, indent=1))
    del domain


if __name__ == "__main__":
    main()
