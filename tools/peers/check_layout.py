"""Checks a layout of Foxglove in its classic form against the classes of Foxglove's SDK: prints problems as JSON.

usage: check_layout.py LAYOUT.json TOPIC...

Keys of panels, cameras, series, layers and topics must be those that the SDK's dataclasses have, in camel case; every panel
stands in the layout once; topics are among those given.
"""

import dataclasses
import json
import re
import sys

import foxglove.layouts as sdk


def keys(*names):
    """The fields of classes, as JSON has them; what the classic form has besides them is added by the caller."""
    found = set()
    for name in names:
        for field in dataclasses.fields(getattr(sdk, name)):
            head, *rest = field.name.split("_")
            found.add(head + "".join(part.title() for part in rest))
    return found


def pointed_at(value):
    """The topic of a message path, whose first parts are those of a topic's name."""
    return re.match(r"[\w/]+", value)[0] if value else ""


PANELS = {
    "3D": keys("ThreeDeeConfig"), "Image": keys("ImageConfig"), "Plot": keys("PlotConfig"), "map": keys("MapConfig"),
    "StateTransitions": keys("StateTransitionsConfig"), "RawMessages": keys("RawMessagesConfig"),
    "DiagnosticSummary": keys("DiagnosticsSummaryConfig"), "Parameters": {"title"}, "Tab": {"activeTabIdx", "tabs"},
}
CAMERA = keys("ThreeDeeCameraState")
TOPIC = keys("BaseRendererPointCloudTopicSettings", "BaseRendererPoseTopicSettings",
             "BaseRendererRosMarkerTopicSettings")
LAYER = keys("BaseRendererGridLayerSettings")
IMAGE = keys("ImageModeConfig")
SERIES = keys("PlotSeries", "PlotSeriesBase")


def check(layout, topics):
    problems = []

    def note(place, found, known):
        for key in found:
            if key not in known:
                problems.append(f"{place}: {key}: no such key")

    def topic(place, name):
        if name not in topics:
            problems.append(f"{place}: {name}: no such topic")

    panels = layout["configById"]
    placed = []

    def place(node):
        if isinstance(node, str):
            placed.append(node)
            for tab in panels.get(node, {}).get("tabs", []):
                place(tab["layout"])
            return
        note("layout", node, {"direction", "first", "second", "splitPercentage"})
        place(node["first"])
        place(node["second"])

    place(layout["layout"])
    if sorted(placed) != sorted(panels):
        problems.append(f"panels: {sorted(panels)} are not those that are placed: {sorted(placed)}")
    note("top", layout, {"configById", "layout", "globalVariables", "userNodes", "playbackConfig"})
    for name, config in panels.items():
        kind = name.split("!")[0]
        if kind not in PANELS:
            problems.append(f"{name}: no such panel")
            continue
        note(name, config, PANELS[kind])
        note(name, config.get("cameraState", {}), CAMERA)
        for other, settings in config.get("topics", {}).items():
            topic(name, other)
            note(f"{name} {other}", settings, TOPIC)
        for layer in config.get("layers", {}).values():
            note(name, layer, LAYER)
        mode = config.get("imageMode", {})
        note(name, mode, IMAGE)
        for key in ("imageTopic", "calibrationTopic"):
            if key in mode:
                topic(name, mode[key])
        for series in config.get("paths", []):
            note(name, series, SERIES)
            topic(name, pointed_at(series["value"]))
        for key in ("followTopic", "topicPath", "topicToRender"):
            if config.get(key):
                topic(name, config[key])
    return problems


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps(check(json.load(file), set(sys.argv[2:]))))
