"""Rigid motions of messages as matrices."""

import numpy


def matrix(translation, rotation):
    x, y, z, w = rotation.x, rotation.y, rotation.z, rotation.w
    result = numpy.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = [translation.x, translation.y, translation.z]
    return result
