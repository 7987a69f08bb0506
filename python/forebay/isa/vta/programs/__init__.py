"""Programs for VTA, made from operations on whole tiles.

A tile operation becomes instructions (`moves`, `gemm`, `alu`), whose micro-ops are shared and kept
in UOP (`micro_ops`); `order` adds the dependency bits. May import `forebay.isa` and NumPy.

Internal: may change without notice.
"""
