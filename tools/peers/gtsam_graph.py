"""gtsam_graph.py FILE: solves a pose graph with GTSAM, as a judge of ours.

FILE is JSON: start and solved poses ([x, y, z, qx, qy, qz, qw] each), edges (from, to, pose, covariance by rows of
translation and rotation, kernel or null), uprights (node, up, sigma), held nodes. Prints as JSON the cost of our
solution by GTSAM's reckoning, the costs that GTSAM ends with from our solution and from the start, and its seconds."""
import json
import sys
import time

import gtsam
import numpy as np


def pose(values):
    rotation = gtsam.Rot3.Quaternion(values[6], values[3], values[4], values[5])
    return gtsam.Pose3(rotation, np.array(values[:3]))


def gravity(node, up, sigma):
    """The wheel has no factor for attitudes: the part of the world's up that is across the measured one."""
    basis = np.linalg.svd(up.reshape(1, 3))[2][1:]

    def error(factor, values, jacobians):
        seen = values.atPose3(node).rotation().unrotate(np.array([0.0, 1.0, 0.0]))
        if jacobians is not None:
            x, y, z = seen
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            jacobians[0] = np.hstack([basis @ cross, np.zeros((2, 3))])
        return basis @ seen

    return gtsam.CustomFactor(gtsam.noiseModel.Isotropic.Sigma(2, sigma), [node], error)


def main():
    data = json.load(open(sys.argv[1]))
    # GTSAM has rotations first.
    order = [3, 4, 5, 0, 1, 2]
    graph = gtsam.NonlinearFactorGraph()
    for edge in data["edges"]:
        covariance = np.array(edge["covariance"]).reshape(6, 6)[np.ix_(order, order)]
        noise = gtsam.noiseModel.Gaussian.Covariance((covariance + covariance.T) / 2)
        if edge["kernel"] is not None:
            noise = gtsam.noiseModel.Robust.Create(gtsam.noiseModel.mEstimator.Cauchy(edge["kernel"]), noise)
        graph.add(gtsam.BetweenFactorPose3(edge["from"], edge["to"], pose(edge["pose"]), noise))
    for upright in data["uprights"]:
        graph.add(gravity(upright["node"], np.array(upright["up"]), upright["sigma"]))

    def values(poses):
        result = gtsam.Values()
        for index, value in enumerate(poses):
            result.insert(index, pose(value))
        return result

    for node in data["held"]:
        graph.add(gtsam.NonlinearEqualityPose3(node, pose(data["start"][node])))
    parameters = gtsam.LevenbergMarquardtParams()
    parameters.setRelativeErrorTol(1e-10)
    parameters.setAbsoluteErrorTol(1e-10)
    parameters.setMaxIterations(100)
    report = {"ours": graph.error(values(data["solved"]))}
    for name in ("solved", "start"):
        optimizer = gtsam.LevenbergMarquardtOptimizer(graph, values(data[name]), parameters)
        begin = time.perf_counter()
        result = optimizer.optimize()
        report[name + "_seconds"] = time.perf_counter() - begin
        report[name + "_iterations"] = optimizer.iterations()
        report["from_" + name] = graph.error(result)
    print(json.dumps(report))


main()
