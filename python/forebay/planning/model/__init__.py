"""The data types of planning: pools, buffers, separations, problems, plans and their errors.

May import only `forebay.errors` and `forebay.support`.

Internal: may change without notice.
"""
