"""Writes a BERT sentence model (safetensors) as an ONNX graph with int8 weights. README.md gives the reasons.

Usage: python convert.py FOLDER OUT.onnx    FOLDER holds config.json and model.safetensors
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

IDS, MASK = "input_ids", "attention_mask"


class Graph:
    """Collects nodes. Each method returns the name of its output."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x, prefix):
        product = self.add("MatMul", x, self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"].T))
        return self.add("Add", product, self.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"]))

    def normalised(self, x, prefix, epsilon):
        names = [self.constant(f"{prefix}.{it}", self.weights[f"{prefix}.{it}"]) for it in ("weight", "bias")]
        return self.add("LayerNormalization", x, *names, axis=-1, epsilon=epsilon)

    def gelu(self, x):
        erf = self.add("Erf", self.add("Mul", x, self.constant("sqrt_half", np.float32(2**-0.5))))
        scaled = self.add("Mul", x, self.constant("half", np.float32(0.5)))
        return self.add("Mul", scaled, self.add("Add", erf, self.constant("one", np.float32(1))))


def embeddings(graph, epsilon):
    """Word, position and segment. The segment is always the first, so its row is added to every position."""
    weights = graph.weights
    words = graph.add("Gather", graph.constant("words", weights["embeddings.word_embeddings.weight"]), IDS, axis=0)
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.add("Gather", graph.add("Shape", IDS), graph.constant("axis_1", np.array([1])), axis=0)
    zero = graph.constant("axis_0", np.array([0]))
    positions = graph.add("Slice", graph.constant("positions", table), zero, length, zero)
    return graph.normalised(graph.add("Add", words, positions), "embeddings.LayerNorm", epsilon)


def layer(graph, x, number, bias, config):
    heads, hidden, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    size = hidden // heads
    prefix = f"encoder.layer.{number}"
    split = graph.constant("split", np.array([0, 0, heads, size]))
    parts = [graph.add("Reshape", graph.linear(x, f"{prefix}.attention.self.{it}"), split) for it in ("query", "key", "value")]
    query, key, value = (graph.add("Transpose", it, perm=order) for it, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
    scores = graph.add("Mul", graph.add("MatMul", query, key), graph.constant("scale", np.float32(size**-0.5)))
    weights = graph.add("Softmax", graph.add("Add", scores, bias), axis=-1)
    context = graph.add("Transpose", graph.add("MatMul", weights, value), perm=[0, 2, 1, 3])
    joined = graph.add("Reshape", context, graph.constant("join", np.array([0, 0, hidden])))
    attended = graph.linear(joined, f"{prefix}.attention.output.dense")
    x = graph.normalised(graph.add("Add", attended, x), f"{prefix}.attention.output.LayerNorm", epsilon)
    inner = graph.gelu(graph.linear(x, f"{prefix}.intermediate.dense"))
    return graph.normalised(graph.add("Add", graph.linear(inner, f"{prefix}.output.dense"), x), f"{prefix}.output.LayerNorm", epsilon)


def sentence_model(weights, config):
    graph = Graph(weights)
    x = embeddings(graph, config["layer_norm_eps"])
    mask = graph.add("Cast", MASK, to=TensorProto.FLOAT)
    absent = graph.add("Sub", graph.constant("one", np.float32(1)), graph.add("Unsqueeze", mask, graph.constant("axes_12", np.array([1, 2]))))
    bias = graph.add("Mul", absent, graph.constant("minus_many", np.float32(-1e4)))
    for number in range(config["num_hidden_layers"]):
        x = layer(graph, x, number, bias, config)
    present = graph.add("Mul", x, graph.add("Unsqueeze", mask, graph.constant("axes_2", np.array([2]))))
    # The sum has the direction of the mean.
    total = graph.add("ReduceSum", present, "axis_1", keepdims=0)
    graph.add("LpNormalization", total, axis=-1, p=2)
    graph.nodes[-1].output[0] = "out"
    inputs = [helper.make_tensor_value_info(it, TensorProto.INT64, ["texts", "pieces"]) for it in (IDS, MASK)]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["texts", config["hidden_size"]])
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], list(graph.constants.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main():
    folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    config = json.loads((folder / "config.json").read_text())
    weights = {name: it.astype(np.float32) for name, it in load_file(folder / "model.safetensors").items() if it.dtype != np.int64}
    with tempfile.TemporaryDirectory() as scratch:
        floats = f"{scratch}/floats.onnx"
        onnx.save(sentence_model(weights, config), floats)
        quantize_dynamic(
            floats,
            target,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )


main()
