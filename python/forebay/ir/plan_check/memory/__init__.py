"""Shadow memory, the references of memrefs to it, and operations in flight: the state of a run.

May import `integers` and `buffers`.

Internal: may change without notice.
"""
