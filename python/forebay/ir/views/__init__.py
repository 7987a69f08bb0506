"""Views: what a view op shows of its source, and where its elements are.

`rules.py` has one entry per view op that the interfaces do not describe completely; `queries.py`
answers questions about any view op, `layouts.py` about the layouts of memref types. May import
`ir.interfaces`.

Internal: may change without notice.
"""
