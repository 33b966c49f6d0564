#!/usr/bin/env python3
"""Writes the small ONNX models that tests need.

usage: make_depth_models.py FOLDER
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, constants=(), opset=OPSET, metadata=None):
    graph = helper.make_graph(nodes, "depth", inputs, outputs, list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
    if metadata:
        helper.set_model_props(made, metadata)
    return made


def mean(shape, output, keep=0, opset=OPSET, metadata=None):
    """The mean of the channels."""
    node = helper.make_node("ReduceMean", ["image"], ["depth"], axes=[1], keepdims=keep)
    return model([node], [value("image", shape)], [value("depth", output)], opset=opset, metadata=metadata)


def patches():
    """The interface of Depth Anything: patches of 14 x 14, whose values are brought back to the size of the image."""
    random = np.random.default_rng(7)
    weights = random.normal(0, 0.05, (4, 3, 14, 14)).astype(np.float32)
    head = random.normal(0, 1, (1, 4, 1, 1)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "weights"], ["tokens"], kernel_shape=[14, 14], strides=[14, 14]),
        helper.make_node("Tanh", ["tokens"], ["bent"]),
        helper.make_node("Conv", ["bent", "head"], ["coarse"], kernel_shape=[1, 1]),
        helper.make_node("Resize", ["coarse", "", "scales"], ["fine"], mode="linear"),
        helper.make_node("Relu", ["fine"], ["positive"]),
        helper.make_node("Squeeze", ["positive", "axes"], ["predicted_depth"]),
    ]
    constants = [
        constant("weights", weights),
        constant("head", head),
        constant("scales", np.array([1, 1, 14, 14], np.float32)),
        constant("axes", np.array([1], np.int64)),
    ]
    image = value("image", ["batch", 3, "height", "width"])
    return model(nodes, [image], [value("predicted_depth", ["batch", "h", "w"])], constants)


def coded(shape=("n", 3, "h", "w")):
    """Reads what depth_images.py wrote into red and green, and blurs it by 5 x 5 pixels."""
    weights = np.array([65280 / 65535, 255 / 65535, 0], np.float32).reshape(1, 3, 1, 1)
    row = np.array([1, 4, 6, 4, 1], np.float32) / 16
    nodes = [
        helper.make_node("Conv", ["image", "weights"], ["value"], kernel_shape=[1, 1]),
        helper.make_node("Pad", ["value", "pads"], ["padded"], mode="edge"),
        helper.make_node("Conv", ["padded", "blur"], ["blurred"], kernel_shape=[5, 5]),
        helper.make_node("Squeeze", ["blurred", "axes"], ["depth"]),
    ]
    constants = [
        constant("weights", weights),
        constant("pads", np.array([0, 0, 2, 2, 0, 0, 2, 2], np.int64)),
        constant("blur", np.outer(row, row).reshape(1, 1, 5, 5)),
        constant("axes", np.array([1], np.int64)),
    ]
    output = value("depth", ["n", "h", "w"])
    return model(nodes, [value("image", list(shape))], [output], constants, metadata={"normalization": "zero_one"})


def scaled(factor, shape=("n", 3, "h", "w")):
    """The mean of the channels times a number, which makes it NaN or constant."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "factor"], ["depth"]),
    ]
    constants = [constant("zero", np.float32(0)), constant("factor", np.float32(factor))]
    return model(nodes, [value("image", list(shape))], [value("depth", [None, None, None])], constants)


def with_nan():
    """The square root of the mean: NaN where the normalised image is dark."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Sqrt", ["mean"], ["depth"]),
    ]
    return model(nodes, [value("image", ["n", 3, "h", "w"])], [value("depth", ["n", "h", "w"])])


def two_inputs():
    nodes = [
        helper.make_node("Add", ["image", "other"], ["sum"]),
        helper.make_node("ReduceMean", ["sum"], ["depth"], axes=[1], keepdims=0),
    ]
    inputs = [value("image", [1, 3, 28, 42]), value("other", [1, 3, 28, 42])]
    return model(nodes, inputs, [value("depth", [1, 28, 42])])


def whole_numbers():
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Cast", ["mean"], ["depth"], to=TensorProto.INT64),
    ]
    outputs = [value("depth", ["n", "h", "w"], TensorProto.INT64)]
    return model(nodes, [value("image", ["n", 3, "h", "w"])], outputs)


def two_outputs():
    """The depth, and a number beside it, as of networks that estimate the focal length."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["depth"], axes=[1], keepdims=0),
        helper.make_node("ReduceMean", ["image"], ["focal"], axes=[0, 1, 2, 3], keepdims=0),
    ]
    return model(nodes, [value("image", ["n", 3, "h", "w"])], [value("focal", []), value("depth", ["n", "h", "w"])])


def three_channels():
    """Says nothing about its output, and gives three channels."""
    node = helper.make_node("Relu", ["image"], ["depth"])
    return model([node], [value("image", ["n", 3, "h", "w"])], [value("depth", ["n", "c", "h", "w"])])


def wrong_shape():
    """Fails when it runs: adds what cannot be added."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Add", ["mean", "row"], ["depth"]),
    ]
    constants = [constant("row", np.zeros((1, 5, 5), np.float32))]
    return model(nodes, [value("image", ["n", 3, "h", "w"])], [value("depth", ["n", "h", "w"])], constants)


def hungry():
    """Expands the depth to 300 MB before it takes the mean."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Tile", ["mean", "times"], ["many"]),
        helper.make_node("ReduceMean", ["many"], ["depth"], axes=[1], keepdims=0),
    ]
    constants = [constant("times", np.array([1, 1 << 16, 1, 1], np.int64))]
    return model(nodes, [value("image", [1, 3, 28, 42])], [value("depth", [1, 28, 42])], constants)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    dynamic = ["n", 3, "h", "w"]
    models = {
        "mean": mean(dynamic, ["n", "h", "w"]),
        "fixed": mean([1, 3, 28, 42], [1, 1, 28, 42], keep=1),
        "fixed_height": mean([1, 3, 28, "w"], [1, 28, "w"]),
        "patches": patches(),
        "coded": coded(),
        "coded_square": coded([1, 3, 518, 518]),
        "four_channels": mean([1, 4, 8, 8], [1, 8, 8]),
        "batch_of_two": mean([2, 3, 8, 8], [2, 8, 8]),
        "nan": scaled(np.nan),
        "some_nan": with_nan(),
        "constant": scaled(0.5),
        "two_inputs": two_inputs(),
        "int64": whole_numbers(),
        "two_outputs": two_outputs(),
        "three_channels": three_channels(),
        "wrong_shape": wrong_shape(),
        "hungry": hungry(),
        "old_opset": mean(dynamic, ["n", "h", "w"], opset=7),
        "new_opset": mean(dynamic, ["n", "h", "w"], opset=4000),
        "huge": mean([1, 3, 1 << 40, 1 << 40], [1, 1 << 40, 1 << 40]),
        "metric": mean(dynamic, ["n", "h", "w"], metadata={"depth_kind": "metric", "normalization": "zero_one"}),
        "half": mean(dynamic, ["n", "h", "w"], metadata={"mean": "[0.5, 0.5, 0.5]", "std": "0.5 0.5 0.5"}),
        "bad_mean": mean(dynamic, ["n", "h", "w"], metadata={"mean": "123.7,116.3,103.5"}),
    }
    for name, made in models.items():
        (folder / f"{name}.onnx").write_bytes(made.SerializeToString())
    whole = (folder / "patches.onnx").read_bytes()
    (folder / "truncated.onnx").write_bytes(whole[: len(whole) // 2])
    (folder / "text.onnx").write_text("This is no model.\n" * 20)
    (folder / "empty.onnx").write_bytes(b"")


if __name__ == "__main__":
    main()
