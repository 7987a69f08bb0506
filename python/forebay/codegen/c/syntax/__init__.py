"""C syntax without IR: expressions, types, literals, statements, line breaking, comments.

May import `network.model` and the type queries of `ir`. Each part provides text that is correct C.

Internal: may change without notice.
"""
