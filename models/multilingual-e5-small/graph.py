"""Writes the graph of multilingual-e5-small without its weights.

python graph.py graph.onnx

The weights are external data in weights.bin, one tensor after the other in the order in which this script names them, each
at a multiple of 64 bytes. src/inference/local/e5/weights.ts writes that file. Needs the package onnx.
"""
import sys

import onnx
from onnx import TensorProto, helper

PIECES, HIDDEN, LAYERS, HEADS, INNER, POSITIONS, EPSILON = 178389, 384, 12, 12, 1536, 512, 1e-12
BLOCK, ALIGNMENT = 32, 64
ORT = "com.microsoft"
BITS = {TensorProto.FLOAT: 32, TensorProto.FLOAT16: 16, TensorProto.INT8: 8, TensorProto.INT4: 4}

nodes, constants = [], []
offset = 0


def external(name, kind, *shape):
    """Declares a tensor of weights.bin."""
    global offset
    size = BITS[kind] // 4
    for it in shape:
        size *= it
    size //= 2
    tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", offset), ("length", size)):
        tensor.external_data.add(key=key, value=str(value))
    constants.append(tensor)
    offset = -(-(offset + size) // ALIGNMENT) * ALIGNMENT
    return name


def integers(name, *values):
    constants.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))
    return name


def node(kind, *inputs, outputs=1, domain="", **attributes):
    name = f"{kind}_{len(nodes)}"
    names = [name] if outputs == 1 else [f"{name}_{it}" for it in range(outputs)]
    nodes.append(helper.make_node(kind, inputs, names, name=name, domain=domain, **attributes))
    return names[0] if outputs == 1 else names


def linear(x, name, width, height):
    """A matrix of int8, quantized per column. ONNX Runtime quantizes x per row."""
    weights = external(name, TensorProto.INT8, width, height)
    scales = external(f"{name}.scales", TensorProto.FLOAT, height)
    bias = external(f"{name}.bias", TensorProto.FLOAT, height)
    return node("DynamicQuantizeMatMul", x, weights, scales, "", bias, domain=ORT)


def norm(name):
    return external(f"{name}.weight", TensorProto.FLOAT, HIDDEN), external(f"{name}.bias", TensorProto.FLOAT, HIDDEN)


def embeddings(one):
    """A table of 4 bits with a scale for each block of 32."""
    words = external("words", TensorProto.INT4, PIECES, HIDDEN)
    scales = external("words.scales", TensorProto.FLOAT16, PIECES, HIDDEN // BLOCK)
    positions = external("positions", TensorProto.FLOAT, POSITIONS, HIDDEN)
    x = node("GatherBlockQuantized", words, "input_ids", scales, domain=ORT, gather_axis=0, quantize_axis=1, block_size=BLOCK)
    x = node("Cast", x, to=TensorProto.FLOAT)
    zero = integers("zero", 0)
    length = node("Gather", node("Shape", "input_ids"), one, axis=0)
    x = node("Add", x, node("Slice", positions, zero, length, zero))
    return node("LayerNormalization", x, *norm("norm"), axis=-1, epsilon=EPSILON)


def layer(x, at, mask, thirds):
    query, key, value = node("Split", linear(x, f"{at}.query-key-value", HIDDEN, 3 * HIDDEN), thirds, outputs=3, axis=-1)
    attention = node("MultiHeadAttention", query, key, value, "", mask, domain=ORT, num_heads=HEADS)
    attention = linear(attention, f"{at}.attention", HIDDEN, HIDDEN)
    x = node("SkipLayerNormalization", attention, x, *norm(f"{at}.attention-norm"), domain=ORT, epsilon=EPSILON)
    inner = node("Gelu", linear(x, f"{at}.inner", HIDDEN, INNER), domain=ORT)
    outer = linear(inner, f"{at}.outer", INNER, HIDDEN)
    return node("SkipLayerNormalization", outer, x, *norm(f"{at}.outer-norm"), domain=ORT, epsilon=EPSILON)


def model():
    one = integers("one", 1)
    x = embeddings(one)
    mask = node("Cast", "attention_mask", to=TensorProto.INT32)
    thirds = integers("thirds", HIDDEN, HIDDEN, HIDDEN)
    for at in range(LAYERS):
        x = layer(x, at, mask, thirds)
    weights = node("Unsqueeze", node("Cast", "attention_mask", to=TensorProto.FLOAT), integers("two", 2))
    total = node("ReduceSum", node("Mul", x, weights), one, keepdims=0)
    node("LpNormalization", total, axis=-1, p=2)
    inputs = [helper.make_tensor_value_info(it, TensorProto.INT64, ["texts", "pieces"]) for it in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, ["texts", HIDDEN])
    graph = helper.make_graph(nodes, "multilingual-e5-small", inputs, [output], constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(ORT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


if __name__ == "__main__":
    made = model()
    onnx.save(made, sys.argv[1])
    print(f"weights.bin has {offset} bytes")
