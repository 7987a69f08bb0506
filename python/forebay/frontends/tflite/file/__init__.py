"""TFLite's file format: checked flatbuffer accessors, and the model as frozen records.

May import only `frontends.errors`.

Internal: may change without notice.
"""
