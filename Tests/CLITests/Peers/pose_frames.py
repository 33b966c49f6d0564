"""How the frames of a bag's poses hang together, read by rosbags; prints JSON.

usage: pose_frames.py BAG
"""

import json
import sys

import numpy
from rosbags.highlevel import AnyReader
from pathlib import Path

from rigid_motion import matrix


def main(path):
    edges, static, poses, odometry, covariances = {}, set(), {}, {}, {"pose": [], "odom": []}
    places = {}
    with AnyReader([Path(path)]) as reader:
        for connection, stamp, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            if connection.topic in ("/tf", "/tf_static"):
                for entry in message.transforms:
                    key = (entry.header.frame_id, entry.child_frame_id)
                    at = entry.header.stamp.sec * 10**9 + entry.header.stamp.nanosec
                    if connection.topic == "/tf_static":
                        static.add("->".join(key))
                    else:
                        edges.setdefault(at, {})["->".join(key)] = matrix(entry.transform.translation, entry.transform.rotation)
                continue
            if connection.topic not in ("/mapping/pose", "/mapping/odom", "/mapping/pose_with_covariance"):
                continue
            at = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            if connection.topic == "/mapping/pose":
                poses[at] = matrix(message.pose.position, message.pose.orientation)
            else:
                pose = message.pose.pose
                found = matrix(pose.position, pose.orientation)
                kind = "odom" if connection.topic == "/mapping/odom" else "pose"
                covariances[kind].append(message.pose.covariance.reshape(6, 6))
                if kind == "odom":
                    odometry[at] = found
                else:
                    places[at] = found
    identity = numpy.eye(4)
    gaps = [abs(edges[at].get("map->odom", identity) @ edges[at]["odom->base_link"] - poses[at]).max() for at in poses]
    odometry_gaps = [abs(edges[at]["odom->base_link"] - odometry[at]).max() for at in odometry]
    place_gaps = [abs(poses[at] - places[at]).max() for at in places]
    eigenvalues = {kind: [float(numpy.linalg.eigvalsh((c + c.T) / 2).min()) for c in all] for kind, all in covariances.items()}
    asymmetry = max([float(abs(c - c.T).max()) for all in covariances.values() for c in all], default=0.0)
    print(json.dumps({
        "stamps": len(edges), "poses": len(poses), "with_covariance": len(places),
        "corrections": sum("map->odom" in frames for frames in edges.values()), "static": sorted(static),
        "largest_gap": float(max(gaps)), "largest_odometry_gap": float(max(odometry_gaps)),
        "largest_place_gap": float(max(place_gaps, default=0)),
        "least_eigenvalue": min([value for all in eigenvalues.values() for value in all], default=0.0), "asymmetry": asymmetry,
        "sigmas_m": {kind: [float(numpy.sqrt(c[0, 0] + c[1, 1] + c[2, 2])) for c in all] for kind, all in covariances.items()},
        "odometry": [edges[at]["odom->base_link"][:3, 3].tolist() for at in sorted(edges)],
    }))


if __name__ == "__main__":
    main(sys.argv[1])
