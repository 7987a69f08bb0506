"""An ONNX graph in memory, and the rewrites of it that come before the lowering.

`read` reads a file, `constants` computes what is known, `expand` writes QLinear operators as their
definitions, `moves` and `tables` and `integers` find integer operators.

Internal: may change without notice.
"""
