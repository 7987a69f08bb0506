"""What the operators of the ONNX front end share: the view of a node, layouts, rescaling, windows.

Internal: may change without notice.
"""
