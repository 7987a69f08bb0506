"""The custom operators of TFLite Micro's audio front end.

Internal: may change without notice.
"""
