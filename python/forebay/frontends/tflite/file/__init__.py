"""TFLite's file format: flatbuffer accessors, checked, and the model as frozen records.

May import only `frontends.errors`.
"""
