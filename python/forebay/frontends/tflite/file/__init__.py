"""TFLite's file format: checked reading of flatbuffers, and the model as frozen records.

May import only `frontends.errors`, besides the package `flatbuffers`.

Internal: may change without notice.
"""
