"""Small sound sessions and bags of every form, made by the program itself, from which damaged ones are made."""

import os
import shutil
import sqlite3
import subprocess

# Small messages, a latched one, images, and one of a type of our own.
TOPICS = "/tf /tf_static /mapping/pose /mapping/imu /mapping/status /mapping/camera/camera_info".split()
TOPICS += ["/mapping/camera/image/compressed", "/mapping/gps/metadata"]
SHAPE = ["--duration", "1", "--fps", "3", "--size", "64x48", "--imu-rate", "20"]
SESSIONS = {
    "plain": [],
    "whole": ["--gps", "--tiles", "--orientation", "mixed"],
    "older": ["--orientation", "none", "--gps"],
    "relative": ["--no-lidar", "--relative-depth"],
}
BAGS = {
    "db3": [],
    "db3-humble": ["--ros-distro", "humble"],
    "db3-json": ["--serialization", "rosbridge_json"],
    "db3-split": ["--chunk-seconds", "0.3"],
    "db3-file-zstd": ["--compression", "zstd"],
    "db3-message-zstd": ["--compression", "zstd", "--compression-mode", "message"],
    "mcap": ["--storage", "mcap"],
    "mcap-lz4": ["--storage", "mcap", "--compression", "lz4"],
    "mcap-zstd": ["--storage", "mcap", "--compression", "zstd"],
    "mcap-split": ["--storage", "mcap", "--chunk-seconds", "0.3"],
}


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def shrink(path):
    """Small pages, as other recorders write them: a few kilobytes, and yet inner pages in the trees."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA page_size = 512")
    database.execute("VACUUM")
    database.close()


def make(binary, folder):
    """Returns the sessions and the bags as lists of paths; some bags are files without metadata.yaml."""
    sessions, bags = [], []
    os.makedirs(os.path.join(folder, "sessions"))
    os.makedirs(os.path.join(folder, "bags"))
    for name, options in SESSIONS.items():
        session = os.path.join(folder, "sessions", "session_" + name)
        run(binary, "sample", "-o", session, *SHAPE, *options)
        os.remove(os.path.join(session, "truth.json"))
        sessions.append(session)
    for name, form in (("plain", "zip"), ("whole", "tar"), ("older", "zip")):
        session = os.path.join(folder, "sessions", "session_" + name)
        sessions.append(shutil.make_archive(session + "_archive", form, os.path.dirname(session), os.path.basename(session)))
    whole = os.path.join(folder, "sessions", "session_whole")
    for name, options in BAGS.items():
        bag = os.path.join(folder, "bags", name)
        run(binary, "bag", whole, "-o", bag, "--profile", "full", "--topics", *TOPICS, *options)
        bags.append(bag)
    for name in ("db3", "db3-humble", "db3-json", "db3-split"):
        for file in os.listdir(os.path.join(folder, "bags", name)):
            if file.endswith(".db3"):
                shrink(os.path.join(folder, "bags", name, file))
    for name in ("db3", "db3-json", "mcap", "mcap-zstd"):
        bag = os.path.join(folder, "bags", name)
        lone = os.path.join(folder, "files", name)
        os.makedirs(lone)
        for file in os.listdir(bag):
            if file != "metadata.yaml":
                shutil.copy(os.path.join(bag, file), lone)
                bags.append(os.path.join(lone, file))
    return sessions, bags
