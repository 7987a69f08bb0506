"""The lowerings of ONNX operators: one file per operator or family, registered by name.

Internal: may change without notice.
"""
