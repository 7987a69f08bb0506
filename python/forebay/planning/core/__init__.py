"""The inner loops of the planners in C++, loaded if they are built; see `library`.

Imports nothing else of Forebay.

Internal: may change without notice.
"""
