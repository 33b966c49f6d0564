"""metadata.yaml by the rules of rosbag2, and against the rows of the bag."""

import os

import yaml

DISTRIBUTIONS = ("humble", "iron", "jazzy")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
KINDS = {int: "an integer", str: "a scalar", list: "a sequence", dict: "a map"}


def load_metadata(path):
    """The value of rosbag2_bagfile_information, or None."""
    with open(path, encoding="utf-8") as text:
        return (yaml.load(text, Loader=LOADER) or {}).get("rosbag2_bagfile_information")


def refusals(metadata, distribution):
    """Why the decoder of a distribution would refuse the file: it throws for a missing key or another kind of value."""
    return MetadataRules(distribution).check(metadata)


class MetadataRules:
    def __init__(self, distribution):
        self.distribution = distribution
        self.errors = []

    def need(self, node, key, kind, place=""):
        """The value of a key that has to be there; None where it is not."""
        if not isinstance(node, dict) or key not in node or (node[key] is None and kind is not str):
            self.errors.append(f"missing {place}{key}")
            return None
        value = node[key]
        fits = isinstance(value, kind) and not isinstance(value, bool)
        if kind is str:
            fits = not isinstance(value, (dict, list))
        if not fits:
            self.errors.append(f"{place}{key} is not {KINDS[kind]}")
        return value if fits else None

    def need_nested(self, node, outer, inner, place=""):
        self.need(self.need(node, outer, dict, place) or {}, inner, int, f"{place}{outer}.")

    def check(self, metadata):
        version = self.need(metadata, "version", int) or 0
        self.need(metadata, "storage_identifier", str)
        self.need_nested(metadata, "duration", "nanoseconds")
        self.need_nested(metadata, "starting_time", "nanoseconds_since_epoch")
        self.need(metadata, "message_count", int)
        self.need(metadata, "relative_file_paths", list)
        for index, topic in enumerate(self.need(metadata, "topics_with_message_count", list) or []):
            self.check_topic(topic, version, f"topics[{index}].")
        if version >= 3:
            self.need(metadata, "compression_format", str)
            self.need(metadata, "compression_mode", str)
        if version >= 5:
            for index, file in enumerate(self.need(metadata, "files", list) or []):
                self.check_file(file, f"files[{index}].")
        if self.distribution != "humble" and version >= 6 and "custom_data" not in metadata:
            self.errors.append("missing custom_data")
        if self.distribution == "jazzy" and version >= 8:
            self.need(metadata, "ros_distro", str)
        return self.errors

    def check_topic(self, topic, version, place):
        self.need(topic, "message_count", int, place)
        inner = self.need(topic, "topic_metadata", dict, place) or {}
        for key in ("name", "type", "serialization_format"):
            self.need(inner, key, str, place)
        if version >= 4:
            is_list = self.distribution == "jazzy" and version >= 9
            self.need(inner, "offered_qos_profiles", list if is_list else str, place)
        if self.distribution != "humble" and version >= 7:
            self.need(inner, "type_description_hash", str, place)

    def check_file(self, file, place):
        self.need(file, "path", str, place)
        self.need_nested(file, "starting_time", "nanoseconds_since_epoch", place)
        self.need_nested(file, "duration", "nanoseconds", place)
        self.need(file, "message_count", int, place)


def check_rules(metadata, distributions, problems):
    """Prints what each distribution would do. Those that were asked for have to accept, else at least one of all."""
    verdicts = {name: refusals(metadata, name) for name in distributions or DISTRIBUTIONS}
    told = [f"{name} {'REFUSES: ' + ', '.join(why[:4]) if why else 'accepts'}" for name, why in verdicts.items()]
    print(
        f"metadata.yaml version {metadata.get('version')}, storage {metadata.get('storage_identifier')}:",
        "; ".join(told),
    )
    for name, why in verdicts.items():
        if distributions and why:
            problems.add(f"rosbag2 {name} would refuse metadata.yaml: {why[0]} (+{len(why) - 1})")
    if not distributions and all(verdicts.values()):
        problems.add(f"no rosbag2 version would accept metadata.yaml: {next(iter(verdicts.values()))[0]}")


def check_against_rows(metadata, rows, problems):
    """Counts, times, types and formats, in total, by topic and by file."""
    span = rows.span
    check_span("metadata", metadata, rows.message_count, span, problems)
    listed = {}
    for entry in metadata["topics_with_message_count"]:
        topic = entry["topic_metadata"]
        name = topic["name"]
        listed[name] = entry["message_count"]
        if rows.types.get(name) != topic["type"]:
            problems.add(f"{name}: type {topic['type']} in metadata.yaml, {rows.types.get(name)} in db3")
        if rows.formats.get(name) != topic["serialization_format"]:
            problems.add(f"{name}: serialization_format differs from db3")
    for name in sorted(set(listed) | set(rows.types)):
        if listed.get(name) != rows.counts[name]:
            problems.add(f"{name}: metadata count {listed.get(name)} != {rows.counts[name]} rows")
    files = {file.name: file for file in rows.files}
    for entry in metadata.get("files") or []:
        name = os.path.basename(entry["path"])
        if name in files:
            check_span(f"files: {name}", entry, files[name].message_count, files[name].span, problems)
        else:
            problems.add(f"files: {name} not in relative_file_paths")


def check_span(place, entry, count, span, problems):
    """`span` is the first and the last time, or None for no rows."""
    if entry["message_count"] != count:
        problems.add(f"{place} message_count {entry['message_count']} != {count} rows")
    if span is None:
        return
    start = entry["starting_time"]["nanoseconds_since_epoch"]
    duration = entry["duration"]["nanoseconds"]
    if start != span[0]:
        problems.add(f"{place} starting_time {start} != first row {span[0]}")
    if duration != span[1] - span[0]:
        problems.add(f"{place} duration {duration} != {span[1] - span[0]}")
