"""Writes the int8 graph of convert.py with fewer and larger nodes. The weights and the vectors stay the same.

Usage: python fuse.py INT8.onnx OUT.onnx
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

IDS, MASK = "input_ids", "attention_mask"
LAYERS, HEADS, HIDDEN, EPSILON = 6, 12, 384, 1e-12
OURS = "com.microsoft"


class Graph:
    """Collects nodes. `weights` are the constants of the graph that is read; each method returns the name of its output."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def kept(self, name):
        return self.constant(name, self.weights[name])

    def add(self, kind, *inputs, outputs=1, domain="", **attributes):
        name = f"{kind}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}_{it}" for it in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name, domain=domain, **attributes))
        return name if outputs == 1 else names

    def linear(self, x, *prefixes):
        """One product for all prefixes, so that their common input is quantized once."""
        weights = [self.weights[f"{it}.weight_quantized"] for it in prefixes]
        scales = [np.broadcast_to(self.weights[f"{it}.weight_scale"], part.shape[1:]) for it, part in zip(prefixes, weights)]
        biases = [self.weights[f"{it}.bias"] for it in prefixes]
        for it in prefixes:
            assert not self.weights[f"{it}.weight_zero_point"].any(), "the weights must be symmetric"
        first = prefixes[0]
        return self.add(
            "DynamicQuantizeMatMul",
            x,
            self.constant(f"{first}.weight", np.concatenate(weights, axis=1)),
            self.constant(f"{first}.scale", np.concatenate(scales)),
            "",
            self.constant(f"{first}.bias", np.concatenate(biases)),
            domain=OURS,
        )

    def normalised_sum(self, x, other, prefix):
        names = [self.kept(f"{prefix}.{it}") for it in ("weight", "bias")]
        return self.add("SkipLayerNormalization", x, other, *names, domain=OURS, epsilon=EPSILON)


def embeddings(graph):
    words = graph.add("Gather", graph.kept("words_quantized"), IDS, axis=0)
    words = graph.add("DequantizeLinear", words, graph.kept("words_scale"), graph.kept("words_zero_point"))
    zero, one = graph.constant("axis_0", np.array([0])), graph.constant("axis_1", np.array([1]))
    length = graph.add("Gather", graph.add("Shape", IDS), one, axis=0)
    positions = graph.add("Slice", graph.kept("positions"), zero, length, zero)
    names = [graph.kept(f"embeddings.LayerNorm.{it}") for it in ("weight", "bias")]
    return graph.add("LayerNormalization", graph.add("Add", words, positions), *names, axis=-1, epsilon=EPSILON)


def layer(graph, x, number, mask):
    prefix = f"encoder.layer.{number}"
    joined = graph.linear(x, *(f"{prefix}.attention.self.{it}" for it in ("query", "key", "value")))
    parts = graph.add("Split", joined, graph.constant("split", np.array([HIDDEN] * 3)), outputs=3, axis=-1)
    context = graph.add("MultiHeadAttention", *parts, "", mask, domain=OURS, num_heads=HEADS)
    attended = graph.linear(context, f"{prefix}.attention.output.dense")
    x = graph.normalised_sum(attended, x, f"{prefix}.attention.output.LayerNorm")
    inner = graph.add("Gelu", graph.linear(x, f"{prefix}.intermediate.dense"), domain=OURS)
    return graph.normalised_sum(graph.linear(inner, f"{prefix}.output.dense"), x, f"{prefix}.output.LayerNorm")


def fused_model(weights):
    graph = Graph(weights)
    x = embeddings(graph)
    lengths = graph.add("Cast", MASK, to=TensorProto.INT32)
    for number in range(LAYERS):
        x = layer(graph, x, number, lengths)
    present = graph.add("Unsqueeze", graph.add("Cast", MASK, to=TensorProto.FLOAT), graph.constant("axes_2", np.array([2])))
    # The sum has the direction of the mean.
    total = graph.add("ReduceSum", graph.add("Mul", x, present), "axis_1", keepdims=0)
    graph.add("LpNormalization", total, axis=-1, p=2)
    graph.nodes[-1].output[0] = "out"
    inputs = [helper.make_tensor_value_info(it, TensorProto.INT64, ["texts", "pieces"]) for it in (IDS, MASK)]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["texts", HIDDEN])
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], list(graph.constants.values()))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(OURS, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8)


source, target = sys.argv[1:]
onnx.save(fused_model({it.name: numpy_helper.to_array(it) for it in onnx.load(source).graph.initializer}), target)
