"""The lowerings of TFLite operators: one module per family; each registers itself on import.

May import `frontends.tflite.lowering`, `frontends.tflite.file` and `ir`.

Internal: may change without notice.
"""
