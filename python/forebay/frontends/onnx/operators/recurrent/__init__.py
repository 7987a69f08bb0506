"""Layers with hidden state, whose loops over time are in `forebay.frontends.onnx.lowering`.

Internal: may change without notice.
"""
