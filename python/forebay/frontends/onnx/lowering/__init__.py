"""Code that the operators of the ONNX front end share: nodes, layouts, rescaling, windows.

Internal: may change without notice.
"""
